package postgres_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// counting is a plausible but wrong store: instead of comparing a version, a save locks
// the book, counts its live locks, and inserts one more if there is room. In one
// statement that is wrong at READ COMMITTED: the statement's snapshot is older than its
// lock.
type counting struct {
	*pgxpool.Pool
	ports.RateLockStore

	lock   string // takes the lock; $1 is the book's owner
	before bool   // in a separate statement, which makes the design correct
}

const (
	byAdvisoryLock = `SELECT pg_advisory_xact_lock(hashtextextended(encode($1, 'hex'), 0))`
	byRowLock      = `SELECT 1 FROM corridor.books WHERE owner = $1 FOR UPDATE`

	// roomFor counts after the lock, by a lateral join to the locked row.
	roomFor = `SELECT count(r.id) AS n FROM locked LEFT JOIN LATERAL
		(SELECT id FROM corridor.rate_locks WHERE owner = $1 AND status = 'active' OFFSET 0) r ON true`

	insertCounted = ` INSERT INTO corridor.rate_locks (id, owner, base, quote, mid_rate, markup_bps, all_in_rate, mid_source,
			tolerance_bps, created_at, expires_at, mid_at, status, deviation_bps)
		SELECT $2, $1, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 'active', 0 FROM room WHERE n < 2`
)

// Book returns the newest locks, as a query with a separate snapshot would.
func (c counting) Book(ctx context.Context, key ports.BookKey) (ports.Book, error) {
	all, err := c.RateLockStore.List(ctx, ports.LockQuery{Pair: key.Pair, Limit: 1000})
	b := ports.Book{Key: key}
	for i := range all {
		if all[i].Owner == key.Owner {
			b.Slots[0], b.Slots[1] = b.Slots[1], all[i]
			b.HighWater = all[i].CreatedAt
		}
	}
	if b.Slots[0].ID == "" {
		b.Slots[0], b.Slots[1] = b.Slots[1], ports.RateLock{}
	}
	return b, err
}

func (c counting) Save(ctx context.Context, change ports.RateLockChange) error {
	l := change.Minted
	args := []any{
		[]byte(l.Owner), []byte(l.ID), l.Base, l.Quote, l.MidRate, l.MarkupBps, l.AllInRate, l.MidSource, l.ToleranceBps,
		l.CreatedAt, l.ExpiresAt, l.MidAt,
	}
	statement := `WITH locked AS MATERIALIZED (` + c.lock + `), room AS (` + roomFor + `)` + insertCounted
	if c.before {
		statement = `WITH locked AS (SELECT 1), room AS (` + roomFor + `)` + insertCounted
	}
	return pgx.BeginFunc(ctx, c.Pool, func(tx pgx.Tx) error {
		if c.before {
			if _, err := tx.Exec(ctx, c.lock, args[0]); err != nil {
				return err
			}
		}
		tag, err := tx.Exec(ctx, statement, args...)
		if err == nil && tag.RowsAffected() == 0 {
			return errcodes.New(errcodes.Conflict, "The book is full")
		}
		return err
	})
}

// Both the model and counting detect designs that violate I1. The same designs with the
// lock in a separate statement, and the store itself, pass the same race, so it is the
// design that is detected. The test has the lock until all racers wait for it.
func TestWrongDesignsAreCaught(t *testing.T) {
	pool := connect(t, emptied(t), func(c *pgxpool.Config) { c.MaxConns = wrongRacers })
	store := on(t, pool, nil).RateLocks()
	for name, c := range map[string]struct {
		store ports.RateLockStore
		wrong bool
	}{
		"an advisory lock, and a count in the same statement": {counting{pool, store, byAdvisoryLock, false}, true},
		"FOR UPDATE, and a count in the same statement":       {counting{pool, store, byRowLock, false}, true},
		"an advisory lock in a separate statement":            {counting{pool, store, byAdvisoryLock, true}, false},
		"FOR UPDATE in a separate statement":                  {counting{pool, store, byRowLock, true}, false},
		"compare-and-swap":                                    {store, false},
	} {
		t.Run(name, func(t *testing.T) {
			ops := raceAlone(t, pool, c.store, ports.BookKey{Owner: name, Pair: usdZAR})
			mints := mintsOf(ops)
			verdict := porcupine.CheckOperationsTimeout(sequentialCap, lockSteps(ops), patience)
			t.Logf("%d locks, %s", mints, verdict)
			require.Equal(t, c.wrong, mints > ports.MaxLiveLocks)
			require.Equal(t, c.wrong, verdict == porcupine.Illegal)
			require.Empty(t, historyFaults(ops))
		})
	}
}

const wrongRacers = 16

// raceAlone runs racers on a fresh book, each with a separate worker: racers of one worker
// would queue.
func raceAlone(t *testing.T, pool *pgxpool.Pool, store ports.RateLockStore, book ports.BookKey) []lockOp {
	t.Helper()
	_, err := pool.Exec(t.Context(), `INSERT INTO corridor.books (owner, base, quote, version, live, live_locks)
		SELECT $1, $2, $3, 1, '', 0 WHERE $4`, []byte(book.Owner), book.Pair.Base, book.Pair.Quote, needsRow(store))
	require.NoError(t, err)
	release := held(t, pool, store, book)
	o := historyOrder{Books: []ports.BookKey{book}, Origin: monotonic(), Racers: 1}
	store = &together{RateLockStore: store, racers: wrongRacers, all: make(chan struct{})}
	var mu sync.Mutex
	var ops []lockOp
	var wg sync.WaitGroup
	for i := range wrongRacers {
		o.Skew = time.Duration(i) * time.Millisecond // no two locks have the same instant, so that only the cap can be violated
		w := newHistoryWorker(t, i, store, o)
		wg.Go(func() {
			r := w.work()
			mu.Lock()
			defer mu.Unlock()
			ops = append(ops, r.Ops...)
		})
	}
	release()
	wg.Wait()
	return ops
}

// held takes the lock that a store takes. The returned function releases it once all
// racers wait for it: each statement of theirs then has begun, and none has an effect.
func held(t *testing.T, pool *pgxpool.Pool, store ports.RateLockStore, book ports.BookKey) (release func()) {
	t.Helper()
	c, ok := store.(counting)
	if !ok {
		return func() {}
	}
	beside := connect(t, pool.Config().ConnString(), nil)
	tx, err := beside.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), c.lock, []byte(book.Owner))
	require.NoError(t, err)
	return func() {
		require.Eventually(t, func() bool {
			var waiting int
			err := beside.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity
				WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waiting)
			return err == nil && waiting >= wrongRacers
		}, patience, time.Millisecond)
		require.NoError(t, tx.Commit(t.Context()))
	}
}

// needsRow reports whether a store locks the book's row, which must exist then.
func needsRow(store ports.RateLockStore) bool {
	c, ok := store.(counting)
	return ok && c.lock == byRowLock
}

// together makes the first reads of a book wait for each other, so that all racers save
// at once.
type together struct {
	ports.RateLockStore

	mu     sync.Mutex
	racers int
	all    chan struct{}
}

func (s *together) Book(ctx context.Context, key ports.BookKey) (ports.Book, error) {
	b, err := s.RateLockStore.Book(ctx, key)
	s.mu.Lock()
	if s.racers--; s.racers == 0 {
		close(s.all)
	}
	s.mu.Unlock()
	<-s.all
	return b, err
}
