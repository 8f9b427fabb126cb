package memory

import (
	"context"
	"sync"

	"github.com/corridor-go/corridor/ports"
)

// The points of a save at which Config.Faults is called.
const (
	BeforeCommit = "before_commit" // an error here means that nothing is stored
	AfterCommit  = "after_commit"  // an error here means that the change is stored
)

// Config tunes a Store. The zero value, and nil, mean the defaults.
type Config struct {
	// Faults injects errors for tests. Every Save calls it at BeforeCommit and at
	// AfterCommit, and returns its error: errcodes.StorageUnavailable before the commit
	// simulates a full store, errcodes.OutcomeUnknown at either point a lost
	// acknowledgement. It must not call the store. Nil means no faults.
	Faults func(point string) error
}

// Store is a store in memory. It is safe for concurrent use.
type Store struct {
	faults  func(point string) error
	books   *bookShards
	answers *answerShards

	mu      sync.RWMutex // guards all fields below; locked before a shard's lock
	closed  bool
	seq     int64 // of the last event or work item saved
	locks   map[string]*ports.RateLock
	live    map[ports.Pair]*sorted[*ports.RateLock] // the active locks
	due     *sorted[*ports.RateLock]                // the active locks
	owned   map[string]*sorted[*ports.RateLock]     // all locks, by owner
	outbox  outboxState
	work    workState
	clients map[string]ports.Client
	tokens  tokenState
	secrets map[string][]byte
	audit   []*[auditBlock]ports.AuditRow // in blocks, in the order of the writes
	audited int64                         // the number of audit rows

	validations  validationState
	transactions transactionState
	reports      reportState
}

// New returns an empty store. The error is always nil today, since every Config is
// valid.
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

// RateLocks returns the store's rate locks. The events and the work of its Save are
// claimed through Outbox and Work; so are those of the other Save methods.
func (s *Store) RateLocks() ports.RateLockStore { return rateLocks{s} }

// Validations returns the store's validations.
func (s *Store) Validations() ports.ValidationStore { return validations{s} }

// Transactions returns the store's transactions.
func (s *Store) Transactions() ports.TransactionStore { return transactions{s} }

// Reports returns the store's report jobs.
func (s *Store) Reports() ports.ReportStore { return reports{s} }

// Answers returns the store's cache of providers' answers.
func (s *Store) Answers() ports.AnswerCache { return answers{s} }

// Clients returns the store's clients.
func (s *Store) Clients() ports.ClientStore { return clients{s} }

// Tokens returns the store's tokens.
func (s *Store) Tokens() ports.TokenStore { return tokens{s} }

// Secrets returns the secrets that the installation generated for itself.
func (s *Store) Secrets() ports.SecretStore { return secrets{s} }

// Work returns the store's background work.
func (s *Store) Work() ports.Work { return work{s} }

// Outbox returns the store's events.
func (s *Store) Outbox() ports.Outbox { return outbox{s} }

// DeadLetters returns the buried events.
func (s *Store) DeadLetters() ports.DeadLetters { return deadLetters{s} }

// Close discards the content. Every method then returns [errcodes.Closed]. Closing
// twice is not an error.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.books.close()
	s.answers.close()
	return nil
}

// reading locks mu for reading. It fails if the store is closed or ctx is done.
func (s *Store) reading(ctx context.Context) error {
	s.mu.RLock()
	if err := s.usable(ctx); err != nil {
		s.mu.RUnlock()
		return err
	}
	return nil
}

// writing locks mu for writing. It fails if the store is closed or ctx is done.
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
