package postgres

import (
	"context"
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

	// insertLocks inserts what was minted and updates what ended. The end of a
	// lock is for good (I4, I8): a row that ended otherwise, or that another lock
	// has, is left as it is, and then missing in the count of locksSaved.
	insertLocks = `, locks AS (INSERT INTO corridor.rate_locks AS l (id, owner, base, quote, mid_rate, markup_bps, all_in_rate,
			mid_source, mid_at, tolerance_bps, created_at, expires_at, status, cancellation_reason, ended_at, observed_mid,
			deviation_bps)
		SELECT v.id, $1, $2, $3, v.mid_rate, v.markup_bps, v.all_in_rate, v.mid_source, v.mid_at, v.tolerance_bps,
			v.created_at, v.expires_at, v.status, v.cancellation_reason, v.ended_at, v.observed_mid, v.deviation_bps
		FROM unnest($8::bytea[], $9::text[], $10::integer[], $11::text[], $12::text[], $13::timestamptz[], $14::integer[],
			$15::timestamptz[], $16::timestamptz[], $17::text[], $18::text[], $19::timestamptz[], $20::text[], $21::bigint[])
			AS v (id, mid_rate, markup_bps, all_in_rate, mid_source, mid_at, tolerance_bps, created_at, expires_at, status,
				cancellation_reason, ended_at, observed_mid, deviation_bps)
		WHERE EXISTS (SELECT FROM saved)
		ON CONFLICT (id) DO UPDATE SET status = excluded.status, cancellation_reason = excluded.cancellation_reason,
			ended_at = excluded.ended_at, observed_mid = excluded.observed_mid, deviation_bps = excluded.deviation_bps
		WHERE excluded.status <> 'active' AND (l.owner, l.base, l.quote) = (excluded.owner, excluded.base, excluded.quote)
			AND (l.status = 'active' OR (l.status, l.cancellation_reason, l.ended_at, l.observed_mid, l.deviation_bps)
				IS NOT DISTINCT FROM (excluded.status, excluded.cancellation_reason, excluded.ended_at, excluded.observed_mid,
					excluded.deviation_bps))
		RETURNING 1)`

	// locksSaved divides by zero when a lock was left out, since nothing but an
	// error undoes a statement.
	locksSaved = `SELECT count(*) / (CASE WHEN count(*) = 0 OR (SELECT count(*) FROM locks) = cardinality($8) THEN 1 ELSE 0 END)
		FROM saved`
)

var (
	mintBook = newSaving(insertBook+insertLocks, locksSaved, 21)
	moveBook = newSaving(updateBook+insertLocks, locksSaved, 21)
)

func (r rateLocks) Save(ctx context.Context, c ports.RateLockChange) error {
	for i := range c.Locks {
		if c.Locks[i].Book() != c.Book.Key {
			return errcodes.New(errcodes.InvalidRequest, "A lock of the change belongs to another book")
		}
	}
	query, b := mintBook, &c.Book
	if b.Version != 0 {
		query = moveBook
	}
	args := make([]any, 0, 32)
	args = append(args, []byte(b.Key.Owner), b.Key.Pair.Base, b.Key.Pair.Quote, b.Version, millis(b.HighWater),
		bytesOf(b.AppendSlots(nil)), int16(len(b.Live())))
	return r.save(ctx, query, "The book has changed since it was read", lockArgs(args, c.Locks), carried{c.Events, c.Work})
}

// lockArgs appends the columns of the locks.
func lockArgs(args []any, locks []ports.RateLock) []any {
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
	return append(args, ids, mids, markups, allIn, sources, midAt, tolerances, created, expires, statuses, reasons, ended,
		observed, deviations)
}
