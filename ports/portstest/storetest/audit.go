package storetest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// AuditTrail checks that a store stores the audit rows of its writes and no
// others. It writes through every port that the store has.
func AuditTrail(t *testing.T, h Harness) {
	t.Helper()
	runStore(t, h, auditChecks, "Store.AuditRows is nil", func(s Store) bool { return s.AuditRows != nil })
}

var auditChecks = []storeCheck{
	{"the rows of a change are read back as saved, in order", func(k *storeKit) {
		all := variedRows()
		k.eachSave(func(s *auditedSave) {
			for _, n := range []int{0, 1, 2, 3, 4, len(all)} {
				k.mustLeave(fmt.Sprint("a change of ", n), all[:n], func() { k.OK(s.with(k.Context(), fmt.Sprint("id-", n), all[:n]...), "Save") })
			}
			for i, row := range all {
				k.mustLeave("a change of one", all[i:i+1], func() { k.OK(s.with(k.Context(), fmt.Sprint("one-", i), row), "Save") })
			}
		})
		k.succeed(k.auditedWrites())
	}},
	{"AuditRows pages without a gap or a repeat", auditPages},
	{"a page of audit rows is 1 to 10,000", func(k *storeKit) {
		for limit, want := range map[int]errcodes.Code{-1: errcodes.InvalidRequest, 0: errcodes.InvalidRequest, 1: "", ports.MaxPage + 1: errcodes.InvalidRequest} {
			k.Case(strconv.Itoa(limit), func() { k.Code(errOf(k.AuditRows(k.Context(), 0, limit)), want, "AuditRows") })
		}
	}},
	{"changing rows outside the store does not change the store", auditNotAliased},
	{"a conflict leaves no row", auditOfConflicts},
	{"an invalid row is rejected with its write", auditRefused},
	{"a lost acknowledgement loses both the rows and the record, or neither", auditOfLostCommit},
	{"a full store keeps no row", func(k *storeKit) {
		k.Need(k.Fill != nil, "Fill")
		k.eachSave(func(s *auditedSave) {
			k.mustLeave("a change in a full store", nil, func() {
				empty := k.Fill()
				err := s.with(k.Context(), "id", act("stray"))
				empty()
				k.Code(err, errcodes.StorageUnavailable, "Save in a full store")
			})
			k.mustLeave("a change when there is room again", acts("first"), func() { k.OK(s.with(k.Context(), "id", act("first")), "Save") })
		})
	}},
	{"of many concurrent saves only the winner leaves its rows", auditOfRacers},
	// The rows of a change keep their order, but those of other changes may be between them.
	{"concurrent changes lose no rows", func(k *storeKit) {
		k.eachSave(func(s *auditedSave) {
			var want []ports.AuditRow
			got := k.leaves(func() {
				k.RaceOK("Save", func(i int) error { return s.with(k.Context(), fmt.Sprint("id-", i), racerRows(i)...) })
				for i := range kit.Racers {
					want = append(want, racerRows(i)...)
				}
			})
			slices.SortStableFunc(got, func(a, b ports.AuditRow) int { return cmp.Compare(a.Object[1:], b.Object[1:]) })
			k.sameRows(got, want, "concurrent changes")
		})
	}},
	{"revoking a token leaves a row, and revoking an unknown token does not", func(k *storeKit) {
		k.Need(k.Tokens != nil, "Tokens")
		have, row := token("have"), act("a token")
		row.Owner = "somebody"
		want := row
		want.Owner = have.ClientID
		k.mustLeave("one token", []ports.AuditRow{want}, func() {
			k.putToken(have)
			k.OK(k.Tokens.Revoke(k.Context(), token("unknown").SHA256, row), "Revoke of an unknown token")
			k.OK(k.Tokens.Revoke(k.Context(), have.SHA256, row), "Revoke")
			k.OK(k.Tokens.Revoke(k.Context(), have.SHA256, row), "Revoke again")
		})
	}},
	{"revoking all tokens of a client leaves one row", func(k *storeKit) {
		k.Need(k.Tokens != nil, "Tokens")
		row := act("a client")
		row.Owner = "somebody"
		want := row
		want.Owner = token("").ClientID
		k.mustLeave("two revocations", []ports.AuditRow{want, want}, func() {
			k.putToken(token("a"))
			k.putToken(token("b"))
			for range 2 { // the second time there are none
				k.OK(errOf(k.Tokens.RevokeAll(k.Context(), want.Owner, row)), "RevokeAll")
			}
		})
	}},
	{"each replayed or discarded event leaves a row", auditOfDeadLetters},
	{"a done context returns its code and leaves no row", func(k *storeKit) {
		writes := k.auditedWrites()
		calls := with(writes, act("stray"))
		calls["AuditRows"] = func(ctx context.Context) error { return errOf(k.AuditRows(ctx, 0, 10)) }
		k.mustLeave("calls with a done context", nil, func() { k.doneContexts(calls) })
		k.Passed()
		k.succeed(writes)
	}},
	{"a closed store returns Closed", func(k *storeKit) {
		calls := with(k.auditedWrites(), act("stray"))
		calls["AuditRows"] = func(ctx context.Context) error { return errOf(k.AuditRows(ctx, 0, 10)) }
		k.closed(calls)
	}},
	{"a reopened store has its rows", func(k *storeKit) {
		k.Need(k.Reopen != nil, "Reopen")
		k.succeed(k.auditedWrites())
		want := k.trail()
		k.Store = k.Reopen()
		k.Same(k.trail(), want, "the rows after reopening")
		for _, s := range k.saves() {
			k.mustLeave("a "+s.port, acts("later"), func() { k.OK(s.with(k.Context(), "other", act("later")), "Save") })
		}
	}},
}

