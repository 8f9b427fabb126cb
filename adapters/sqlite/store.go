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

// Config tunes a store. The zero Config, and nil, mean the defaults.
type Config struct {
	// SkipMigrate leaves the tables as they are: Open then refuses a file that
	// does not have this version's tables with errcodes.Configuration.
	// [Migrate] brings them up to date.
	SkipMigrate bool

	// BusyTimeout is how long a call waits for another process that is writing,
	// before it returns [errcodes.StorageUnavailable], up to [MaxBusyTimeout]; 0:
	// [DefaultBusyTimeout].
	BusyTimeout time.Duration

	// Readers is the number of connections that read, up to [MaxReaders]; 0:
	// [DefaultReaders].
	Readers int

	// Faults serves tests of outcomes that a sound disk cannot show at will. It
	// is asked at [BeforeCommit] and [AfterCommit] of each write, and at
	// [BeforeReadBack] when one of these failed; an error makes that step fail
	// as a broken disk would. It must not call the store. nil: no faults.
	Faults func(point string) error
}

// The points of a write at which Config.Faults is asked.
const (
	BeforeCommit   = "before_commit"    // an error here is a COMMIT that failed: nothing is stored
	AfterCommit    = "after_commit"     // an error here is a lost acknowledgement: all of it is stored
	BeforeReadBack = "before_read_back" // an error here leaves the fate of the COMMIT unknown
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

// Store keeps everything in one SQLite file. Its methods give the ports; all of
// them share the file, and may be used from many goroutines.
type Store struct {
	read   *reader
	write  *writer
	closed atomic.Bool
}

// Open opens the file at path, creates it (readable for its owner alone) when
// it is not there, and brings its tables up to date unless config.SkipMigrate.
//
// A path that names no file on disk, a file that cannot be opened or is no
// database, one made by a newer version, and a bad config are
// errcodes.Configuration. A full or locked file is errcodes.StorageUnavailable.
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

// RateLocks gives the store of books and rate locks.
func (s *Store) RateLocks() ports.RateLockStore { return rateLocks{s} }

// Validations gives the store of account validations.
func (s *Store) Validations() ports.ValidationStore { return validations{s} }

// Transactions gives the store of transactions' states.
func (s *Store) Transactions() ports.TransactionStore { return transactions{s} }

// Reports gives the store of report jobs.
func (s *Store) Reports() ports.ReportStore { return reports{s} }

// Answers gives the cache of providers' answers.
func (s *Store) Answers() ports.AnswerCache { return answers{s} }

// Clients gives the store of clients.
func (s *Store) Clients() ports.ClientStore { return clients{s} }

// Tokens gives the store of access tokens.
func (s *Store) Tokens() ports.TokenStore { return tokens{s} }

// Secrets gives the store of the secrets that the installation makes for itself.
func (s *Store) Secrets() ports.SecretStore { return secrets{s} }

// Work gives the work items that were saved with changes.
func (s *Store) Work() ports.Work { return work{s} }

// Outbox gives the events that were saved with changes.
func (s *Store) Outbox() ports.Outbox { return outbox{s} }

// DeadLetters gives the events that Outbox buried.
func (s *Store) DeadLetters() ports.DeadLetters { return deadLetters{s} }

// Ping reads from the file and, when the last write failed, tries one. An error
// says that the store cannot serve now: errcodes.StorageUnavailable, or
// errcodes.Closed.
func (s *Store) Ping(ctx context.Context) error {
	var n int
	if err := s.scan(ctx, ping, nil, &n); err != nil || !s.write.failing.Load() {
		return err
	}
	return s.update(ctx, touchHeader, nil)
}

// touchHeader writes the file's first page as it is.
func touchHeader(ctx context.Context, s *session) error {
	_, err := s.exec(ctx, "PRAGMA user_version = 0")
	return err
}

// Close waits for the write under way, and closes the file. Every later call
// answers errcodes.Closed; closing again does nothing.
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

// fail codes err. What goes wrong because the store was closed meanwhile is
// errcodes.Closed.
func (s *Store) fail(err error) error {
	if err != nil && s.closed.Load() && errcodes.Of(err) != errcodes.OutcomeUnknown {
		return errClosed
	}
	return coded(err)
}

// update is writer.update with the store's error codes.
func (s *Store) update(ctx context.Context, do change, check fateReader) error {
	return s.runWrite(ctx, s.write.update, do, check)
}

// save is writer.save with the store's error codes.
func (s *Store) save(ctx context.Context, do change, check fateReader) error {
	return s.runWrite(ctx, s.write.save, do, check)
}

func (s *Store) runWrite(ctx context.Context, write func(context.Context, change, fateReader) error, do change, check fateReader) error {
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

// purge removes what has passed: each query takes the instant and the most rows
// to remove. It tells how many the first removed.
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
