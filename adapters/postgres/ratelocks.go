package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/corridor-go/corridor/adapters/bookcodec"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

type rateLocks struct{ *Store }

const (
	lockColumns = `l.id, l.owner, l.base, l.quote, l.mid_rate, l.markup_bps, l.all_in_rate, l.mid_source, l.mid_at,
		l.tolerance_bps, l.created_at, l.expires_at, l.status, l.cancellation_reason, l.ended_at, l.observed_mid,
		l.deviation_bps`

	selectBook = `SELECT version, high_water, live FROM corridor.books WHERE owner = $1 AND base = $2 AND quote = $3`

	selectLock = `SELECT ` + lockColumns + `, b.version, b.high_water, b.live
		FROM corridor.rate_locks l JOIN corridor.books b ON b.owner = l.owner AND b.base = l.base AND b.quote = l.quote
		WHERE l.id = $1 AND l.owner = $2`

	selectLive = `SELECT ` + lockColumns + ` FROM corridor.rate_locks l
		WHERE l.status = 'active' AND l.base = $1 AND l.quote = $2 AND (l.created_at, l.id) > ($3, $4)
		ORDER BY l.created_at, l.id LIMIT $5`

	selectDue = `SELECT ` + lockColumns + ` FROM corridor.rate_locks l
		WHERE l.status = 'active' AND l.expires_at <= $1 AND (l.expires_at, l.id) > ($2, $3)
		ORDER BY l.expires_at, l.id LIMIT $4`

	selectOwned = `SELECT ` + lockColumns + ` FROM corridor.rate_locks l
		WHERE l.owner = $1 AND (l.created_at, l.id) > ($2, $3)
		ORDER BY l.created_at, l.id LIMIT $4`

	insertBook = `saved AS (INSERT INTO corridor.books (owner, base, quote, version, high_water, live, live_locks)
		VALUES ($1, $2, $3, $4::bigint + 1, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING 1)`

	updateBook = `saved AS (UPDATE corridor.books SET version = version + 1, high_water = $5, live = $6, live_locks = $7
		WHERE owner = $1 AND base = $2 AND quote = $3 AND version = $4%s RETURNING 1)`

	// activeLock is the condition for ending a lock. All writes of a book's locks
	// change the book's version, so a snapshot that shows the expected version shows
	// the locks' current rows. The condition does not use status: without statistics
	// the planner would then prefer the index of a pair's active locks.
	activeLock = ` AND EXISTS (SELECT FROM corridor.rate_locks
		WHERE id = %s::bytea AND (owner, base, quote) = ($1, $2, $3) AND ended_at IS NULL)`

	endLock = `, ended%[1]d AS (UPDATE corridor.rate_locks
		SET status = ?::text, cancellation_reason = ?::text, ended_at = ?::timestamptz, observed_mid = ?::text, deviation_bps = ?::bigint
		FROM saved WHERE id = %[2]s::bytea)`
)

var (
	insertLock = &statementPart{`, minted AS (INSERT INTO corridor.rate_locks (id, owner, base, quote, mid_rate, markup_bps, all_in_rate,
			mid_source, mid_at, tolerance_bps, created_at, expires_at, status, cancellation_reason, ended_at, observed_mid, deviation_bps)
		SELECT ?::bytea, $1, $2, $3, ?::text, ?::integer, ?::text, ?::text, ?::timestamptz, ?::integer, ?::timestamptz,
			?::timestamptz, ?::text, ?::text, ?::timestamptz, ?::text, ?::bigint FROM saved)`, 14}

	// createBook ends no lock. changeBook has a statement for each number of ended
	// locks, whose ids are its last arguments, and endedLock a part for each of them.
	createBook = newSaveStatement(insertBook, 7)
	changeBook = [...]saveStatement{
		newSaveStatement(fmt.Sprintf(updateBook, ""), 7),
		newSaveStatement(fmt.Sprintf(updateBook, fmt.Sprintf(activeLock, "$8")), 8),
		newSaveStatement(fmt.Sprintf(updateBook, fmt.Sprintf(activeLock, "$8")+fmt.Sprintf(activeLock, "$9")), 9),
	}
	endedLock = [...]*statementPart{{fmt.Sprintf(endLock, 1, "$8"), 5}, {fmt.Sprintf(endLock, 2, "$9"), 5}}
)

