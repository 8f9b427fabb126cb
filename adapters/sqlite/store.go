package sqlite

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Config tunes a store. The zero Config and nil mean the defaults.
type Config struct {
	// SkipMigrate makes Open leave the tables unchanged and return
	// [errcodes.Configuration] if they are not this version's.
	// [Migrate] brings them up to date.
	SkipMigrate bool

	// BusyTimeout is how long a call waits for another process that is writing,
	// before it returns [errcodes.StorageUnavailable]: at most [MaxBusyTimeout];
	// 0 means [DefaultBusyTimeout].
	BusyTimeout time.Duration

	// Readers is the number of connections that read, at most [MaxReaders]; 0
	// means [DefaultReaders].
	Readers int

	// Faults makes writes fail in tests, as a broken disk would. The store calls
	// it with [BeforeCommit] and [AfterCommit] in each write, and with
	// [BeforeReadBack] if one of these failed; an error that it returns makes
	// that step fail. It must not call the store. nil means no faults.
	Faults func(point string) error
}

// The points of a write at which the store calls Config.Faults.
const (
	BeforeCommit   = "before_commit"    // an error means that COMMIT failed: nothing is stored
	AfterCommit    = "after_commit"     // an error means that the acknowledgement was lost: the change is stored
	BeforeReadBack = "before_read_back" // an error means that the outcome of COMMIT stays unknown
)

// Defaults and bounds of [Config].
const (
	DefaultBusyTimeout = 5 * time.Second
	MaxBusyTimeout     = time.Minute
	DefaultReaders     = 4
	MaxReaders         = 64
)

func (c *Config) withDefaults() (Config, error) {
	d := *cmp.Or(c, &Config{})
	d.BusyTimeout = cmp.Or(d.BusyTimeout, DefaultBusyTimeout)
	d.Readers = cmp.Or(d.Readers, DefaultReaders)
	return d, cmp.Or(
		errcodes.Within("BusyTimeout", d.BusyTimeout, 1, MaxBusyTimeout),
		errcodes.Within("Readers", d.Readers, 1, MaxReaders),
	)
}

// Store stores everything in one SQLite file. Its methods return the ports, which
// share the file. Store and the ports are safe for concurrent use.
type Store struct {
	read   *reader
	write  *writer
	closed atomic.Bool
}

// Open opens the file at path and brings its tables up to date unless
// config.SkipMigrate is set. If the file does not exist, Open creates it, readable
// only by its owner.
//
// Open returns [errcodes.Configuration] if path does not name a file on disk, the
// file cannot be opened, is not a database or was made by a newer version, or
// config is out of range, and [errcodes.StorageUnavailable] if the disk is full or
// the file is locked.
func Open(ctx context.Context, path string, config *Config) (*Store, error) {
	c, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := prepareFile(ctx, path, c); err != nil {
		return nil, err
	}
	write, err := newWriter(ctx, path, c)
	if err != nil {
		return nil, err
	}
	read, err := newReader(ctx, path, c)
	if err != nil {
		return nil, errors.Join(err, write.close())
	}
	return &Store{read: read, write: write}, nil
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

// Work returns the queue of the work items that were saved with changes.
func (s *Store) Work() ports.Work { return work{s} }

// Outbox returns the queue of the events that were saved with changes.
func (s *Store) Outbox() ports.Outbox { return outbox{s} }

// DeadLetters returns the events that Outbox buried.
func (s *Store) DeadLetters() ports.DeadLetters { return deadLetters{s} }

// Ping reads from the file and, if the last write failed, tries a write. It
// returns [errcodes.StorageUnavailable] if one of them fails, and [errcodes.Closed]
// after Close.
func (s *Store) Ping(ctx context.Context) error {
	var n int
	if err := s.scan(ctx, ping, nil, &n); err != nil || !s.write.failing.Load() {
		return err
	}
	return s.update(ctx, touchHeader, nil)
}

// touchHeader rewrites the file's first page unchanged.
func touchHeader(ctx context.Context, s *session) error {
	_, err := s.exec(ctx, "PRAGMA user_version = 0")
	return err
}

// Close waits for the current write and closes the file. Every later call returns
// [errcodes.Closed]; later calls of Close return nil.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	return coded(errors.Join(s.read.close(), s.write.close()))
}

func (s *Store) usable(ctx context.Context) error {
	if s.closed.Load() {
		return errClosed
	}
	return ctx.Err()
}

// fail returns err with a code: errcodes.Closed if the store was closed meanwhile.
func (s *Store) fail(err error) error {
	if err != nil && s.closed.Load() && errcodes.Of(err) != errcodes.OutcomeUnknown {
		return errClosed
	}
	return coded(err)
}

// update is writer.update with coded errors.
func (s *Store) update(ctx context.Context, do change, check outcomeReader) error {
	return s.runWrite(ctx, s.write.update, do, check)
}

// save is writer.save with coded errors.
func (s *Store) save(ctx context.Context, do change, check outcomeReader) error {
	return s.runWrite(ctx, s.write.save, do, check)
}

func (s *Store) runWrite(ctx context.Context, write func(context.Context, change, outcomeReader) error, do change, check outcomeReader) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	err := s.fail(write(ctx, do, check))
	switch errcodes.Of(err) {
	case "":
		s.write.failing.Store(false)
	case errcodes.StorageUnavailable, errcodes.OutcomeUnknown:
		s.write.failing.Store(true)
	}
	return err
}

// purge runs the queries, each with the instant before and the maximum number n of
// rows to remove. It returns the number of rows that the first removed.
func (s *Store) purge(ctx context.Context, before time.Time, n int, queries ...string) (int, error) {
	if err := ports.CheckLimit(n, ports.MaxPage); err != nil {
		return 0, err
	}
	purged := make([]int64, len(queries))
	err := s.update(ctx, func(ctx context.Context, s *session) (err error) {
		for i, query := range queries {
			if purged[i], err = s.exec(ctx, query, before.UnixMilli(), n); err != nil {
				return err
			}
		}
		return nil
	}, nil)
	if err != nil {
		return 0, err
	}
	return int(purged[0]), nil
}
