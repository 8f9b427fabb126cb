package river

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	riverqueue "github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"github.com/corridor-go/corridor/errcodes"
)

type (
	transaction = pgx.Tx
	client      = riverqueue.Client[transaction]
)

// statementTimeout bounds each of the queue's own statements.
const statementTimeout = 5 * time.Second

// Queue wakes the Ticks of services when the work that changes have stored is due. It is
// safe for concurrent use.
type Queue struct {
	pool     *pgxpool.Pool
	cfg      Config
	kinds    map[string]bool
	upkeep   *slog.Logger // limits repeated messages
	inserter *client
	running  runningJobs

	mu       sync.Mutex
	begun    bool
	stopping chan struct{} // closed by the first Stop, or when Run ends
	stop     func()        // closes stopping, so that no new round begins
	ended    chan struct{} // closed when Run has ended
}

// New returns a queue on the embedder's pool, which needs at least four connections,
// and brings the tables up to date unless config.SkipMigrate is set.
//
// New returns [errcodes.Configuration] if the database or role does not exist, the
// role lacks rights, the tables are of another version, pool is nil or too small, or
// config is out of range, and [errcodes.StorageUnavailable] if the server cannot be
// reached.
func New(ctx context.Context, pool *pgxpool.Pool, config *Config) (*Queue, error) {
	cfg, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := checkPool(pool); err != nil {
		return nil, err
	}
	if cfg.SkipMigrate {
		err = openingError(ctx, checkTables(ctx, pool))
	} else {
		err = Migrate(ctx, pool)
	}
	if err != nil {
		return nil, err
	}
	return open(pool, cfg)
}

func open(pool *pgxpool.Pool, cfg Config) (*Queue, error) {
	upkeep := limited(cfg.Logger)
	inserter, err := riverqueue.NewClient(riverpgxv5.New(pool), &riverqueue.Config{
		Schema: schema, Logger: guarded(upkeep, func() bool { return false }), FetchCooldown: min(fetchCooldown, cfg.Poll), FetchPollInterval: cfg.Poll,
		Hooks: hooks,
	})
	if err != nil {
		return nil, coded(err)
	}
	q := &Queue{
		pool: pool, cfg: cfg, upkeep: upkeep, inserter: inserter, kinds: map[string]bool{},
		stopping: make(chan struct{}), ended: make(chan struct{}),
	}
	q.stop = sync.OnceFunc(func() { close(q.stopping) })
	for _, kind := range cfg.Kinds {
		q.kinds[kind] = true
	}
	return q, nil
}

func checkPool(pool *pgxpool.Pool) error {
	if pool == nil {
		return misconfigured("A pool is required")
	}
	if pool.Config().MaxConns < minConns {
		return misconfigured(fmt.Sprintf("The pool's MaxConns is %d, want at least %d", pool.Config().MaxConns, minConns))
	}
	return nil
}

// Stop ends Run: waiting jobs go to other processes at once, and running rounds
// have Config.Grace before their contexts are cancelled. Stop waits for them until
// ctx is done, and then returns ctx's error. After Stop, Run returns nil; Enqueue works
// as long as the store does. Stop may be called more than once.
func (q *Queue) Stop(ctx context.Context) error {
	q.mu.Lock()
	q.stop()
	if !q.begun {
		q.begun = true
		close(q.ended)
	}
	q.mu.Unlock()
	select {
	case <-q.ended:
		return nil
	case <-ctx.Done():
		return errcodes.Coded(ctx.Err())
	}
}

// runningJobs counts the running jobs of this process by id.
type runningJobs struct {
	mu  sync.Mutex
	ids map[int64]int
}

func (f *runningJobs) begin(id int64) (end func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ids == nil {
		f.ids = map[int64]int{}
	}
	f.ids[id]++
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.ids[id]--; f.ids[id] == 0 {
			delete(f.ids, id)
		}
	}
}

func (f *runningJobs) has(id int64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ids[id] > 0
}