// lockFields returns the destinations of lockColumns, in a listing or of one lock.
func lockFields(l *ports.RateLock, inListing bool) []any {
	at := func(t *time.Time) any { return instant{t} }
	if inListing {
		at = func(t *time.Time) any { return lenientInstant{t} }
	}
	return []any{
		byteString{&l.ID}, byteString{&l.Owner}, &l.Base, &l.Quote, &l.MidRate, &l.MarkupBps, &l.AllInRate, &l.MidSource, at(&l.MidAt),
		&l.ToleranceBps, at(&l.CreatedAt), at(&l.ExpiresAt), (*string)(&l.Status),
		text{(*string)(&l.CancellationReason)}, at(&l.EndedAt), text{&l.ObservedMid}, &l.DeviationBps,
	}
}

func (r rateLocks) Book(ctx context.Context, key ports.BookKey) (ports.Book, error) {
	b := ports.Book{Key: key}
	err := r.row(ctx, selectBook, []any{[]byte(key.Owner), key.Pair.Base, key.Pair.Quote},
		&b.Version, instant{&b.HighWater}, slots{&b})
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return ports.Book{}, err
	}
	return b, nil
}

func (r rateLocks) Lock(ctx context.Context, owner, id string) (ports.RateLock, ports.Book, error) {
	var (
		l    ports.RateLock
		b    ports.Book
		live []byte
	)
	dest := append(lockFields(&l, false), &b.Version, instant{&b.HighWater}, &live)
	err := r.row(ctx, selectLock, []any{[]byte(id), []byte(owner)}, dest...)
	if errors.Is(err, pgx.ErrNoRows) {
		err = errcodes.New(errcodes.NotFound, "No such rate lock")
	}
	if err == nil {
		b.Key = l.Book()
		err = bookcodec.Read(&b, live)
	}
	if err != nil {
		return ports.RateLock{}, ports.Book{}, err
	}
	return l, b, nil
}

func (r rateLocks) List(ctx context.Context, q ports.LockQuery) ([]ports.RateLock, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	at, id := pageStart(q.After.At), []byte(q.After.ID)
	if !q.Since.IsZero() && q.After.At.Before(q.Since) {
		at, id = optionalMillis(q.Since), []byte{}
	}
	query, args := selectLive, []any{q.Pair.Base, q.Pair.Quote, at, id, q.Limit}
	if !q.DueBy.IsZero() {
		query, args = selectDue, []any{millis(q.DueBy), at, id, q.Limit}
	} else if q.Owner != "" {
		query, args = selectOwned, []any{[]byte(q.Owner), at, id, q.Limit}
	}
	return list(ctx, r.Store, func(l *ports.RateLock) []any { return lockFields(l, true) }, query, args...)
}

const staleBook = "The book has changed since it was read, or a lock of the change has ended"

func (r rateLocks) Save(ctx context.Context, c ports.RateLockChange) error {
	if err := c.Check(); err != nil {
		return err
	}
	b := &c.Book
	args := []any{
		[]byte(b.Key.Owner), b.Key.Pair.Base, b.Key.Pair.Quote, b.Version, optionalMillis(b.HighWater), bookcodec.Append(nil, b),
		int16(len(b.Live())),
	}
	if b.Version == 0 && len(c.Ended) > 0 {
		return errcodes.New(errcodes.Conflict, staleBook)
	}
	query := createBook
	if b.Version != 0 {
		query = changeBook[len(c.Ended)]
	}
	var parts []boundPart
	if c.Minted != nil {
		parts = append(parts, boundPart{insertLock, lockArgs(c.Minted)})
	}
	for i := range c.Ended {
		l := &c.Ended[i]
		args = append(args, []byte(l.ID))
		parts = append(parts, boundPart{endedLock[i], []any{
			string(l.Status), optionalText(string(l.CancellationReason)), optionalMillis(l.EndedAt), optionalText(l.ObservedMid), l.DeviationBps,
		}})
	}
	return r.save(ctx, query, staleBook, args, queued{c.Events, c.Work, c.Audit}, parts...)
}

// lockArgs returns a lock's values that are not its book's, for insertLock.
func lockArgs(l *ports.RateLock) []any {
	return []any{
		[]byte(l.ID), l.MidRate, l.MarkupBps, l.AllInRate, l.MidSource, optionalMillis(l.MidAt), l.ToleranceBps,
		millis(l.CreatedAt), millis(l.ExpiresAt), string(l.Status), optionalText(string(l.CancellationReason)),
		optionalMillis(l.EndedAt), optionalText(l.ObservedMid), l.DeviationBps,
	}
}
