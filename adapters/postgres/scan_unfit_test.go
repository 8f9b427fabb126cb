package postgres_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// everything is a hook that wants everything and returns err.
type everything struct{ err error }

func (everything) Wants(string) bool { return true }

func (h everything) Enqueue(context.Context, pgx.Tx, []ports.Event, []ports.WorkItem) error {
	return h.err
}

// unencodable is an embedder's codec that cannot encode.
type unencodable struct{ pgtype.Codec }

func (u unencodable) PlanEncode(*pgtype.Map, uint32, int16, any) pgtype.EncodePlan { return u }

func (unencodable) Encode(any, []byte) ([]byte, error) {
	return nil, errors.New("no timestamptz today")
}

func withoutTimes(_ context.Context, conn *pgx.Conn) error {
	known, _ := conn.TypeMap().TypeForOID(pgtype.TimestamptzOID)
	conn.TypeMap().RegisterType(&pgtype.Type{Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: unencodable{known.Codec}})
	return nil
}

// Nothing was sent, so the outcome is known, and neither the database nor the network is
// the cause.
func TestAValueThatCannotBeEncodedIsRejected(t *testing.T) {
	t.Parallel()
	dsn := emptied(t)
	statements := new(statements)
	pool := connect(t, dsn, func(c *pgxpool.Config) {
		c.AfterConnect = withoutTimes
		statements.trace(c)
	})
	change := mint(ports.Book{Key: keyOf("acme")}, activeLock("acme", "rl_1", epoch))
	for name, do := range map[string]func(*postgres.Store, context.Context) error{
		"a save": func(s *postgres.Store, ctx context.Context) error { return s.RateLocks().Save(ctx, change) },
		"a claim": func(s *postgres.Store, ctx context.Context) error {
			_, err := s.Work().Claim(ctx, "kind", epoch, lease, 1)
			return err
		},
		"a read": func(s *postgres.Store, ctx context.Context) error {
			_, err := s.RateLocks().List(ctx, ports.LockQuery{DueBy: epoch, Limit: 1})
			return err
		},
	} {
		for _, hook := range []postgres.Hook{nil, everything{}} {
			store := on(t, pool, &postgres.Config{Hook: hook})
			began := func() (n int) {
				statements.of(t, func() error { requireRefused(t, do(store, t.Context()), name); return nil })
				for _, s := range statements.all {
					n += min(1, len(s.Args))
				}
				return n
			}
			require.Equal(t, 1, began(), "%s is tried again", name)
		}
	}
	require.Zero(t, bookOf(t, open(t, dsn, nil), "acme").Version)
}

func requireRefused(t *testing.T, err error, name string) {
	t.Helper()
	require.Equal(t, errcodes.InvalidRequest, errcodes.Of(err), "%s: %v", name, err)
	require.NotContains(t, err.Error(), "timestamptz")
}

func TestAnErrorOfAHookIsInternal(t *testing.T) {
	t.Parallel()
	dsn := emptied(t)
	for want, failed := range map[errcodes.Code]error{
		errcodes.Internal:      errors.New("the hook: no such queue as acme's"),
		errcodes.Configuration: errcodes.New(errcodes.Configuration, "It is not set"),
	} {
		store := open(t, dsn, &postgres.Config{Hook: everything{failed}})
		err := store.RateLocks().Save(t.Context(), mint(ports.Book{Key: keyOf("acme")}, activeLock("acme", "rl_1", epoch)))
		requireCode(t, want, err)
		require.NotContains(t, err.Error(), "acme's")
		require.ErrorIs(t, err, failed)
	}
	require.Zero(t, bookOf(t, open(t, dsn, nil), "acme").Version)
}

// Another connection would not help.
func TestACellOfAnotherTypeIsACorruptRecord(t *testing.T) {
	t.Parallel()
	dsn := migrated(t)
	statements := new(statements)
	store := on(t, connect(t, dsn, statements.trace), nil)
	ids := mintThree(t, store)
	query(t, dsn, "ALTER TABLE corridor.rate_locks ALTER mid_source DROP NOT NULL")
	query(t, dsn, "UPDATE corridor.rate_locks SET mid_source = NULL WHERE id = 'rl_1'")
	before := statements.count()
	_, _, err := store.RateLocks().Lock(t.Context(), "acme", ids[0])
	requireCode(t, errcodes.CorruptRecord, err)
	require.Equal(t, before+1, statements.count(), "tried again")
	query(t, dsn, "ALTER TABLE corridor.events ALTER kind DROP NOT NULL, ALTER attempt DROP NOT NULL")
	query(t, dsn, "UPDATE corridor.events SET data = '', attempt = NULL WHERE id = 'ev_rl_1'")
	_, err = store.DeadLetters().Buried(t.Context(), 0, 10)
	require.NoError(t, err)
}

// late delays statements with arguments until their deadline has passed.
type late struct{ armed atomic.Bool }

func (l *late) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	if l.armed.Load() && len(q.Args) > 0 {
		<-ctx.Done()
	}
	return ctx
}

func (*late) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// The values are valid.
func TestAStatementAfterItsDeadlineIsNotInvalid(t *testing.T) {
	t.Parallel()
	dsn := emptied(t)
	for want, hook := range map[errcodes.Code]postgres.Hook{errcodes.OutcomeUnknown: nil, errcodes.StorageUnavailable: everything{}} {
		var l late
		pool := connect(t, dsn, func(c *pgxpool.Config) { c.ConnConfig.Tracer = &l })
		store := on(t, pool, &postgres.Config{SkipMigrate: true, Timeout: 20 * time.Millisecond, Hook: hook})
		l.armed.Store(true)
		err := store.RateLocks().Save(t.Context(), mint(ports.Book{Key: keyOf("acme")}, activeLock("acme", "rl_1", epoch)))
		requireCode(t, want, err)
	}
}
