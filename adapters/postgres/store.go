package postgres

import (
	"cmp"
	"context"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Config tunes a store. The zero Config and nil mean the defaults.
type Config struct {
	// SkipMigrate makes New leave the tables unchanged and return
	// [errcodes.Configuration] if they are not this version's.
	// [Migrate] brings them up to date.
	SkipMigrate bool

	// AcquireTimeout is how long a call waits for a connection of the pool,
	// before it returns [errcodes.StorageUnavailable] with a Retry-After of 1 s:
	// 1 ms to [MaxAcquireTimeout]; 0 means [DefaultAcquireTimeout].
	AcquireTimeout time.Duration

	// Timeout bounds one statement including the network: 1 ms to [MaxTimeout]; 0
	// means [DefaultTimeout]. A read that takes longer returns
	// [errcodes.StorageUnavailable], a write [errcodes.OutcomeUnknown].
	Timeout time.Duration

	// Hook learns of events and work. nil means that nobody does.
	Hook Hook
}

// Hook learns of the events and the work of a change within the change's transaction,
// so that another queue can wake the processes that handle them. Events and work are
// always stored, too: any process may claim them from Store.Outbox and Store.Work, also
// one without the hook.
type Hook interface {
	// Wants reports whether the hook wants events or work of the kind.
	Wants(kind string) bool
	// Enqueue is called once per change that has wanted events or work, with only
	// those. It writes through tx; it must not end tx or retain its arguments. An
	// error rolls the change back; Save returns [errcodes.Internal] if the error
	// has no code and is not from the database.
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
	if d.Hook != nil && errcodes.NotNil("Hook", d.Hook) != nil {
		return d, misconfigured("Hook holds a nil pointer", nil)
	}
	return d, cmp.Or(
		errcodes.Within("AcquireTimeout", d.AcquireTimeout, time.Millisecond, MaxAcquireTimeout),
		errcodes.Within("Timeout", d.Timeout, time.Millisecond, MaxTimeout),
	)
}

// Store stores everything in the schema corridor of one database. Its methods return
// the ports, which share the pool. Store and the ports are safe for concurrent use.
type Store struct {
	pool   *pgxpool.Pool
	cfg    Config
	closed atomic.Bool
}

// New returns a store on the embedder's pool and brings the tables up to date unless
// config.SkipMigrate is set.
//
// New returns [errcodes.Configuration] if the database or role does not exist, the
// role lacks rights, the tables are of another version, pool is nil or config is out
// of range, and [errcodes.StorageUnavailable] if the server cannot be reached.
func New(ctx context.Context, pool *pgxpool.Pool, config *Config) (*Store, error) {
	c, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	if pool == nil {
		return nil, misconfigured("A pool is required", nil)
	}
	if err := prepare(ctx, pool, !c.SkipMigrate); err != nil {
		return nil, err
	}
	return &Store{pool: pool, cfg: c}, nil
}

// RateLocks returns the store of books and rate locks.
func (s *Store) RateLocks() ports.RateLockStore { return rateLocks{s} }

// Validations returns the store of account validations.
func (s *Store) Validations() ports.ValidationStore { return validations{s} }

// Transactions returns the store of transactions.
func (s *Store) Transactions() ports.TransactionStore { return transactions{s} }

// Reports returns the store of report jobs.
func (s *Store) Reports() ports.ReportStore { return reports{s} }

// Answers returns the cache of providers' answers.
func (s *Store) Answers() ports.AnswerCache { return answers{s} }

// Clients returns the store of clients.
func (s *Store) Clients() ports.ClientStore { return clients{s} }

// Tokens returns the store of access tokens.
func (s *Store) Tokens() ports.TokenStore { return tokens{s} }

// Secrets returns the store of the secrets that the installation generates itself.
func (s *Store) Secrets() ports.SecretStore { return secrets{s} }

// Work returns the queue of background work. Any number of processes may claim at once,
// with and without a [Hook].
func (s *Store) Work() ports.Work { return work{s} }

// Outbox returns the queue of events. Any number of processes may claim at once.
func (s *Store) Outbox() ports.Outbox { return outbox{s} }

// DeadLetters returns the events that Outbox buried.
func (s *Store) DeadLetters() ports.DeadLetters { return deadLetters{s} }

// Ping runs a query. It returns [errcodes.StorageUnavailable] if the database does
// not answer, and [errcodes.Closed] after Close.
func (s *Store) Ping(ctx context.Context) error {
	var n int
	return s.row(ctx, "SELECT count(*) FROM (SELECT 1 FROM corridor.books LIMIT 1) b", nil, &n)
}

// Close makes every later call return [errcodes.Closed]. It always returns nil and
// leaves the embedder's pool open.
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

// purge runs query with the instant before and the maximum number n of rows to
// remove. The query returns how many it removed.
func (s *Store) purge(ctx context.Context, query string, before time.Time, n int) (int, error) {
	if err := ports.CheckLimit(n, ports.MaxPage); err != nil {
		return 0, err
	}
	return s.count(ctx, query, millis(before), n)
}
