package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/corridor-go/corridor/adapters/bookcodec"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

type rateLocks struct{ *Store }

const (
	lockColumns = `l.id, l.owner, l.base, l.quote, l.mid_rate, l.markup_bps, l.all_in_rate, l.mid_source, l.mid_at,
		l.tolerance_bps, l.created_at, l.expires_at, l.status, l.cancellation_reason, l.ended_at, l.observed_mid,
		l.deviation_bps`

	selectBook = `SELECT version, high_water, live FROM books WHERE owner = ? AND base = ? AND quote = ?`

	selectLock = `SELECT ` + lockColumns + `, b.version, b.high_water, b.live
		FROM rate_locks l JOIN books b ON b.owner = l.owner AND b.base = l.base AND b.quote = l.quote
		WHERE l.id = ? AND l.owner = ?`

	// Listings skip rows whose position is damaged, since no page could end there.
	selectLive = `SELECT ` + lockColumns + ` FROM rate_locks l
		WHERE l.status = 'active' AND l.base = ? AND l.quote = ? AND (l.created_at, l.id) > (?, ?)
			AND typeof(l.created_at) = 'integer'
		ORDER BY l.created_at, l.id LIMIT ?`

	selectDue = `SELECT ` + lockColumns + ` FROM rate_locks l
		WHERE l.status = 'active' AND l.expires_at <= ? AND (l.expires_at, l.id) > (?, ?)
			AND typeof(l.expires_at) = 'integer'
		ORDER BY l.expires_at, l.id LIMIT ?`

	selectOwned = `SELECT ` + lockColumns + ` FROM rate_locks l
		WHERE l.owner = ? AND (l.created_at, l.id) > (?, ?) AND typeof(l.created_at) = 'integer'
		ORDER BY l.created_at, l.id LIMIT ?`

	// The book is written first, under all conditions of the change, so a rejected
	// change has written nothing. The conditions on locks come between insertBook or
	// updateBook and insertBookEnd.
	insertBook    = `INSERT INTO books (version, high_water, live, owner, base, quote) SELECT ?, ?, ?, ?, ?, ? WHERE true`
	insertBookEnd = ` ON CONFLICT DO NOTHING`

	updateBook = `UPDATE books SET version = ?, high_water = ?, live = ?
		WHERE owner = ? AND base = ? AND quote = ? AND version = ?`

	lockIsNew    = ` AND NOT EXISTS (SELECT 1 FROM rate_locks WHERE id = ?)`
	lockIsActive = ` AND EXISTS (SELECT 1 FROM rate_locks
		WHERE id = ? AND owner = ? AND base = ? AND quote = ? AND status = 'active')`

	insertLock = `INSERT INTO rate_locks (id, owner, base, quote, mid_rate, markup_bps, all_in_rate, mid_source, mid_at,
		tolerance_bps, created_at, expires_at, status, cancellation_reason, ended_at, observed_mid, deviation_bps)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

	endLock = `UPDATE rate_locks
		SET status = ?, cancellation_reason = ?, ended_at = ?, observed_mid = ?, deviation_bps = ? WHERE id = ?`

	bookVersion = `SELECT version FROM books WHERE owner = ? AND base = ? AND quote = ?`

	hasLock = `SELECT count(*) FROM rate_locks WHERE id = ? AND owner = ?`
)

// lockFields returns the destinations of lockColumns.
func lockFields(l *ports.RateLock) []any {
	return []any{
		&l.ID, &l.Owner, &l.Base, &l.Quote, &l.MidRate, &l.MarkupBps, &l.AllInRate, &l.MidSource, instant{&l.MidAt},
		&l.ToleranceBps, instant{&l.CreatedAt}, instant{&l.ExpiresAt}, (*string)(&l.Status),
		text{(*string)(&l.CancellationReason)}, instant{&l.EndedAt}, text{&l.ObservedMid}, &l.DeviationBps,
	}
}

func (r rateLocks) Book(ctx context.Context, key ports.BookKey) (ports.Book, error) {
	b := ports.Book{Key: key}
	args := []any{blob(key.Owner), key.Pair.Base, key.Pair.Quote}
	dest := []any{&b.Version, instant{&b.HighWater}, slots{&b}}
	// The writing connection has this book's pages in its cache if the book was
	// saved last; a reading connection must fetch them after each write.
	err := r.usable(ctx)
	if err == nil && !r.write.peek(ctx, selectBook, args, dest) {
		err = r.scan(ctx, selectBook, args, dest...)
	}
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
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
	dest := append(lockFields(&l), &b.Version, instant{&b.HighWater}, &live)
	err := r.scan(ctx, selectLock, []any{blob(id), blob(owner)}, dest...)
	if errors.Is(err, sql.ErrNoRows) {
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
	if q.After.At.Before(q.Since) {
		q.After = ports.Pos{At: q.Since}
	}
	at, id := q.After.At.UnixMilli(), blob(q.After.ID)
	query, args := selectLive, []any{q.Pair.Base, q.Pair.Quote, at, id, q.Limit}
	if !q.DueBy.IsZero() {
		query, args = selectDue, []any{q.DueBy.UnixMilli(), at, id, q.Limit}
	} else if q.Owner != "" {
		query, args = selectOwned, []any{blob(q.Owner), at, id, q.Limit}
	}
	return list(ctx, r.Store, lockFields, query, args...)
}

func (r rateLocks) Save(ctx context.Context, c ports.RateLockChange) error {
	if err := c.Check(); err != nil {
		return err
	}
	return r.save(ctx,
		func(ctx context.Context, s *session) error { return saveRateLocks(ctx, s, &c) },
		func(ctx context.Context, s *session) (outcome, error) { return rateLockOutcome(ctx, s, &c) })
}

func saveRateLocks(ctx context.Context, s *session, c *ports.RateLockChange) error {
	if err := admitWork(ctx, s, c.Work); err != nil {
		return err
	}
	if err := saveBook(ctx, s, c); err != nil {
		return err
	}
	if c.Minted != nil {
		if err := addLock(ctx, s, c.Minted); err != nil {
			return err
		}
	}
	for i := range c.Ended {
		l := &c.Ended[i]
		if _, err := s.exec(ctx, endLock, string(l.Status), optionalText(string(l.CancellationReason)), optionalMillis(l.EndedAt),
			optionalText(l.ObservedMid), l.DeviationBps, blob(l.ID)); err != nil {
			return err
		}
	}
	return enqueue(ctx, s, queued{c.Events, c.Work, c.Audit})
}

func saveBook(ctx context.Context, s *session, c *ports.RateLockChange) error {
	b := &c.Book
	query, end := insertBook, insertBookEnd
	args := []any{
		b.Version + 1, optionalMillis(b.HighWater), bookcodec.Append(nil, b), blob(b.Key.Owner), b.Key.Pair.Base, b.Key.Pair.Quote,
	}
	if b.Version != 0 {
		query, end, args = updateBook, "", append(args, b.Version)
	}
	if c.Minted != nil {
		query += lockIsNew
		args = append(args, blob(c.Minted.ID))
	}
	query += strings.Repeat(lockIsActive, len(c.Ended))
	for i := range c.Ended {
		args = append(args, blob(c.Ended[i].ID), blob(b.Key.Owner), b.Key.Pair.Base, b.Key.Pair.Quote)
	}
	return s.mustChange(ctx, "The book has changed since it was read, a lock of the change has ended, or an id of it is taken",
		query+end, args...)
}

func addLock(ctx context.Context, s *session, l *ports.RateLock) error {
	_, err := s.exec(ctx, insertLock, blob(l.ID), blob(l.Owner), l.Base, l.Quote, l.MidRate, l.MarkupBps, l.AllInRate,
		l.MidSource, optionalMillis(l.MidAt), l.ToleranceBps, l.CreatedAt.UnixMilli(), l.ExpiresAt.UnixMilli(),
		string(l.Status), optionalText(string(l.CancellationReason)), optionalMillis(l.EndedAt),
		optionalText(l.ObservedMid), l.DeviationBps)
	return err
}

// rateLockOutcome looks for what only this change can have stored. If the book still
// has the version that the caller read, nothing is stored: versions only rise. A
// minted lock is never removed, so its row decides either way; otherwise the events
// decide.
func rateLockOutcome(ctx context.Context, s *session, c *ports.RateLockChange) (outcome, error) {
	var version int64
	key := c.Book.Key
	err := s.scan(ctx, bookVersion, []any{blob(key.Owner), key.Pair.Base, key.Pair.Quote}, &version)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return unknown, err
	}
	if version == c.Book.Version {
		return discarded, nil
	}
	if c.Minted != nil {
		return presence(ctx, s, discarded, hasLock, blob(c.Minted.ID), blob(c.Minted.Owner))
	}
	return outcomeOfEvents(ctx, s, c.Events)
}