func auditPages(k *storeKit) {
	k.Same(len(k.trail()), 0, "the number of rows of an empty store")
	k.eachSave(func(s *auditedSave) { k.OK(s.with(k.Context(), "id", acts("first", "second", "third")...), "Save") })
	all := k.trail()
	for limit := 1; limit < 5; limit++ {
		var after int64
		for rest := all; ; rest = rest[min(limit, len(rest)):] {
			page := kit.Got(k.AuditRows(k.Context(), after, limit)).OK(k, "AuditRows")
			k.Same(kit.OrNil(page), kit.OrNil(rest[:min(limit, len(rest))]), fmt.Sprint("a page of ", limit))
			if len(page) == 0 {
				break
			}
			after = page[len(page)-1].Seq
		}
	}
}

func auditNotAliased(k *storeKit) {
	k.eachSave(func(s *auditedSave) {
		in, want := acts("first", "second"), acts("first", "second")
		k.mustLeave("a change", want, func() { k.OK(s.with(k.Context(), "id", in...), "Save") })
		in[0], in[1].Object = in[1], "changed"
		for range 2 {
			got := kit.Got(k.AuditRows(k.Context(), 0, ports.MaxPage)).OK(k, "AuditRows")
			got = got[len(got)-len(want):]
			for i := range got {
				got[i].Seq = 0
			}
			k.sameRows(got, want, "a change after its rows were changed outside the store")
			got[0], got[1].Object = got[1], "changed"
		}
	})
}

func auditOfConflicts(k *storeKit) {
	k.eachSave(func(s *auditedSave) {
		k.OK(s.with(k.Context(), "id", act("first")), "Save")
		k.mustLeave("a save of a used id", nil, func() {
			k.Code(s.with(k.Context(), "id", acts("stray", "another")...), errcodes.Conflict, "Save")
		})
		k.mustLeave("a change that names an event twice", nil, func() {
			twice := []ports.Event{kit.Event("twice", "lock"), kit.Event("twice", "lock")}
			k.Code(s.save(k.Context(), "other", twice, nil, acts("stray")), errcodes.Conflict, "Save")
		})
		if k.Work != nil {
			k.mustLeave("a save of an existing work item", nil, func() {
				taken := []ports.WorkItem{job(s.port+" id", kit.Epoch)}
				k.Code(s.save(k.Context(), "other", nil, taken, acts("stray")), errcodes.Conflict, "Save")
			})
		}
		k.Code(s.read("other"), errcodes.NotFound, "reading a record that was rejected")
	})
}

