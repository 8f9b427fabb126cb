package postgres_test

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/storemodel"
)

// saved saves the record without events and returns it as it is stored.
func saved(tb testing.TB, store *postgres.Store, r ports.ValidationRecord) ports.ValidationRecord {
	tb.Helper()
	require.NoError(tb, store.Validations().Save(tb.Context(), ports.ValidationChange{Record: r}))
	r.Version++
	return r
}

func requireKept(tb testing.TB, store *postgres.Store, want ports.ValidationRecord) {
	tb.Helper()
	got, err := store.Validations().Validation(tb.Context(), want.Owner, want.ID)
	require.NoError(tb, err)
	require.Equal(tb, want, got)
}

// column returns the texts of a query that runs without the store.
func column(tb testing.TB, dsn, sql string) []string {
	tb.Helper()
	rows, err := connect(tb, dsn, nil).Query(tb.Context(), sql)
	require.NoError(tb, err)
	defer rows.Close()
	all := []string{}
	for rows.Next() {
		var s string
		require.NoError(tb, rows.Scan(&s))
		all = append(all, s)
	}
	require.NoError(tb, rows.Err())
	return all
}

// Eight writers of two processes end each of many validations differently (I18): at any
// isolation level one end succeeds, and only its event and work are stored.
func TestOneEndSucceeds(t *testing.T) {
	t.Parallel()
	for _, level := range levels {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			dsn := emptied(t)
			stores := []*postgres.Store{storeAt(t, dsn, level), storeAt(t, dsn, level)}
			const writers = 8
			n := rounds(10)
			var records []ports.ValidationRecord
			for i := range n {
				records = append(records, saved(t, stores[i%2], pendingAt("acme", strconv.Itoa(i))))
			}
			var won [writers][]bool
			for i := range won {
				won[i] = make([]bool, n)
			}
			var g errgroup.Group
			for i := range writers {
				g.Go(func() error {
					for k, r := range records {
						end := endedWith(r, storemodel.Ends[i%4])
						end.Provider = strconv.Itoa(i)
						change := withEvent(end)
						change.Events[0].ID, change.Work[0].ID = r.ID+" "+end.Provider, r.ID+" "+end.Provider
						err := stores[i%2].Validations().Save(t.Context(), change)
						if won[i][k] = err == nil; err != nil && errcodes.Of(err) != errcodes.Conflict {
							return err
						}
					}
					return nil
				})
			}
			require.NoError(t, g.Wait())
			var want []string
			for k, r := range records {
				got, err := stores[0].Validations().Validation(t.Context(), "acme", r.ID)
				require.NoError(t, err)
				require.EqualValues(t, 2, got.Version)
				for i := range writers {
					require.Equal(t, got.Provider == strconv.Itoa(i), won[i][k])
				}
				want = append(want, r.ID+" "+got.Provider)
			}
			require.ElementsMatch(t, want, column(t, dsn, "SELECT encode(id, 'escape') FROM corridor.events"))
			require.ElementsMatch(t, want, column(t, dsn, "SELECT encode(id, 'escape') FROM corridor.work_items"))
		})
	}
}

// An open transaction has ended the validation: a concurrent change waits and sees what
// is left after the transaction commits or rolls back.
func TestAnEndWaitsForAnotherAndLoses(t *testing.T) {
	t.Parallel()
	for end, want := range map[string]errcodes.Code{"COMMIT": errcodes.Conflict, "ROLLBACK": ""} {
		t.Run(end, func(t *testing.T) {
			t.Parallel()
			dsn := emptied(t)
			store := open(t, dsn, nil)
			r := saved(t, store, pendingAt("acme", "v"))
			other := holding(t, dsn, "UPDATE corridor.validations SET provider = 'other', version = version + 1")
			result := make(chan error, 1)
			go func() { result <- store.Validations().Save(t.Context(), withEvent(endedWith(r, ports.StatusVerified))) }()
			other.waitedFor(t)
			other.do(t, end)
			requireCode(t, want, <-result)
			events := 0
			if want == "" {
				events = 1
			}
			require.Len(t, column(t, dsn, "SELECT encode(id, 'escape') FROM corridor.events"), events)
		})
	}
}

