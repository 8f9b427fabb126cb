package memory

import (
	"context"
	"sync"

	"github.com/corridor-go/corridor/ports"
)

// The points of a save at which Config.Faults is asked.
const (
	BeforeCommit = "before_commit" // an error here: nothing is stored
	AfterCommit  = "after_commit"  // an error here: all of it is stored
)

// Config tunes a Store. The zero Config is a good one.
type Config struct {
	// Faults serves tests of outcomes that a sound store cannot show at will.
	// It is asked in every Save, at BeforeCommit and at AfterCommit, and an
	// error of it is what Save returns: an errcodes.StorageUnavailable before
	// the commit is a full store, an errcodes.OutcomeUnknown at either point a
	// lost acknowledgement. It must not call the store. Nil: no faults.
	Faults func(point string) error
}

// Store keeps everything in memory. It is safe for concurrent use.
type Store struct {
	faults  func(point string) error
	books   *bookShards
	answers *answerShards

	mu      sync.RWMutex // all below; taken before a shard's lock
	closed  bool
	seq     int64 // of the last event or work item saved
	locks   map[string]*ports.RateLock
	live    map[ports.Pair]*sorted[*ports.RateLock] // the active ones
	due     *sorted[*ports.RateLock]                // the active ones
	owned   map[string]*sorted[*ports.RateLock]     // all, by owner
	outbox  outboxState
	work    workState
	clients map[string]ports.Client
	tokens  tokenState
	secrets map[string][]byte
	audit   []*[auditBlock]ports.AuditRow // in the order of the writes
	audited int64                         // how many audit rows there are

	validations  validationState
	transactions transactionState
	reports      reportState
}

// New makes an empty store. A nil cfg is the zero Config; every Config is
// valid, so that the error is always nil today.
func New(cfg *Config) (*Store, error) {
	if cfg == nil {
		cfg = &Config{}
	}
	faults := cfg.Faults
	if faults == nil {
		faults = func(string) error { return nil }
	}
	return &Store{
		faults:  faults,
		books:   newBookShards(),
		answers: newAnswerShards(),
		locks:   map[string]*ports.RateLock{},
		live:    map[ports.Pair]*sorted[*ports.RateLock]{},
		due:     newSorted(byExpiry),
		owned:   map[string]*sorted[*ports.RateLock]{},
		outbox:  newOutboxState(),
		work:    newWorkState(),
		clients: map[string]ports.Client{},
		tokens:  newTokenState(),
		secrets: map[string][]byte{},

		validations:  newValidationState(),
		transactions: transactionState{},
		reports:      newReportState(),
	}, nil
}

// RateLocks gives the store's rate locks. Its Save takes the events and the
// work that Outbox and Work hand out.
func (s *Store) RateLocks() ports.RateLockStore { return rateLocks{s} }

// Validations gives the store's validations. Its Save takes events and work as
// that of RateLocks does.
func (s *Store) Validations() ports.ValidationStore { return validations{s} }

// Transactions gives the store's transactions. Its Save takes events and work as
// that of RateLocks does.
func (s *Store) Transactions() ports.TransactionStore { return transactions{s} }

// Reports gives the store's report jobs. Its Save takes events and work as that
// of RateLocks does.
func (s *Store) Reports() ports.ReportStore { return reports{s} }

// Answers gives the store's cache of providers' answers.
func (s *Store) Answers() ports.AnswerCache { return answers{s} }

// Clients gives the store's clients.
func (s *Store) Clients() ports.ClientStore { return clients{s} }

// Tokens gives the store's tokens.
func (s *Store) Tokens() ports.TokenStore { return tokens{s} }

// Secrets gives the secrets that the installation made for itself.
func (s *Store) Secrets() ports.SecretStore { return secrets{s} }

// Work gives the store's background work.
func (s *Store) Work() ports.Work { return work{s} }

// Outbox gives the store's events.
func (s *Store) Outbox() ports.Outbox { return outbox{s} }

// DeadLetters gives the events that Outbox buried.
func (s *Store) DeadLetters() ports.DeadLetters { return deadLetters{s} }

// Close ends the use of the store: from then on every method answers
// errcodes.Closed. What it kept is gone. Closing twice is no error.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.books.close()
	s.answers.close()
	return nil
}

// reading takes the lock for readers, unless the store is closed or ctx done.
func (s *Store) reading(ctx context.Context) error {
	s.mu.RLock()
	if err := s.usable(ctx); err != nil {
		s.mu.RUnlock()
		return err
	}
	return nil
}

// writing takes the lock for writers, unless the store is closed or ctx done.
func (s *Store) writing(ctx context.Context) error {
	s.mu.Lock()
	if err := s.usable(ctx); err != nil {
		s.mu.Unlock()
		return err
	}
	return nil
}

func (s *Store) usable(ctx context.Context) error {
	if s.closed {
		return errClosed
	}
	return ctx.Err()
}
