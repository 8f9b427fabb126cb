package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/corridor-go/corridor/ports"
)

func (r rateLocks) Save(ctx context.Context, c ports.RateLockChange) error {
	if err := c.Check(); err != nil {
		return err
	}
	b := &c.Book
	args := []any{
		[]byte(b.Key.Owner), b.Key.Pair.Base, b.Key.Pair.Quote, b.Version, millis(b.HighWater), bytesOf(b.AppendSlots(nil)),
		int16(len(b.Live())),
	}
	err := errLeftOut
	if query, pieces, ok := usualSave(&c); ok {
		err = r.save(ctx, query, staleBook, args, carried{c.Events, c.Work}, pieces...)
	}
	if isLeftOut(err) {
		query, piece := anySave(&c)
		err = r.save(ctx, query, staleBook, append(args, len(c.Locks)), carried{c.Events, c.Work}, piece)
	}
	return err
}

const staleBook = "The book has changed since it was read"

// usualSave mints one lock at the most, and ends two at the most that are active
// until then: by scalars, which cost the server half of what arrays do.
func usualSave(c *ports.RateLockChange) (q saving, pieces []piece, ok bool) {
	q = saving{nextBook, noneEnds}
	if c.Book.Version == 0 {
		q.with = newBook
	}
	var minted, ended []*ports.RateLock
	for i := range c.Locks {
		if l := &c.Locks[i]; l.Status == ports.LockActive {
			minted = append(minted, l)
		} else {
			ended = append(ended, l)
		}
	}
	if len(minted) > 1 || len(ended) > 2 {
		return q, nil, false
	}
	for _, l := range minted {
		pieces = append(pieces, piece{insertLock, lockArgs(l)})
	}
	for i, l := range ended {
		pieces = append(pieces, piece{[]*part{endFirst, endSecond}[i], endArgs(l)})
	}
	q.result = []*part{noneEnds, oneEnds, twoEnd}[len(ended)]
	return q, pieces, true
}

// anySave finds what becomes of each lock by itself.
func anySave(c *ports.RateLockChange) (saving, piece) {
	q := saving{bookCounted, allCounted}
	if c.Book.Version == 0 {
		q.with = newBookCounted
	}
	return q, piece{putLocks, locksArgs(c.Locks)}
}

// endArgs gives what the end of a lock sets, and its id.
func endArgs(l *ports.RateLock) []any {
	return []any{
		string(l.Status), optional(string(l.CancellationReason)), millis(l.EndedAt), optional(l.ObservedMid), l.DeviationBps,
		[]byte(l.ID),
	}
}

// lockArgs gives the columns of a lock.
func lockArgs(l *ports.RateLock) []any {
	return []any{
		[]byte(l.ID), l.MidRate, l.MarkupBps, l.AllInRate, l.MidSource, millis(l.MidAt), l.ToleranceBps,
		position(l.CreatedAt), position(l.ExpiresAt), string(l.Status), optional(string(l.CancellationReason)),
		millis(l.EndedAt), optional(l.ObservedMid), l.DeviationBps,
	}
}

// locksArgs gives the columns of locks, as arrays.
func locksArgs(locks []ports.RateLock) []any {
	n := len(locks)
	ids, mids, markups := make([][]byte, n), make([]string, n), make([]int, n)
	allIn, sources, midAt := make([]string, n), make([]string, n), make([]pgtype.Timestamptz, n)
	tolerances, created, expires := make([]int, n), make([]time.Time, n), make([]time.Time, n)
	statuses, reasons, ended := make([]string, n), make([]pgtype.Text, n), make([]pgtype.Timestamptz, n)
	observed, deviations := make([]pgtype.Text, n), make([]int64, n)
	for i := range locks {
		l := &locks[i]
		ids[i], mids[i], markups[i] = []byte(l.ID), l.MidRate, l.MarkupBps
		allIn[i], sources[i], midAt[i] = l.AllInRate, l.MidSource, millis(l.MidAt)
		tolerances[i], created[i], expires[i] = l.ToleranceBps, position(l.CreatedAt), position(l.ExpiresAt)
		statuses[i], reasons[i], ended[i] = string(l.Status), optional(string(l.CancellationReason)), millis(l.EndedAt)
		observed[i], deviations[i] = optional(l.ObservedMid), l.DeviationBps
	}
	return []any{
		ids, mids, markups, allIn, sources, midAt, tolerances, created, expires, statuses, reasons, ended, observed, deviations,
	}
}
