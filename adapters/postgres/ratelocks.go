package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

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

	insertBook = `saved AS (INSERT INTO corridor.books (owner, base, quote, version, high_water, live, live_locks)
		VALUES ($1, $2, $3, $4::bigint + 1, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING 1)`

	updateBook = `saved AS (UPDATE corridor.books SET version = version + 1, high_water = $5, live = $6, live_locks = $7
		WHERE owner = $1 AND base = $2 AND quote = $3 AND version = $4 RETURNING 1)`

	countSaved = ` SELECT count(*) FROM saved`

	// These divide by zero when a lock was left out, since nothing but an error
	// undoes a statement.
	countOneEnded = ` SELECT count(*) / (CASE WHEN count(*) = (SELECT count(*) FROM ended) THEN 1 ELSE 0 END) FROM saved`
	countTwoEnded = ` SELECT count(*) / (CASE WHEN 2 * count(*) = (SELECT count(*) FROM ended) + (SELECT count(*) FROM ended2) THEN 1 ELSE 0 END) FROM saved`
	countLocks    = ` SELECT count(*) / (CASE WHEN count(*) = 0 OR (SELECT count(*) FROM locks) = $8 THEN 1 ELSE 0 END)
		FROM saved`

	// endLock ends a lock that is active, which is what nearly every end finds. It
	// does not ask for the status: the index of a pair's active locks would then
	// look good to a planner without statistics.
	endLock = ` AS (UPDATE corridor.rate_locks
		SET status = ?::text, cancellation_reason = ?::text, ended_at = ?::timestamptz, observed_mid = ?::text, deviation_bps = ?::bigint
		WHERE id = ?::bytea AND (owner, base, quote) = ($1, $2, $3) AND ended_at IS NULL AND EXISTS (SELECT FROM saved)
		RETURNING 1)`

	lockFieldNames = `id, owner, base, quote, mid_rate, markup_bps, all_in_rate, mid_source, mid_at, tolerance_bps, created_at,
		expires_at, status, cancellation_reason, ended_at, observed_mid, deviation_bps`
)

