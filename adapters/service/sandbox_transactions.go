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

// sandboxPrefix begins the ids of the transactions that each client finds.
const sandboxPrefix = "tx_sandbox_"

// play is what becomes of one transaction of the sandbox.
type play struct {
	id        string
	direction errcodes.Direction
	respondIn time.Duration // 0: it waits for ever
	after     time.Duration // of the opening, the provider says this
	says      *authstate.Report
}

// plays are the transactions of the sandbox. What the provider says is M-Pesa's.
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

// sandboxTransactions lets each client find the plays: they begin when the
// client first asks for one of them, and go on by the clock. After a restart
// they go on, from where they would be, when the client asks again.
type sandboxTransactions struct {
	service *authstate.Service
	clock   ports.Clock
	log     *slog.Logger

	mu     sync.Mutex
	owners map[string]bool // with plays that go on
}

func newSandboxTransactions(service *authstate.Service, clock ports.Clock, log *slog.Logger) *sandboxTransactions {
	return &sandboxTransactions{service: service, clock: clock, log: log, owners: map[string]bool{}}
}

// Get gives the owner's transaction.
func (s *sandboxTransactions) Get(ctx context.Context, owner, id string) (ports.Transaction, error) {
	if strings.HasPrefix(id, sandboxPrefix) {
		if err := s.begin(ctx, owner); err != nil {
			return ports.Transaction{}, err
		}
	}
	return s.service.Get(ctx, owner, id)
}

// begin opens the owner's plays, unless they are, and brings them to this
// moment. What fails goes on with the next round.
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

// open opens the plays, the first last: where it is, all are.
func (s *sandboxTransactions) open(ctx context.Context, owner string) error {
	for _, p := range slices.Backward(plays) {
		o := authstate.Opening{ID: sandboxPrefix + p.id, Direction: p.direction}
		if p.respondIn > 0 {
			o.RespondBy = s.clock.Now().Add(p.respondIn)
		}
		// Whoever was here a moment ago has opened it with another RespondBy.
		if _, err := s.service.Open(ctx, owner, o); err != nil && errcodes.Of(err) != errcodes.Conflict {
			return err
		}
	}
	return nil
}

// advance applies what is due of the owner's plays, and reports whether some go
// on.
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

// over reports whether the provider has said its say.
func (p *play) over(t *ports.Transaction) bool {
	if p.respondIn > 0 {
		return !t.LateAt.IsZero() || t.Status == ports.TransactionSucceeded
	}
	return t.Status.Terminal()
}

// Run lets the plays go on until ctx is done.
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
			s.log.WarnContext(ctx, "sandbox transactions do not go on; the next round tries again", "error", err)
		}
	}
}

func (s *sandboxTransactions) going() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.owners))
}