// beside is a connection with an open transaction.
type beside struct {
	pool *pgxpool.Pool
	conn *pgxpool.Conn
}

func holding(tb testing.TB, dsn, sql string) *beside {
	tb.Helper()
	b := &beside{pool: connect(tb, dsn, nil)}
	var err error
	b.conn, err = b.pool.Acquire(tb.Context())
	require.NoError(tb, err)
	tb.Cleanup(b.conn.Release)
	b.do(tb, "BEGIN")
	b.do(tb, sql)
	return b
}

func (b *beside) do(tb testing.TB, sql string) {
	tb.Helper()
	_, err := b.conn.Exec(tb.Context(), sql)
	require.NoError(tb, err)
}

// waitedFor returns when another statement waits for this transaction.
func (b *beside) waitedFor(tb testing.TB) {
	tb.Helper()
	require.Eventually(tb, func() bool {
		var n int
		err := b.pool.QueryRow(tb.Context(), "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'").Scan(&n)
		return err == nil && n > 0
	}, patience, time.Millisecond)
}

// TestValidationsAtOnce is for the race detector: all methods share one pool.
func TestValidationsAtOnce(t *testing.T) {
	t.Parallel()
	store := open(t, emptied(t), nil)
	ctx := t.Context()
	var g errgroup.Group
	for i := range 8 {
		g.Go(func() error {
			key, holder := [32]byte{}, string(rune('a'+i))
			for n := range 10 {
				r := pendingAt("acme", holder+strconv.Itoa(n))
				r.PurgeAt = epoch.AddDate(0, 0, i%2)
				if err := store.Validations().Save(ctx, withEvent(r)); err != nil {
					return err
				}
				r.Version = 1
				if err := store.Validations().Save(ctx, withEvent(endedWith(r, ports.StatusVerified))); err != nil {
					return err
				}
				if err := useAll(ctx, store, key, holder); err != nil {
					return err
				}
			}
			return nil
		})
	}
	require.NoError(t, g.Wait())
	left, err := store.Validations().PurgeValidations(ctx, epoch.AddDate(1, 0, 0), 100)
	require.NoError(t, err)
	require.Equal(t, 40, left)
}

func useAll(ctx context.Context, store *postgres.Store, key [32]byte, holder string) error {
	if _, err := store.Validations().Overdue(ctx, epoch, ports.Pos{}, 10); err != nil {
		return err
	}
	if _, err := store.Answers().Claim(ctx, key, holder, epoch, epoch.Add(time.Minute)); err != nil {
		return err
	}
	if err := store.Answers().PutAnswer(ctx, ports.CachedAnswer{Key: key, Provider: holder}); err != nil {
		return err
	}
	if _, err := store.Answers().Answer(ctx, key); err != nil {
		return err
	}
	if err := store.Answers().Release(ctx, key, holder); err != nil {
		return err
	}
	_, err := store.Validations().PurgeValidations(ctx, epoch, 10)
	return err
}

// A value that PostgreSQL rejects is errcodes.InvalidRequest, not a failure of the store.
func TestTextsThatNoColumnAcceptsAreRejected(t *testing.T) {
	t.Parallel()
	store := open(t, emptied(t), nil)
	for name, spoil := range map[string]func(r *ports.ValidationRecord){
		"NUL in a country":          func(r *ports.ValidationRecord) { r.Market.Country = "N\x00A" },
		"invalid UTF-8":             func(r *ports.ValidationRecord) { r.Provider = "\xff" },
		"a score that is too large": func(r *ports.ValidationRecord) { r.NameScore = 1 << 40 },
	} {
		r := pendingAt("acme", strings.ReplaceAll(name, " ", "-"))
		spoil(&r)
		err := store.Validations().Save(t.Context(), withEvent(r))
		requireCode(t, errcodes.InvalidRequest, err)
		require.NotContains(t, err.Error(), "\xff")
	}
}
