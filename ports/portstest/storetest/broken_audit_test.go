package storetest_test

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/storetest"
)

// savesBy wraps every save with fn, which receives the rows of the change and a
// function that saves the change with any rows.
func savesBy(fn func(rows []ports.AuditRow, save func(rows []ports.AuditRow) error) error) func(b *bundle) {
	return func(b *bundle) {
		locks, validation, transaction, report := b.locks.save, b.validations.save, b.transactions.save, b.reports.save
		b.locks.save = func(ctx context.Context, c ports.RateLockChange) error {
			return fn(c.Audit, func(rows []ports.AuditRow) error { c.Audit = rows; return locks(ctx, c) })
		}
		b.validations.save = func(ctx context.Context, c ports.ValidationChange) error {
			return fn(c.Audit, func(rows []ports.AuditRow) error { c.Audit = rows; return validation(ctx, c) })
		}
		b.transactions.save = func(ctx context.Context, c ports.TransactionChange) error {
			return fn(c.Audit, func(rows []ports.AuditRow) error { c.Audit = rows; return transaction(ctx, c) })
		}
		b.reports.save = func(ctx context.Context, c ports.ReportChange) error {
			return fn(c.Audit, func(rows []ports.AuditRow) error { c.Audit = rows; return report(ctx, c) })
		}
	}
}

// onRows lets fn change the rows of every change.
func onRows(fn func(rows []ports.AuditRow) []ports.AuditRow) func(b *bundle) {
	return savesBy(func(rows []ports.AuditRow, save func([]ports.AuditRow) error) error {
		return save(fn(slices.Clone(rows)))
	})
}

// onRow lets fn change each row of every change.
func onRow(fn func(r *ports.AuditRow)) func(b *bundle) {
	return onRows(func(rows []ports.AuditRow) []ports.AuditRow {
		for i := range rows {
			fn(&rows[i])
		}
		return rows
	})
}

// records stores rows without a change.
func records(b *bundle, rows []ports.AuditRow) {
	for _, r := range rows {
		_ = b.clients.put(context.Background(), ports.Client{ID: "of a flaw"}, r)
	}
}

// leavesRowsOn stores the rows of changes that failed with the code.
func leavesRowsOn(code errcodes.Code) func(b *bundle) {
	return func(b *bundle) {
		savesBy(func(rows []ports.AuditRow, save func([]ports.AuditRow) error) error {
			err := save(rows)
			if errcodes.Of(err) == code {
				records(b, rows)
			}
			return err
		})(b)
	}
}

// reads lets fn change the rows read.
func reads(fn func(rows []ports.AuditRow) []ports.AuditRow) func(b *bundle) {
	return func(b *bundle) {
		audit := b.audit
		b.audit = func(ctx context.Context, after int64, limit int) ([]ports.AuditRow, error) {
			rows, err := audit(ctx, after, limit)
			return fn(rows), err
		}
	}
}

// sharesRows stores its callers' slices.
func sharesRows(b *bundle) {
	var kept [][]ports.AuditRow
	savesBy(func(rows []ports.AuditRow, save func([]ports.AuditRow) error) error {
		err := save(nil)
		if err == nil {
			kept = append(kept, rows)
		}
		return err
	})(b)
	b.audit = func(_ context.Context, after int64, _ int) ([]ports.AuditRow, error) {
		rows := slices.Concat(kept...)
		for i := range rows {
			rows[i].Seq = int64(i) + 1
		}
		return rows[after:], nil
	}
}

// lendsRows returns its stored rows.
func lendsRows(b *bundle) {
	var own []ports.AuditRow
	audit := b.audit
	b.audit = func(ctx context.Context, after int64, limit int) ([]ports.AuditRow, error) {
		rows, err := audit(ctx, int64(len(own)), limit)
		own = append(own, rows...)
		return own[after:min(int(after)+limit, len(own))], err
	}
}

