package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

const (
	insertBook = `saved AS (INSERT INTO corridor.books (owner, base, quote, version, high_water, live, live_locks)
		VALUES ($1, $2, $3, $4::bigint + 1, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING 1)`

	updateBook = `saved AS (UPDATE corridor.books SET version = version + 1, high_water = $5, live = $6, live_locks = $7
		WHERE owner = $1 AND base = $2 AND quote = $3 AND version = $4 RETURNING 1)`

	bookSaved = `SELECT count(*) FROM saved`

	// locksSaved divides by zero when a lock was left out, since nothing but an
	// error undoes a statement.
	locksSaved = `SELECT count(*) / (CASE WHEN count(*) = 0 OR (SELECT count(*) FROM locks) = $8 THEN 1 ELSE 0 END)
		FROM saved`

	lockFieldNames = `id, owner, base, quote, mid_rate, markup_bps, all_in_rate, mid_source, mid_at, tolerance_bps, created_at,
		expires_at, status, cancellation_reason, ended_at, observed_mid, deviation_bps`
)

var (
	insertLock = &part{`, minted AS (INSERT INTO corridor.rate_locks (` + lockFieldNames + `)
		SELECT ?::bytea, $1, $2, $3, ?::text, ?::integer, ?::text, ?::text, ?::timestamptz, ?::integer, ?::timestamptz,
			?::timestamptz, ?::text, ?::text, ?::timestamptz, ?::text, ?::bigint FROM saved)`, 14}

	// putLocks inserts what was minted and updates what ended. The end of a lock
	// is for good (I4, I8): a row that ended otherwise, or that another lock has,
	// is left as it is, and then missing in the count of locksSaved.
	putLocks = &part{`, locks AS (INSERT INTO corridor.rate_locks AS l (` + lockFieldNames + `)
		SELECT v.id, $1, $2, $3, v.mid_rate, v.markup_bps, v.all_in_rate, v.mid_source, v.mid_at, v.tolerance_bps,
			v.created_at, v.expires_at, v.status, v.cancellation_reason, v.ended_at, v.observed_mid, v.deviation_bps
		FROM unnest(?::bytea[], ?::text[], ?::integer[], ?::text[], ?::text[], ?::timestamptz[], ?::integer[],
			?::timestamptz[], ?::timestamptz[], ?::text[], ?::text[], ?::timestamptz[], ?::text[], ?::bigint[])
			AS v (id, mid_rate, markup_bps, all_in_rate, mid_source, mid_at, tolerance_bps, created_at, expires_at, status,
				cancellation_reason, ended_at, observed_mid, deviation_bps)
		WHERE EXISTS (SELECT FROM saved)
		ON CONFLICT (id) DO UPDATE SET status = excluded.status, cancellation_reason = excluded.cancellation_reason,
			ended_at = excluded.ended_at, observed_mid = excluded.observed_mid, deviation_bps = excluded.deviation_bps
		WHERE excluded.status <> 'active' AND (l.owner, l.base, l.quote) = (excluded.owner, excluded.base, excluded.quote)
			AND (l.status = 'active' OR (l.status, l.cancellation_reason, l.ended_at, l.observed_mid, l.deviation_bps)
				IS NOT DISTINCT FROM (excluded.status, excluded.cancellation_reason, excluded.ended_at, excluded.observed_mid,
					excluded.deviation_bps))
		RETURNING 1)`, 14}

	firstSave     = newSaving(insertBook, bookSaved, 7)
	laterSave     = newSaving(updateBook, bookSaved, 7)
	firstSaveMany = newSaving(insertBook, locksSaved, 8)
	laterSaveMany = newSaving(updateBook, locksSaved, 8)
)

func (r rateLocks) Save(ctx context.Context, c ports.RateLockChange) error {
	for i := range c.Locks {
		if c.Locks[i].Book() != c.Book.Key {
			return errcodes.New(errcodes.InvalidRequest, "A lock of the change belongs to another book")
		}
	}
	b := &c.Book
	args := make([]any, 0, 48)
	args = append(args, []byte(b.Key.Owner), b.Key.Pair.Base, b.Key.Pair.Quote, b.Version, millis(b.HighWater),
		bytesOf(b.AppendSlots(nil)), int16(len(b.Live())))
	query := firstSave
	if b.Version != 0 {
		query = laterSave
	}
	minted, others := parted(c.Locks)
	var pieces []piece
	if minted != nil {
		pieces = append(pieces, piece{insertLock, lockArgs(minted)})
	}
	if len(others) > 0 {
		query = firstSaveMany
		if b.Version != 0 {
			query = laterSaveMany
		}
		args = append(args, len(others))
		pieces = append(pieces, piece{putLocks, locksArgs(others)})
	}
	return r.save(ctx, query, "The book has changed since it was read", args, carried{c.Events, c.Work}, pieces...)
}

// parted gives the one lock that was minted, if there is just one, and the others.
func parted(locks []ports.RateLock) (minted *ports.RateLock, others []ports.RateLock) {
	for i := range locks {
		if locks[i].Status != ports.LockActive {
			continue
		}
		if minted != nil {
			return nil, locks
		}
		minted = &locks[i]
	}
	if minted == nil {
		return nil, locks
	}
	return minted, slices.DeleteFunc(slices.Clone(locks), func(l ports.RateLock) bool { return l.Status == ports.LockActive })
}

// lockArgs gives the columns of a lock.
func lockArgs(l *ports.RateLock) []any {
	return []any{
		[]byte(l.ID), l.MidRate, int32(l.MarkupBps), l.AllInRate, l.MidSource, millis(l.MidAt), int32(l.ToleranceBps),
		position(l.CreatedAt), position(l.ExpiresAt), string(l.Status), optional(string(l.CancellationReason)),
		millis(l.EndedAt), optional(l.ObservedMid), l.DeviationBps,
	}
}

// locksArgs gives the columns of locks, as arrays.
func locksArgs(locks []ports.RateLock) []any {
	n := len(locks)
	ids, mids, markups := make([][]byte, n), make([]string, n), make([]int32, n)
	allIn, sources, midAt := make([]string, n), make([]string, n), make([]pgtype.Timestamptz, n)
	tolerances, created, expires := make([]int32, n), make([]time.Time, n), make([]time.Time, n)
	statuses, reasons, ended := make([]string, n), make([]pgtype.Text, n), make([]pgtype.Timestamptz, n)
	observed, deviations := make([]pgtype.Text, n), make([]int64, n)
	for i := range locks {
		l := &locks[i]
		ids[i], mids[i], markups[i] = []byte(l.ID), l.MidRate, int32(l.MarkupBps)
		allIn[i], sources[i], midAt[i] = l.AllInRate, l.MidSource, millis(l.MidAt)
		tolerances[i], created[i], expires[i] = int32(l.ToleranceBps), position(l.CreatedAt), position(l.ExpiresAt)
		statuses[i], reasons[i], ended[i] = string(l.Status), optional(string(l.CancellationReason)), millis(l.EndedAt)
		observed[i], deviations[i] = optional(l.ObservedMid), l.DeviationBps
	}
	return []any{
		ids, mids, markups, allIn, sources, midAt, tolerances, created, expires, statuses, reasons, ended, observed, deviations,
	}
}