var (
	insertLock = &statementPart{`, minted AS (INSERT INTO corridor.rate_locks (` + lockFieldNames + `)
		SELECT ?::bytea, $1, $2, $3, ?::text, ?::integer, ?::text, ?::text, ?::timestamptz, ?::integer, ?::timestamptz,
			?::timestamptz, ?::text, ?::text, ?::timestamptz, ?::text, ?::bigint FROM saved)`, 14}

	// putLocks inserts what was minted and updates what ended. The end of a lock
	// is for good (I4, I8): a row that ended otherwise, or that another lock has,
	// is left as it is, and then missing in the count of countLocks.
	putLocks = &statementPart{`, locks AS (INSERT INTO corridor.rate_locks AS l (` + lockFieldNames + `)
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

	endFirstLock, endSecondLock = &statementPart{", ended" + endLock, 6}, &statementPart{", ended2" + endLock, 6}

	insertBookPart, updateBookPart       = &statementPart{insertBook, 7}, &statementPart{updateBook, 7}
	insertBookOfArray, updateBookOfArray = &statementPart{insertBook, 8}, &statementPart{updateBook, 8}
	resultNoneEnds, resultOneEnds        = &statementPart{countSaved, 0}, &statementPart{countOneEnded, 0}
	resultTwoEnd                         = &statementPart{countTwoEnded, 0}
	resultOfArray                        = &statementPart{countLocks, 0}
)

// lockFields are the targets of lockColumns, in a listing or else of one lock.
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

func (r rateLocks) Live(ctx context.Context, q ports.LiveQuery) ([]ports.RateLock, error) {
	from, id := pageStart(q.After.At), q.After.ID
	if !q.Since.IsZero() && q.After.At.Before(q.Since) {
		from, id = optionalMillis(q.Since), ""
	}
	return r.list(ctx, q.Limit, selectLive, q.Pair.Base, q.Pair.Quote, from, []byte(id), q.Limit)
}

func (r rateLocks) Due(ctx context.Context, q ports.DueQuery) ([]ports.RateLock, error) {
	return r.list(ctx, q.Limit, selectDue, millis(q.By), pageStart(q.After.At), []byte(q.After.ID), q.Limit)
}

func (r rateLocks) list(ctx context.Context, limit int, query string, args ...any) ([]ports.RateLock, error) {
	if err := ports.CheckLimit(limit, ports.MaxPage); err != nil {
		return nil, err
	}
	return list(ctx, r.Store, query, args, func(rows pgx.Rows, l *ports.RateLock) error { return rows.Scan(lockFields(l, true)...) })
}

const staleBook = "The book has changed since it was read"

func (r rateLocks) Save(ctx context.Context, c ports.RateLockChange) error {
	if err := c.Check(); err != nil {
		return err
	}
	b := &c.Book
	args := []any{
		[]byte(b.Key.Owner), b.Key.Pair.Base, b.Key.Pair.Quote, b.Version, optionalMillis(b.HighWater), bookcodec.Append(nil, b),
		int16(len(b.Live())),
	}
	err := errLeftOut
	if query, parts, ok := scalarSave(&c); ok {
		err = r.save(ctx, query, staleBook, args, queued{c.Events, c.Work}, parts...)
	}
	if isLeftOut(err) {
		query, locks := arraySave(&c)
		err = r.save(ctx, query, staleBook, append(args, len(c.Locks)), queued{c.Events, c.Work}, locks)
	}
	return err
}

// scalarSave mints one lock at the most, and ends two at the most that are active
// until then: by scalars, which cost the server half of what arrays do.
func scalarSave(c *ports.RateLockChange) (q saveStatement, parts []boundPart, ok bool) {
	q = saveStatement{updateBookPart, resultNoneEnds}
	if c.Book.Version == 0 {
		q.with = insertBookPart
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
		parts = append(parts, boundPart{insertLock, lockArgs(l)})
	}
	for i, l := range ended {
		parts = append(parts, boundPart{[]*statementPart{endFirstLock, endSecondLock}[i], endArgs(l)})
	}
	q.result = []*statementPart{resultNoneEnds, resultOneEnds, resultTwoEnd}[len(ended)]
	return q, parts, true
}

// arraySave takes any number of locks, as arrays, and finds what becomes of each
// by itself.
func arraySave(c *ports.RateLockChange) (saveStatement, boundPart) {
	q := saveStatement{updateBookOfArray, resultOfArray}
	if c.Book.Version == 0 {
		q.with = insertBookOfArray
	}
	return q, boundPart{putLocks, locksArgs(c.Locks)}
}

// lockArgs gives the columns of a lock.
func lockArgs(l *ports.RateLock) []any {
	return []any{
		[]byte(l.ID), l.MidRate, l.MarkupBps, l.AllInRate, l.MidSource, optionalMillis(l.MidAt), l.ToleranceBps,
		millis(l.CreatedAt), millis(l.ExpiresAt), string(l.Status), optionalText(string(l.CancellationReason)),
		optionalMillis(l.EndedAt), optionalText(l.ObservedMid), l.DeviationBps,
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
		allIn[i], sources[i], midAt[i] = l.AllInRate, l.MidSource, optionalMillis(l.MidAt)
		tolerances[i], created[i], expires[i] = l.ToleranceBps, millis(l.CreatedAt), millis(l.ExpiresAt)
		statuses[i], reasons[i], ended[i] = string(l.Status), optionalText(string(l.CancellationReason)), optionalMillis(l.EndedAt)
		observed[i], deviations[i] = optionalText(l.ObservedMid), l.DeviationBps
	}
	return []any{
		ids, mids, markups, allIn, sources, midAt, tolerances, created, expires, statuses, reasons, ended, observed, deviations,
	}
}

// endArgs gives what the end of a lock sets, and its id.
func endArgs(l *ports.RateLock) []any {
	return []any{
		string(l.Status), optionalText(string(l.CancellationReason)), optionalMillis(l.EndedAt), optionalText(l.ObservedMid), l.DeviationBps,
		[]byte(l.ID),
	}
}
