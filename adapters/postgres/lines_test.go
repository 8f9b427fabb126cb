package postgres_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
	"github.com/corridor-go/corridor/ports/portstest/storetest"
)

// way is how the stores of a suite use their database.
type way struct {
	before bool              // lost commits do not take effect
	level  string            // the isolation level, if not the default
	mode   pgx.QueryExecMode // if not the default
}

// line is a pool and the network that it goes through.
type line struct {
	pool    *pgxpool.Pool
	network *losing
}

// lines outlive their tests, as the databases do: the suites have hundreds of checks, and
// a new session with its plans costs more than most of them. Only one test at a time has
// the database of a line.
var lines = struct {
	sync.Mutex

	open map[lineKey]line
}{open: map[lineKey]line{}}

type lineKey struct {
	dsn string
	way way
}

func (w way) line(tb testing.TB, dsn string) line {
	tb.Helper()
	lines.Lock()
	defer lines.Unlock()
	key := lineKey{dsn, w}
	l, ok := lines.open[key]
	if !ok {
		l = w.newLine(tb, dsn)
		lines.open[key] = l
	}
	tb.Cleanup(func() { l.network.takes() }) // a loss that did not happen
	return l
}

func (w way) newLine(tb testing.TB, dsn string) line {
	tb.Helper()
	network := &losing{before: w.before}
	c, err := pgxpool.ParseConfig(dsn)
	require.NoError(tb, err)
	c.MaxConns = 8
	c.MaxConnIdleTime, c.HealthCheckPeriod = time.Second, time.Second // other lines need the server's sessions
	c.ConnConfig.RuntimeParams["application_name"] = pgtest.Kept
	network.dial(c)
	isolated(w.level)(c)
	if w.mode != 0 {
		c.ConnConfig.DefaultQueryExecMode = w.mode
	}
	pool, err := pgxpool.NewWithConfig(context.WithoutCancel(tb.Context()), c)
	require.NoError(tb, err)
	return line{pool, network}
}

// linedTests closes the lines before the server stops.
type linedTests struct{ pgtest.Tests }

func (t linedTests) Run() int {
	defer func() {
		for _, l := range lines.open {
			l.pool.Close()
		}
	}()
	return t.Tests.Run()
}

// harness opens stores on emptied databases.
func (w way) harness() storetest.Harness { return w.harnessOn(reused) }

func (w way) harnessOn(template *pgtest.Template) storetest.Harness {
	return storetest.Harness{
		Parallel: true,
		Open: func(tb testing.TB) storetest.Store {
			tb.Helper()
			return w.open(tb, pgtest.Database(tb, template))
		},
	}
}

func (w way) open(tb testing.TB, dsn string) storetest.Store {
	tb.Helper()
	l := w.line(tb, dsn)
	store := on(tb, l.pool, nil)
	outbox, work := store.Outbox(), store.Work()
	if w.level == levels[2] {
		outbox, work = insistentOutbox{outbox}, insistentWork{work}
	}
	return storetest.Store{
		RateLocks: store.RateLocks(), Clients: store.Clients(), Tokens: store.Tokens(),
		Validations: store.Validations(), Answers: store.Answers(), Secrets: store.Secrets(),
		Transactions: store.Transactions(), Reports: store.Reports(), AuditRows: store.AuditRows,
		Outbox: outbox, DeadLetters: store.DeadLetters(), Work: work,
		Close: store.Close,
		Reopen: func() storetest.Store {
			require.NoError(tb, store.Close())
			l.pool.Reset()
			return w.open(tb, dsn)
		},
		LoseNextCommit: l.network.arm,
		Fill:           func() (empty func()) { return fill(tb, dsn) },
	}
}

// fill makes every insert and update fail as on a full disk.
func fill(tb testing.TB, dsn string) (empty func()) {
	tb.Helper()
	query(tb, dsn, `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql
		AS $$ BEGIN RAISE EXCEPTION 'no space left on device' USING ERRCODE = '53100'; END $$`)
	query(tb, dsn, `DO $$ DECLARE t text; BEGIN
		FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'corridor' LOOP
			EXECUTE format('CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON corridor.%I EXECUTE FUNCTION full_disk()', t);
		END LOOP; END $$`)
	return func() { query(tb, dsn, "DROP FUNCTION full_disk CASCADE") }
}