// losesRowsWithAcknowledgement stores a change without its rows.
func losesRowsWithAcknowledgement(b *bundle) {
	var lost atomic.Bool
	lose := b.lose
	b.lose = func() { lost.Store(true); lose() }
	savesBy(func(rows []ports.AuditRow, save func([]ports.AuditRow) error) error {
		if lost.Swap(false) {
			rows = nil
		}
		return save(rows)
	})(b)
}

// keepsRowsWithoutAcknowledgement stores the rows of a change that is not stored.
func keepsRowsWithoutAcknowledgement(b *bundle) {
	var lost atomic.Bool
	b.lose = func() { lost.Store(true) }
	savesBy(func(rows []ports.AuditRow, save func([]ports.AuditRow) error) error {
		if !lost.Swap(false) {
			return save(rows)
		}
		records(b, rows)
		return errcodes.New(errcodes.OutcomeUnknown, "")
	})(b)
}

// everyTenth applies fn to the rows of every tenth save.
func everyTenth(fn func(rows []ports.AuditRow) []ports.AuditRow) func(b *bundle) {
	var saves atomic.Int64
	return onRows(func(rows []ports.AuditRow) []ports.AuditRow {
		if saves.Add(1)%10 == 0 {
			return fn(rows)
		}
		return rows
	})
}

// acceptsAnyRow makes invalid rows valid.
func acceptsAnyRow(b *bundle) {
	sane := func(r *ports.AuditRow) {
		if r.Check() != nil {
			*r = ports.AuditRow{At: time.Unix(0, 0), Act: "sane"}
		}
	}
	onRow(sane)(b)
}

// acceptsAnyRowOf does the same in writes other than saves.
func acceptsAnyRowOf(spoil func(b *bundle, sane func(ports.AuditRow) ports.AuditRow)) func(b *bundle) {
	return func(b *bundle) {
		spoil(b, func(r ports.AuditRow) ports.AuditRow {
			if r.Check() != nil {
				return ports.AuditRow{At: time.Unix(0, 0), Act: "sane"}
			}
			return r
		})
	}
}

// mapRows applies f to the texts of rows.
func mapRows(b *bundle, f func(string) string) {
	onRow(func(r *ports.AuditRow) {
		for _, text := range []*string{&r.Actor.Client, &r.Actor.Address, &r.Actor.Trace, &r.Act, &r.Owner, &r.Object} {
			*text = f(*text)
		}
	})(b)
}

const (
	rowsSaved     = "the rows of a change are read back as saved, in order"
	rowsPaged     = "AuditRows pages without a gap or a repeat"
	rowsOutside   = "changing rows outside the store does not change the store"
	rowsRefused   = "an invalid row is rejected with its write"
	rowsLost      = "a lost acknowledgement loses both the rows and the record, or neither"
	rowsAtOnce    = "concurrent changes lose no rows"
	rowOfRevoke   = "revoking a token leaves a row, and revoking an unknown token does not"
	rowOfClient   = "revoking all tokens of a client leaves one row"
	rowsOfLetters = "each replayed or discarded event leaves a row"
)

