package river_test

import (
	"context"
	"flag"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
	"github.com/corridor-go/corridor/adapters/river"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

func TestMain(m *testing.M) {
	if dsn := os.Getenv(childVariable); dsn != "" {
		child(dsn)
		return
	}
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil { // tests mostly wait
		panic(err)
	}
	goleak.VerifyTestMain(pgtest.Main(m))
}

var (
	_ postgres.Hook = (*river.Queue)(nil)

	// migrated is a template for tests that change the tables or their database.
	migrated = pgtest.NewTemplate(func(ctx context.Context, dsn string) error {
		pool, err := pgxpool.New(ctx, dsn)
		if err != nil {
			return err
		}
		defer pool.Close()
		if err := postgres.Migrate(ctx, pool); err != nil {
			return err
		}
		return river.Migrate(ctx, pool)
	})
	// tables is a template whose databases are used again.
	tables = migrated.EmptiedBy(`DO $$ DECLARE t text; BEGIN
		FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'corridor' AND tablename NOT IN ('schema_versions', 'river_migration') LOOP
			EXECUTE format('DELETE FROM corridor.%I', t);
		END LOOP; END $$`)
)

var full = flag.Bool("full", false, "also run what .ci/full runs")

// onlyInFull skips a test that the gate leaves out.
func onlyInFull(t *testing.T, why string) {
	t.Helper()
	if !*full {
		t.Skip("runs with -full: " + why)
	}
}

const (
	notify = "notify"
	within = time.Minute // a limit that only a hang reaches
)

// process contains what one process of a service has: a pool, a queue and a store.
type process struct {
	pool  *pgxpool.Pool
	queue *river.Queue
	store *postgres.Store
	ran   chan error
}

// connect opens a pool that outlives the test's context, which closing needs.
func connect(tb testing.TB, dsn string) *pgxpool.Pool {
	tb.Helper()
	c, err := pgxpool.ParseConfig(dsn)
	require.NoError(tb, err)
	c.MaxConns = 5
	pool, err := pgxpool.NewWithConfig(context.Background(), c)
	require.NoError(tb, err)
	tb.Cleanup(pool.Close)
	return pool
}

// open returns a process that does not run jobs yet.
func open(tb testing.TB, dsn string, config river.Config) *process {
	tb.Helper()
	if config.Kinds == nil {
		config.Kinds = []string{notify}
	}
	if config.Poll == 0 {
		config.Poll = 100 * time.Millisecond
	}
	p := &process{pool: connect(tb, dsn), ran: make(chan error, 1)}
	var err error
	p.queue, err = river.New(tb.Context(), p.pool, &config)
	require.NoError(tb, err)
	p.store, err = postgres.New(tb.Context(), p.pool, &postgres.Config{Hook: p.queue, AcquireTimeout: within, Timeout: within})
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, p.close()) })
	return p
}

// withoutHook replaces the store with one whose work enqueues no jobs.
func (p *process) withoutHook(tb testing.TB) {
	tb.Helper()
	var err error
	p.store, err = postgres.New(tb.Context(), p.pool, &postgres.Config{AcquireTimeout: within, Timeout: within})
	require.NoError(tb, err)
}

// run starts the process's jobs.
func (p *process) run(jobs river.Jobs) {
	go func() { p.ran <- p.queue.Run(context.Background(), jobs) }()
}

func (p *process) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	if err := p.queue.Stop(ctx); err != nil {
		return err
	}
	return p.store.Close()
}

// save stores a change that carries work and events.
func (p *process) save(tb testing.TB, id string, work []ports.WorkItem, events ...ports.Event) {
	tb.Helper()
	require.NoError(tb, p.trySave(tb, id, work, events...))
}

func (p *process) trySave(tb testing.TB, owner string, work []ports.WorkItem, events ...ports.Event) error {
	tb.Helper()
	key := ports.BookKey{Owner: owner, Pair: ports.Pair{Base: "USD", Quote: "ZAR"}}
	return p.store.RateLocks().Save(tb.Context(), ports.RateLockChange{Book: ports.Book{Key: key}, Work: work, Events: events})
}

func item(id string, due time.Time) ports.WorkItem {
	return ports.WorkItem{ID: id, Kind: notify, DueAt: due, Payload: []byte("payload of " + id)}
}

func items(ids ...string) []ports.WorkItem {
	var all []ports.WorkItem
	for _, id := range ids {
		all = append(all, item(id, time.Now()))
	}
	return all
}

// jobs counts the jobs of a state, except for those of Config.Every.
func (p *process) jobs(tb testing.TB, state string) (n int) {
	tb.Helper()
	require.NoError(tb, p.pool.QueryRow(context.Background(),
		"SELECT count(*) FROM corridor.river_job WHERE state = $1::corridor.river_job_state AND (kind <> 'corridor_work' OR args ? 'due')", state).Scan(&n))
	return n
}

// service claims work as the domain's services do, and records what it handled.
type service struct {
	work   ports.Work
	settle func(ctx context.Context, w ports.WorkItem) error // default: Done
	mu     sync.Mutex
	got    []ports.WorkItem
	ticks  int
}

func (s *service) Tick(ctx context.Context, now time.Time) error {
	s.mu.Lock()
	s.ticks++
	s.mu.Unlock()
	claimed, err := s.work.Claim(ctx, notify, now, time.Minute, 100)
	if err != nil {
		return err
	}
	for _, w := range claimed {
		s.mu.Lock()
		s.got = append(s.got, w)
		s.mu.Unlock()
		settle := s.settle
		if settle == nil {
			settle = s.work.Done
		}
		if err := settle(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

func (s *service) handled() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := []string{}
	for _, w := range s.got {
		ids = append(ids, w.ID)
	}
	return ids
}

func eventually(tb testing.TB, what string, is func() bool) {
	tb.Helper()
	require.Eventually(tb, is, within, 10*time.Millisecond, what)
}

func requireCode(tb testing.TB, want errcodes.Code, err error) {
	tb.Helper()
	require.Equal(tb, want, errcodes.Of(err), "%v", err)
}
