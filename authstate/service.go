package authstate

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/background"
	"github.com/corridor-go/corridor/internal/wiring"
	"github.com/corridor-go/corridor/ports"
)

// Service tracks the states of transactions. It is safe for concurrent use, and any
// number of services, in any number of processes, may share one store.
type Service struct {
	transactions ports.TransactionStore
	work         ports.Work
	normaliser   *failures.Normaliser
	cfg          Config
	loops        *background.Loops
}

// New returns a service. A nil config means the defaults. New returns
// [errcodes.Configuration] if a port is missing or a value is out of its bounds.
func New(p Ports, policy Policy, config *Config) (*Service, error) {
	cfg, err := config.withDefaults()
	if err = cmp.Or(wiring.Check(p), err); err != nil {
		return nil, err
	}
	return &Service{
		transactions: p.Transactions, work: p.Work, normaliser: cmp.Or(policy.Normaliser, &failures.Normaliser{}), cfg: cfg,
		loops: background.New(background.Config{
			Clock: cfg.Clock, Every: cfg.Every, Logger: cfg.Logger, Work: "payments", Failed: cfg.Hooks.Background,
		}),
	}, nil
}

// Opening describes a new transaction.
type Opening struct {
	ID        string // the embedder's own, unique for the owner: 1 to 128 bytes of text
	Direction errcodes.Direction
	// RespondBy is when the transaction fails with timeout (SPEC 7.5) if it is still
	// pending: the next [Service.Run], Tick or Get ends it. It must be in the future and
	// not after the year 9999. Zero means no timeout.
	RespondBy time.Time
}

// Open stores a new pending transaction and returns it. If the owner has opened the id
// before with the same direction and RespondBy, Open returns that transaction in its
// current state, even after RespondBy, so that callers can repeat the call. If direction
// or RespondBy differ, it returns [errcodes.Conflict].
//
// Other errors are [errcodes.InvalidRequest], [errcodes.StorageUnavailable],
// [errcodes.OutcomeUnknown], [errcodes.CorruptRecord] and the context's error.
func (s *Service) Open(ctx context.Context, owner string, o Opening) (ports.Transaction, error) {
	t, err := opened(owner, o, s.cfg.Clock.Now())
	if err != nil {
		return ports.Transaction{}, err
	}
	if t.overdue(t.rec.CreatedAt) {
		return s.reopened(ctx, &t.rec, badField("respondBy", "must be in the future, not "+ports.FormatTime(o.RespondBy)))
	}
	change, err := t.change(EventOpened, t.rec.CreatedAt)
	if err != nil {
		return ports.Transaction{}, err
	}
	if !t.rec.RespondBy.IsZero() {
		change.Work = []ports.WorkItem{timeoutWork(&t.rec)}
	}
	err = s.save(ctx, change)
	switch errcodes.Of(err) {
	case "":
		t.rec.Version++
		return t.rec, nil
	case errcodes.Conflict, errcodes.OutcomeUnknown:
		return s.reopened(ctx, &t.rec, err)
	default:
		return ports.Transaction{}, errcodes.Coded(err)
	}
}

// reopened returns the stored transaction if its direction and RespondBy are those wanted.
// It returns cause if the id is not stored, or if cause is OutcomeUnknown and the read
// fails. A failed read never becomes a Conflict, which means that the id is in use.
func (s *Service) reopened(ctx context.Context, wanted *ports.Transaction, cause error) (ports.Transaction, error) {
	stored, err := s.Get(ctx, wanted.Owner, wanted.ID)
	switch {
	case errcodes.Of(err) == errcodes.NotFound:
		return ports.Transaction{}, cause
	case errcodes.Of(err) == errcodes.CorruptRecord:
		return ports.Transaction{}, err
	case err != nil:
		return ports.Transaction{}, firstUnknown(cause, err)
	case stored.Direction != wanted.Direction || !stored.RespondBy.Equal(wanted.RespondBy):
		return ports.Transaction{}, errcodes.New(errcodes.Conflict, "A transaction with this id exists")
	default:
		return stored, nil
	}
}

// Get returns the owner's transaction. It returns [errcodes.NotFound] if the id is unknown
// or another owner's. The first Get of a pending transaction after its RespondBy ends it.
//
// Other errors are [errcodes.InvalidRequest] for an empty owner,
// [errcodes.StorageUnavailable], [errcodes.Conflict] after too many concurrent writes,
// [errcodes.OutcomeUnknown], [errcodes.CorruptRecord] and the context's error.
func (s *Service) Get(ctx context.Context, owner, id string) (ports.Transaction, error) {
	t, err := s.read(ctx, owner, id)
	if err != nil || !t.overdue(s.cfg.Clock.Now()) {
		return t.rec, err
	}
	ended, err := s.apply(ctx, t, timeout)
	return ended.Transaction, err
}

