package authstate

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/background"
	"github.com/corridor-go/corridor/internal/wiring"
	"github.com/corridor-go/corridor/ports"
)

// Service keeps the states of transactions. It is safe for concurrent use, and
// any number of services, in any number of processes, may share one store.
type Service struct {
	transactions ports.TransactionStore
	work         ports.Work
	normaliser   *failures.Normaliser
	cfg          Config
	loops        *background.Loops
}

// New makes a service. A nil *Config means the defaults. A missing port and a value
// out of its bounds are [errcodes.Configuration].
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

// Opening begins a transaction.
type Opening struct {
	ID        string // the embedder's own, unique for the owner: 1 to 128 bytes of text
	Direction errcodes.Direction
	// RespondBy is when a transaction that is still pending fails with timeout
	// (SPEC 7.5), as soon as [Service.Run], Tick or Get sees it: in the future, and
	// not beyond the year 9999. Zero means that it waits without a limit.
	RespondBy time.Time
}

// Open begins a transaction, pending, and returns it. If the owner has opened the
// id before with the same direction and RespondBy, it returns that transaction as it
// is now, also past RespondBy, so that a caller whose answer was lost can ask again;
// if it was opened otherwise it is [errcodes.Conflict].
//
// Other errors are [errcodes.InvalidRequest], [errcodes.StorageUnavailable],
// [errcodes.OutcomeUnknown], [errcodes.CorruptRecord] and the context's own.
func (s *Service) Open(ctx context.Context, owner string, o Opening) (ports.Transaction, error) {
	t, err := opened(owner, o, s.cfg.Clock.Now())
	if err != nil {
		return ports.Transaction{}, err
	}
	if t.overdue(t.rec.CreatedAt) {
		return s.reopened(ctx, &t.rec, badField("respondBy", "must be in the future"))
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

// reopened returns the stored transaction if it was opened as wanted. If there is
// none, or the outcome of a write is unknown, it returns cause. A failed read does not
// become a Conflict, which would mean that the id is in use.
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
		return ports.Transaction{}, errcodes.New(errcodes.Conflict, "A transaction of this id exists")
	default:
		return stored, nil
	}
}

// Get returns the owner's transaction. An unknown id, or another owner's, is
// [errcodes.NotFound]. The first read of a pending transaction past its RespondBy
// ends it.
//
// Other errors are [errcodes.InvalidRequest] for an empty owner,
// [errcodes.StorageUnavailable], [errcodes.Conflict] if too many write at once,
// [errcodes.OutcomeUnknown], [errcodes.CorruptRecord] and the context's own.
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

// Report is a provider's answer about a transaction.
type Report struct {
	Scheme  failures.Scheme
	Code    string         // the raw code, at most ports.MaxRaw bytes
	Message string         // the raw message, at most ports.MaxRaw bytes
	State   errcodes.State // the caller's hint for codes that no table has; optional
}

// String returns a text without what the provider said.
func (r Report) String() string { return "a report of " + string(r.Scheme) }

// LogValue returns what logs show of a report.
func (r Report) LogValue() slog.Value { return slog.StringValue(r.String()) }

// Applied is the result of an outcome.
type Applied struct {
	Transaction ports.Transaction // as it is now
	Effect      Effect
	Result      failures.Result // what a report means; zero after Fail and Succeed
}

// String returns a text without what the provider said.
func (a Applied) String() string { return a.Transaction.String() + " " + string(a.Effect) }

// LogValue returns what logs show of it.
func (a Applied) LogValue() slog.Value { return slog.StringValue(a.String()) }

// Record applies what a provider said, in the transaction's direction. Duplicate
// reports are ignored. A success after a failure is a late payment: it is recorded and
// raises an event of its own, and the transaction stays failed.
//
// Errors are those of [Service.Get], and [errcodes.InvalidRequest] and
// [errcodes.PayloadTooLarge] as [failures.Normaliser.Normalise] returns them; then
// nothing is applied.
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
	applied, err := s.apply(ctx, t, &finding{
		outcome: meant.Outcome, code: meant.Code, raw: meant.Raw, scheme: meant.Scheme, tables: meant.Tables,
	})
	if err != nil {
		return Applied{}, err
	}
	applied.Result = meant
	return applied, nil
}

// Fail applies a failure that the caller found itself: timeout, networkError,
// screeningRejected, internalError and the like. A code that is not in SPEC 7.5, is
// deprecated or does not fit the transaction's direction (I24, I25) is
// [errcodes.InvalidRequest]; other errors are those of [Service.Get].
func (s *Service) Fail(ctx context.Context, owner, id string, code errcodes.TransactionCode) (Applied, error) {
	t, err := s.read(ctx, owner, id)
	if err != nil {
		return Applied{}, err
	}
	row := code.Row()
	if !row.Fits(t.rec.Direction) || !code.Known() || row.Deprecated {
		return Applied{}, badField("code", "must be a code of SPEC 7.5 that fits the direction")
	}
	return s.apply(ctx, t, &finding{outcome: failures.Outcome(row.State), code: code})
}

// Succeed applies a success that the caller found itself, in a statement for
// example. Errors are those of [Service.Get].
func (s *Service) Succeed(ctx context.Context, owner, id string) (Applied, error) {
	t, err := s.read(ctx, owner, id)
	if err != nil {
		return Applied{}, err
	}
	return s.apply(ctx, t, &finding{outcome: failures.Success})
}
