package postgres

import (
	"cmp"
	"context"
	"reflect"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Config tunes a store. The zero Config, and nil, mean the defaults.
type Config struct {
	// SkipMigrate leaves the tables as they are: New then refuses a database
	// that does not have this version's tables with errcodes.Configuration.
	// [Migrate] brings them up to date.
	SkipMigrate bool

	// AcquireTimeout is how long a call waits for a connection of the pool,
	// before it returns [errcodes.StorageUnavailable] with a Retry-After of 1 s.
	// 1 ms to [MaxAcquireTimeout]; 0: [DefaultAcquireTimeout].
	AcquireTimeout time.Duration

	// Timeout bounds one statement, the network included. A read that takes
	// longer is errcodes.StorageUnavailable, a write errcodes.OutcomeUnknown.
	// 1 ms to [MaxTimeout]; 0: [DefaultTimeout].
	Timeout time.Duration

	// Hook hears of events and work while they are stored. nil: nobody does.
	Hook Hook
}

// Hook enqueues what a change asks for in another queue, within the change's own
// transaction: what it enqueues is there if and only if the change is.
type Hook interface {
	// Wants reports whether the hook takes events or work of the kind. Work that
	// it takes is not kept for Store.Work; events are kept for Store.Outbox all
	// the same.
	Wants(kind string) bool
	// Enqueue is called once for a change that carries something wanted, with
	// that alone. It writes through tx and neither ends it nor keeps what it was
	// given. An error undoes the change; one that has no code and is not the
	// database's is errcodes.Internal.
	Enqueue(ctx context.Context, tx pgx.Tx, events []ports.Event, work []ports.WorkItem) error
}

// Defaults and bounds of [Config].
const (
	DefaultAcquireTimeout = 2 * time.Second
	MaxAcquireTimeout     = time.Minute
	DefaultTimeout        = 5 * time.Second
	MaxTimeout            = time.Hour
)

func (c *Config) withDefaults() (Config, error) {
	d := *cmp.Or(c, &Config{})
	d.AcquireTimeout = cmp.Or(d.AcquireTimeout, DefaultAcquireTimeout)
	d.Timeout = cmp.Or(d.Timeout, DefaultTimeout)
	if hook := reflect.ValueOf(d.Hook); hook.Kind() == reflect.Pointer && hook.IsNil() {
		return d, refuse("Hook holds a nil pointer", nil)
	}
	return d, cmp.Or(
		errcodes.Within("AcquireTimeout", d.AcquireTimeout, time.Millisecond, MaxAcquireTimeout),
		errcodes.Within("Timeout", d.Timeout, time.Millisecond, MaxTimeout),
	)
}

// Store keeps everything in the schema corridor of one database. Its methods give
// the ports; all of them share the pool, and may be used from many goroutines.
type Store struct {
	pool   *pgxpool.Pool
	cfg    Config
	closed atomic.Bool
}

// New makes a store on the embedder's pool, and brings its tables up to date
// unless config.SkipMigrate.
//
// A database or role that does not exist, a role without the rights, tables of
// another version, and a bad config are errcodes.Configuration. A server that is
// not reached is errcodes.StorageUnavailable.
func New(ctx context.Context, pool *pgxpool.Pool, config *Config) (*Store, error) {
	c, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	if pool == nil {
		return nil, refuse("A pool is required", nil)
	}
	if err := prepare(ctx, pool, !c.SkipMigrate); err != nil {
		return nil, err
	}
	return &Store{pool: pool, cfg: c}, nil
}

// RateLocks gives the store of books and rate locks.
func (s *Store) RateLocks() ports.RateLockStore { return rateLocks{s} }

// Validations gives the store of account validations.
func (s *Store) Validations() ports.ValidationStore { return validations{s} }

// Transactions gives the store of transactions.
func (s *Store) Transactions() ports.TransactionStore { return transactions{s} }

// Reports gives the store of report jobs.
func (s *Store) Reports() ports.ReportStore { return reports{s} }

// Answers gives the cache of providers' answers.
func (s *Store) Answers() ports.AnswerCache { return answers{s} }

// Clients gives the store of clients.
func (s *Store) Clients() ports.ClientStore { return clients{s} }

// Tokens gives the store of issued tokens.
func (s *Store) Tokens() ports.TokenStore { return tokens{s} }

// Secrets gives the store of the installation's own secrets.
func (s *Store) Secrets() ports.SecretStore { return secrets{s} }

// Work gives the background work that waits, but for what a [Hook] takes. Any
// number of processes may claim at once.
func (s *Store) Work() ports.Work { return work{s} }

// Outbox gives the events that wait for delivery. Any number of processes may
// claim at once.
func (s *Store) Outbox() ports.Outbox { return outbox{s} }

// DeadLetters gives the buried events.
func (s *Store) DeadLetters() ports.DeadLetters { return deadLetters{s} }

// Ping asks the database for an answer. An error says that the store cannot serve
// now: errcodes.StorageUnavailable, or errcodes.Closed.
func (s *Store) Ping(ctx context.Context) error {
	var n int
	return s.row(ctx, "SELECT count(*) FROM (SELECT 1 FROM corridor.books LIMIT 1) b", nil, &n)
}

// Close makes every later call answer errcodes.Closed; closing again does
// nothing. The pool stays open: it is the embedder's.
func (s *Store) Close() error {
	s.closed.Store(true)
	return nil
}

func (s *Store) usable(ctx context.Context) error {
	if s.closed.Load() {
		return errClosed
	}
	return ctx.Err()
}

// purge removes what has passed: the query takes the instant and the most rows
// to remove, and tells how many it removed.
func (s *Store) purge(ctx context.Context, query string, before time.Time, n int) (int, error) {
	if err := ports.CheckLimit(n, ports.MaxPage); err != nil {
		return 0, err
	}
	return s.count(ctx, query, millis(before), n)
}
