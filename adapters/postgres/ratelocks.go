package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

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
)

// lockFields are the targets of lockColumns, in a listing or else of one lock.
func lockFields(l *ports.RateLock, inListing bool) []any {
	at := func(t *time.Time) any { return instant{t} }
	if inListing {
		at = func(t *time.Time) any { return anyInstant{t} }
	}
	return []any{
		raw{&l.ID}, raw{&l.Owner}, &l.Base, &l.Quote, &l.MidRate, &l.MarkupBps, &l.AllInRate, &l.MidSource, at(&l.MidAt),
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
		err = b.SetSlots(live)
	}
	if err != nil {
		return ports.RateLock{}, ports.Book{}, err
	}
	return l, b, nil
}

func (r rateLocks) Live(ctx context.Context, q ports.LiveQuery) ([]ports.RateLock, error) {
	from, id := place(q.After.At), q.After.ID
	if !q.Since.IsZero() && q.After.At.Before(q.Since) {
		from, id = millis(q.Since), ""
	}
	return r.list(ctx, q.Limit, selectLive, q.Pair.Base, q.Pair.Quote, from, []byte(id), q.Limit)
}

func (r rateLocks) Due(ctx context.Context, q ports.DueQuery) ([]ports.RateLock, error) {
	return r.list(ctx, q.Limit, selectDue, position(q.By), place(q.After.At), []byte(q.After.ID), q.Limit)
}

func (r rateLocks) list(ctx context.Context, limit int, query string, args ...any) ([]ports.RateLock, error) {
	if err := inRange(limit, maxPage); err != nil {
		return nil, err
	}
	return list(ctx, r.Store, query, args, func(rows pgx.Rows, l *ports.RateLock) error { return rows.Scan(lockFields(l, true)...) })
}