func auditRefused(k *storeKit) {
	writes, long := k.auditedWrites(), strings.Repeat("x", ports.MaxAuditText+1)
	for name, spoil := range kit.ByName(map[string]func(*ports.AuditRow){
		"no act":         func(r *ports.AuditRow) { r.Act = "" },
		"no time":        func(r *ports.AuditRow) { r.At = time.Time{} },
		"a long act":     func(r *ports.AuditRow) { r.Act = long },
		"a long client":  func(r *ports.AuditRow) { r.Actor.Client = long },
		"a long address": func(r *ports.AuditRow) { r.Actor.Address = long },
		"a long trace":   func(r *ports.AuditRow) { r.Actor.Trace = long },
	}) {
		bad := act("stray")
		spoil(&bad)
		k.mustLeave("writes with "+name, nil, func() {
			for write, call := range kit.ByName(with(writes, bad)) {
				k.Case(name+", "+write, func() { k.Code(call(k.Context()), errcodes.InvalidRequest, write) })
			}
			k.eachSave(func(s *auditedSave) {
				k.Code(s.with(k.Context(), "id", act("good"), bad), errcodes.InvalidRequest, "Save")
			})
		})
	}
	k.succeed(writes)
}

func auditOfLostCommit(k *storeKit) {
	k.Need(k.LoseNextCommit != nil, "LoseNextCommit")
	k.eachSave(func(s *auditedSave) {
		rows := acts("first", "second")
		got := k.leaves(func() {
			k.LoseNextCommit()
			k.Code(s.with(k.Context(), "id", rows...), errcodes.OutcomeUnknown, "Save that loses its acknowledgement")
		})
		if errcodes.Of(s.read("id")) == errcodes.NotFound {
			k.sameRows(got, nil, "a change that is absent")
			got = k.leaves(func() { k.OK(s.with(k.Context(), "id", rows...), "Save") })
		}
		k.sameRows(got, rows, "a change that is there")
	})
}

func racerRows(i int) []ports.AuditRow {
	return acts(fmt.Sprintf("z%02d", i), fmt.Sprintf("m%02d", i), fmt.Sprintf("a%02d", i))
}

func auditOfRacers(k *storeKit) {
	k.eachSave(func(s *auditedSave) {
		var want []ports.AuditRow
		got := k.leaves(func() {
			for i, err := range kit.Race(kit.Racers, func(i int) error { return s.save(k.Context(), "raced", nil, nil, racerRows(i)) }) {
				if err == nil {
					want = append(want, racerRows(i)...)
					continue
				}
				k.Code(err, errcodes.Conflict, "a concurrent Save that lost")
			}
		})
		k.Same(len(want), len(racerRows(0)), "the number of the winner's rows")
		k.sameRows(got, want, "a race")
	})
}

func auditOfDeadLetters(k *storeKit) {
	k.Need(k.DeadLetters != nil && k.Outbox != nil && k.RateLocks != nil, "DeadLetters, Outbox and RateLocks")
	row, all := act("nothing"), []string{"a", "b", "c", "d\x00\xff"}
	kit.EachOf(k, map[string]func(ids ...string) (int, error){
		"replayed":  func(ids ...string) (int, error) { return k.DeadLetters.Replay(k.Context(), kit.Epoch, row, ids...) },
		"discarded": func(ids ...string) (int, error) { return k.DeadLetters.Discard(k.Context(), row, ids...) },
	}, func(name string, do func(ids ...string) (int, error)) {
		for _, id := range all {
			e := kit.Event(id, "lock of "+id)
			e.Owner = "owner of " + id
			k.carryEvents(e)
		}
		buryAll := func() {
			for _, e := range events.take(k, kit.Epoch, len(all)) {
				k.OK(k.Outbox.Bury(k.Context(), e, "no use"), "Bury")
			}
		}
		buryAll()
		leaves := func(what string, want []string, ids ...string) {
			got := k.leaves(func() { k.Same(kit.Got(do(ids...)).OK(k, what), len(want), "the number of events "+name) })
			slices.SortFunc(got, func(a, b ports.AuditRow) int { return cmp.Compare(a.Object, b.Object) })
			var rows []ports.AuditRow
			for _, id := range want {
				row := row
				row.Owner, row.Object = "owner of "+id, id
				rows = append(rows, row)
			}
			k.sameRows(got, rows, what)
		}
		leaves("a buried and an unknown event", all[1:2], "b", "b", "unknown")
		leaves("an event that is no longer buried", nil, "b")
		leaves("the rest", []string{all[0], all[2], all[3]}, all[3], all[2], all[0])
		buryAll()
		if name == "replayed" {
			leaves("all events", all)
			for _, e := range events.take(k, kit.Epoch, len(all)) {
				k.OK(k.Outbox.Ack(k.Context(), e), "Ack")
			}
		}
	})
}