var auditFlaws = slices.Concat(
	commonFlaws("a done context returns its code and leaves no row"),
	confuse("rows", rowsSaved, looks, mapRows),
	[]flawedStore{
		{"loses the second row", rowsSaved, onRows(func(rows []ports.AuditRow) []ports.AuditRow { return rows[:min(len(rows), 1)] })},
		{"loses the rows of a large change", rowsSaved, onRows(func(rows []ports.AuditRow) []ports.AuditRow { return rows[:min(len(rows), 4)] })},
		{"stores equal rows once", rowsSaved, onRows(slices.Compact[[]ports.AuditRow])},
		{"reverses rows", rowsSaved, onRows(func(rows []ports.AuditRow) []ports.AuditRow { slices.Reverse(rows); return rows })},
		{"orders rows by their time", rowsSaved, onRows(func(rows []ports.AuditRow) []ports.AuditRow {
			slices.SortStableFunc(rows, func(a, b ports.AuditRow) int { return a.At.Compare(b.At) })
			return rows
		})},
		{"keeps seconds of rows", rowsSaved, onRow(func(r *ports.AuditRow) { r.At = r.At.Truncate(time.Second) })},
		{"forgets the address", rowsSaved, onRow(func(r *ports.AuditRow) { r.Actor.Address = "" })},
		{"stores the owner as the actor", rowsSaved, onRow(func(r *ports.AuditRow) { r.Actor.Client = r.Owner })},
		{"cuts objects", rowsSaved, onRow(func(r *ports.AuditRow) { r.Object = r.Object[:min(len(r.Object), 64)] })},
		{"adds a row to a change without rows", rowsSaved, onRows(func(rows []ports.AuditRow) []ports.AuditRow {
			if len(rows) == 0 {
				rows = append(rows, ports.AuditRow{At: time.Unix(0, 0), Act: "save"})
			}
			return rows
		})},
		{"repeats the last row of a page", rowsPaged, func(b *bundle) {
			audit := b.audit
			b.audit = func(ctx context.Context, after int64, limit int) ([]ports.AuditRow, error) {
				return audit(ctx, max(after-1, 0), limit)
			}
		}},
		{"lists more than a page", rowsPaged, func(b *bundle) {
			audit := b.audit
			b.audit = func(ctx context.Context, after int64, limit int) ([]ports.AuditRow, error) {
				return audit(ctx, after, limit+1)
			}
		}},
		{"accepts any limit", "a page of audit rows is 1 to 10,000", func(b *bundle) {
			audit := b.audit
			b.audit = func(ctx context.Context, after int64, limit int) ([]ports.AuditRow, error) {
				return audit(ctx, after, min(max(limit, 1), 10_000))
			}
		}},
		{"shares its caller's rows", rowsOutside, sharesRows},
		{"returns its stored rows", rowsOutside, lendsRows},
		{"stores the rows of a conflict", "a conflict leaves no row", leavesRowsOn(errcodes.Conflict)},
		{"stores an impossible row", rowsRefused, acceptsAnyRow},
		{"stores an impossible row of a client", rowsRefused, acceptsAnyRowOf(func(b *bundle, sane func(ports.AuditRow) ports.AuditRow) {
			put := b.clients.put
			b.clients.put = func(ctx context.Context, c ports.Client, r ports.AuditRow) error { return put(ctx, c, sane(r)) }
		})},
		{"stores an impossible row of a token", rowsRefused, acceptsAnyRowOf(func(b *bundle, sane func(ports.AuditRow) ports.AuditRow) {
			revoke := b.tokens.revoke
			b.tokens.revoke = func(ctx context.Context, h [32]byte, r ports.AuditRow) error { return revoke(ctx, h, sane(r)) }
		})},
		{"stores an impossible row of a replay", rowsRefused, acceptsAnyRowOf(func(b *bundle, sane func(ports.AuditRow) ports.AuditRow) {
			replay := b.letters.replay
			b.letters.replay = func(ctx context.Context, now time.Time, r ports.AuditRow, ids ...string) (int, error) {
				return replay(ctx, now, sane(r), ids...)
			}
		})},
		{"stores an impossible row of the revocation of a client", rowsRefused, acceptsAnyRowOf(func(b *bundle, sane func(ports.AuditRow) ports.AuditRow) {
			revokeAll := b.tokens.revokeAll
			b.tokens.revokeAll = func(ctx context.Context, id string, r ports.AuditRow) (int, error) {
				return revokeAll(ctx, id, sane(r))
			}
		})},
		{"stores an impossible row of a discard", rowsRefused, acceptsAnyRowOf(func(b *bundle, sane func(ports.AuditRow) ports.AuditRow) {
			discard := b.letters.discard
			b.letters.discard = func(ctx context.Context, r ports.AuditRow, ids ...string) (int, error) {
				return discard(ctx, sane(r), ids...)
			}
		})},
		{"stores the valid rows beside an invalid one", rowsRefused, leavesRowsOn(errcodes.InvalidRequest)},
		{"loses the rows with the acknowledgement", rowsLost, losesRowsWithAcknowledgement},
		{"keeps the rows without the record", rowsLost, keepsRowsWithoutAcknowledgement},
		{"keeps rows when it is full", "a full store keeps no row", leavesRowsOn(errcodes.StorageUnavailable)},
		{"stores the rows of saves that lost", "of many concurrent saves only the winner leaves its rows", leavesRowsOn(errcodes.Conflict)},
		{"loses the rows of one change of ten", rowsAtOnce, everyTenth(func([]ports.AuditRow) []ports.AuditRow { return nil })},
		{"reverses the rows of one change of ten", rowsAtOnce, everyTenth(func(rows []ports.AuditRow) []ports.AuditRow {
			slices.SortFunc(rows, func(a, b ports.AuditRow) int { return cmp.Compare(a.Object, b.Object) })
			return rows
		})},
		{"keeps no row of a client", rowsSaved, reads(func(rows []ports.AuditRow) []ports.AuditRow {
			return slices.DeleteFunc(rows, func(r ports.AuditRow) bool { return r.Actor.Trace == "trace of PutClient" })
		})},
		{"stores the row of an unknown token's revocation", rowOfRevoke, func(b *bundle) {
			revoke := b.tokens.revoke
			b.tokens.revoke = func(ctx context.Context, h [32]byte, r ports.AuditRow) error {
				records(b, []ports.AuditRow{r})
				return revoke(ctx, h, r)
			}
		}},
		{"stores another owner for a token", rowOfRevoke, reads(func(rows []ports.AuditRow) []ports.AuditRow {
			for i := range rows {
				rows[i].Owner = "somebody"
			}
			return rows
		})},
		{"leaves no row for a client without tokens", rowOfClient, reads(func(rows []ports.AuditRow) []ports.AuditRow {
			return rows[:min(len(rows), 1)]
		})},
		{"leaves a row for each token of a client", rowOfClient, func(b *bundle) {
			revokeAll := b.tokens.revokeAll
			b.tokens.revokeAll = func(ctx context.Context, id string, r ports.AuditRow) (int, error) {
				n, err := revokeAll(ctx, id, r)
				for range n - 1 {
					records(b, []ports.AuditRow{r})
				}
				return n, err
			}
		}},
		{"stores one row for many events", rowsOfLetters, reads(func(rows []ports.AuditRow) []ports.AuditRow {
			return slices.CompactFunc(rows, func(a, b ports.AuditRow) bool { return a.Act == b.Act })
		})},
		{"records every event named in a replay", rowsOfLetters, func(b *bundle) {
			replay := b.letters.replay
			b.letters.replay = func(ctx context.Context, now time.Time, r ports.AuditRow, ids ...string) (int, error) {
				records(b, []ports.AuditRow{r})
				return replay(ctx, now, r, ids...)
			}
		}},
		{"forgets the owner of an event", rowsOfLetters, reads(func(rows []ports.AuditRow) []ports.AuditRow {
			for i := range rows {
				rows[i].Owner = strings.TrimPrefix(rows[i].Owner, "owner of ")
			}
			return rows
		})},
		{"forgets rows", "a reopened store has its rows", func(b *bundle) {
			var mu sync.Mutex
			audit, reopened := b.audit, false
			b.reopen = func() storetest.Store { mu.Lock(); defer mu.Unlock(); reopened = true; return b.store() }
			b.audit = func(ctx context.Context, after int64, limit int) ([]ports.AuditRow, error) {
				if reopened {
					return nil, nil
				}
				return audit(ctx, after, limit)
			}
		}},
	},
)