func (s *Service) read(ctx context.Context, owner, id string) (transaction, error) {
	if owner == "" {
		return transaction{}, badField("owner", "is required")
	}
	rec, err := s.transactions.Transaction(ctx, owner, id)
	if err != nil {
		return transaction{}, errcodes.Coded(err)
	}
	return restored(rec)
}

// Report is a provider's answer about a transaction. It needs a Code, a State, or a
// Message that a table knows: without one of them it says nothing about the transaction.
type Report struct {
	Scheme  failures.Scheme
	Code    string         // the raw code, at most ports.MaxRaw bytes
	Message string         // the raw message, at most ports.MaxRaw bytes
	State   errcodes.State // optional: what the provider says beside the code, see [failures.Input]
}

// saysNothing reports whether the report is neither a failure nor a success, but an
// incomplete message. meant is its meaning.
func (r *Report) saysNothing(meant *failures.Result) bool {
	return strings.TrimSpace(r.Code) == "" && r.State == "" && !meant.Known()
}

// String returns the scheme, without the raw code and message.
func (r Report) String() string { return "a report of " + string(r.Scheme) }

// LogValue returns [Report.String].
func (r Report) LogValue() slog.Value { return slog.StringValue(r.String()) }

// Applied is the result of an outcome.
type Applied struct {
	Transaction ports.Transaction // its current state
	Effect      Effect
	Result      failures.Result // the meaning of a report; zero after Fail and Succeed
}

// String returns [ports.Transaction.String] and the effect.
func (a Applied) String() string { return a.Transaction.String() + " " + string(a.Effect) }

// LogValue returns [Applied.String].
func (a Applied) LogValue() slog.Value { return slog.StringValue(a.String()) }

// Record applies a provider's report, by the codes for the transaction's direction.
// Duplicate reports are ignored. A success after a failure is a late payment: it is
// recorded and raises its own event, and the transaction stays failed. RespondBy alone ends
// nothing: a report that is recorded after it, but before the next Run, Tick or Get, decides.
//
// A code that is in no table ends a pending transaction, with a placeholder as its code
// (see [failures.Result.Known]). Callers that can ask the provider check Known first.
//
// Record returns [errcodes.InvalidRequest] for a report that says nothing: its code is
// empty or blank, it has no state, and no table knows its message. Other errors are those
// of [Service.Get] and of [failures.Normaliser.Normalise]. With an error nothing is applied.
func (s *Service) Record(ctx context.Context, owner, id string, r Report) (Applied, error) {
	t, err := s.read(ctx, owner, id)
	if err != nil {
		return Applied{}, err
	}
	meant, err := s.normaliser.Normalise(failures.Input{
		Scheme: r.Scheme, Direction: t.rec.Direction, Code: r.Code, Message: r.Message, State: r.State,
	})
	if err != nil {
		return Applied{}, err
	}
	if r.saysNothing(&meant) {
		return Applied{}, badField("code", "is required, unless the state is set or a table knows the message")
	}
	applied, err := s.apply(ctx, t, &finding{
		outcome: meant.Outcome, code: meant.Code, raw: meant.Raw, scheme: meant.Scheme, tables: meant.Tables,
	})
	if err != nil {
		return Applied{}, err
	}
	applied.Result = meant
	return applied, nil
}

// Fail applies a failure that no provider reported, such as timeout, networkError,
// screeningRejected or internalError. It returns [errcodes.InvalidRequest] if the code is
// not in SPEC 7.5, is deprecated or does not fit the transaction's direction (I24, I25),
// and the errors of [Service.Get].
func (s *Service) Fail(ctx context.Context, owner, id string, code errcodes.TransactionCode) (Applied, error) {
	t, err := s.read(ctx, owner, id)
	if err != nil {
		return Applied{}, err
	}
	row := code.Row()
	if !row.Fits(t.rec.Direction) || !code.Known() || row.Deprecated {
		return Applied{}, badField("code", fmt.Sprintf("must be a code of SPEC 7.5 for a %s, not %.64q", t.rec.Direction, code))
	}
	return s.apply(ctx, t, &finding{outcome: failures.Outcome(row.State), code: code})
}

// Succeed applies a success that no provider reported, for example one found in a
// statement. It returns the errors of [Service.Get].
func (s *Service) Succeed(ctx context.Context, owner, id string) (Applied, error) {
	t, err := s.read(ctx, owner, id)
	if err != nil {
		return Applied{}, err
	}
	return s.apply(ctx, t, &finding{outcome: failures.Success})
}
