package service

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// sandboxPrefix is the prefix of the ids of every client's sandbox transactions.
const sandboxPrefix = "tx_sandbox_"

// play is the script of one sandbox transaction.
type play struct {
	id        string
	direction errcodes.Direction
	respondIn time.Duration // 0: no timeout
	after     time.Duration // time from the opening to the provider's outcome
	says      *authstate.Report
}

// plays are the sandbox transactions. Their outcomes are those of M-Pesa.
var plays = []play{
	{id: "pending", direction: errcodes.Payin},
	{id: "failed", direction: errcodes.Payin, says: mpesa("1032", "Request cancelled by user")},
	{id: "errored", direction: errcodes.Payout, says: mpesa("1", "The balance is insufficient for the transaction.")},
	{id: "succeeded", direction: errcodes.Payin, after: 2 * time.Second, says: mpesa("0", "The service request is processed successfully.")},
	{
		id: "timeout_late", direction: errcodes.Payin, respondIn: 2 * time.Second,
		after: 5 * time.Second, says: mpesa("0", "The service request is processed successfully."),
	},
}

func mpesa(code, message string) *authstate.Report {
	return &authstate.Report{Scheme: failures.MpesaDaraja, Code: code, Message: message}
}

const sandboxEvery = 250 * time.Millisecond

// sandboxTransactions simulates the plays for each client. They begin when the client
// first asks for one and then follow the clock. After a restart they resume at their
// current point when the client asks again.
type sandboxTransactions struct {
	service *authstate.Service
	clock   ports.Clock
	log     *slog.Logger

	mu     sync.Mutex
	owners map[string]bool // owners with unfinished plays
}

func newSandboxTransactions(service *authstate.Service, clock ports.Clock, log *slog.Logger) *sandboxTransactions {
	return &sandboxTransactions{service: service, clock: clock, log: log, owners: map[string]bool{}}
}

// Get returns the owner's transaction. It starts the plays if necessary.
func (s *sandboxTransactions) Get(ctx context.Context, owner, id string) (ports.Transaction, error) {
	if strings.HasPrefix(id, sandboxPrefix) {
		if err := s.begin(ctx, owner); err != nil {
			return ports.Transaction{}, err
		}
	}
	return s.service.Get(ctx, owner, id)
}

// begin opens the owner's plays if they are not open, and applies what is due. The next
// round of Run retries failures.
func (s *sandboxTransactions) begin(ctx context.Context, owner string) error {
	_, err := s.service.Get(ctx, owner, sandboxPrefix+plays[0].id)
	if errcodes.Of(err) == errcodes.NotFound {
		err = s.open(ctx, owner)
	}
	going := true
	if err == nil {
		going, err = s.advance(ctx, owner)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.owners, owner)
	if going {
		s.owners[owner] = true
	}
	return err
}

// open opens the plays. It opens the first play last, so that if that exists, all do.
func (s *sandboxTransactions) open(ctx context.Context, owner string) error {
	for _, p := range slices.Backward(plays) {
		o := authstate.Opening{ID: sandboxPrefix + p.id, Direction: p.direction}
		if p.respondIn > 0 {
			o.RespondBy = s.clock.Now().Add(p.respondIn)
		}
		// On a conflict another call has just opened it with another RespondBy.
		if _, err := s.service.Open(ctx, owner, o); err != nil && errcodes.Of(err) != errcodes.Conflict {
			return err
		}
	}
	return nil
}

// advance applies the due outcomes of the owner's plays, and reports whether some plays
// are unfinished.
func (s *sandboxTransactions) advance(ctx context.Context, owner string) (going bool, err error) {
	for i := range plays {
		p := &plays[i]
		if p.says == nil {
			continue
		}
		t, err := s.service.Get(ctx, owner, sandboxPrefix+p.id)
		switch {
		case err != nil:
			return true, err
		case p.over(&t):
		case s.clock.Now().Before(t.CreatedAt.Add(p.after)):
			going = true
		default:
			if _, err := s.service.Record(ctx, owner, t.ID, *p.says); err != nil {
				return true, err
			}
		}
	}
	return going, nil
}

// over reports whether the provider's outcome has been applied.
func (p *play) over(t *ports.Transaction) bool {
	if p.respondIn > 0 {
		return !t.LateAt.IsZero() || t.Status == ports.TransactionSucceeded
	}
	return t.Status.Terminal()
}

// Run advances the plays until ctx is done.
func (s *sandboxTransactions) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.clock.After(sandboxEvery):
			s.tick(ctx)
		}
	}
}

func (s *sandboxTransactions) tick(ctx context.Context) {
	for _, owner := range s.going() {
		if err := s.begin(ctx, owner); err != nil && !errors.Is(err, context.Canceled) {
			s.log.WarnContext(ctx, "sandbox transactions failed; the next round tries again", "error", err)
		}
	}
}

func (s *sandboxTransactions) going() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.owners))
}
