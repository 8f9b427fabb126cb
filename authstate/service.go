package authstate

import (
	"context"
	"log/slog"
	"time"

	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/background"
	"github.com/corridor-go/corridor/ports"
)

// Ports are what a [Service] needs from outside. All are required.
type Ports struct {
	Transactions ports.TransactionStore
	Work         ports.Work // of the same store as Transactions
}

// Service keeps the states of transactions. It is safe for concurrent use, and
// any number of services, in any number of processes, may share one store.
type Service struct {
	transactions ports.TransactionStore
	work         ports.Work
	normaliser   *failures.Normaliser
	cfg          Config
	loops        *background.Loops
}

// New makes a service. A value out of its bounds, or a port or a normaliser
// that is nil, is errcodes.Configuration. A nil *Config means the defaults.
func New(p Ports, normaliser *failures.Normaliser, config *Config) (*Service, error) {
	if p.Transactions == nil || p.Work == nil || normaliser == nil {
		return nil, errcodes.New(errcodes.Configuration, "a transaction store, work and a normaliser are required")
	}
	cfg, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Service{
		transactions: p.Transactions, work: p.Work, normaliser: normaliser, cfg: cfg, loops: background.New(background.Config{
			Clock: cfg.Clock, Every: cfg.Every, Logger: cfg.Logger, Work: "payments",
			Failed: func(_ context.Context, err error) { cfg.Hooks.Background(err) },
		}),
	}, nil
}

// Opening begins a transaction.
type Opening struct {
	ID        string // the embedder's own, unique for the owner: 1 to 128 bytes of text
	Direction errcodes.Direction
	// RespondBy is when a transaction that is still pending fails with timeout
	// (SPEC 7.5), once [Service.Run], Tick or Get finds it so: in the future, and
	// not beyond the year 9999. Zero: it waits for ever.
	RespondBy time.Time
}

// Open begins a transaction, pending. Opened again with the same direction and
// RespondBy, it is given as it is by now, also past RespondBy, so that an answer
// that was lost can be asked for again; opened otherwise, the id is taken:
// Conflict.
//
// Errors: InvalidRequest, Conflict, StorageUnavailable, OutcomeUnknown,
// CorruptRecord, and the context's own.
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
	err = s.transactions.Save(ctx, change)
	switch errcodes.Of(err) {
	case "":
		t.rec.Version++
		return t.rec, nil
	case errcodes.Conflict, errcodes.OutcomeUnknown:
		return s.reopened(ctx, &t.rec, err)
	default:
		return ports.Transaction{}, err
	}
}

// reopened gives the stored transaction where it was opened just so. Where there
// is none, or nobody knows what a write did, it is cause; a read that failed is
// no Conflict, which would say that the id is taken.
func (s *Service) reopened(ctx context.Context, wanted *ports.Transaction, cause error) (ports.Transaction, error) {
	there, err := s.Get(ctx, wanted.Owner, wanted.ID)
	switch {
	case errcodes.Of(err) == errcodes.NotFound:
		return ports.Transaction{}, cause
	case errcodes.Of(err) == errcodes.CorruptRecord:
		return ports.Transaction{}, err
	case err != nil:
		return ports.Transaction{}, firstUnknown(cause, err)
	case there.Direction != wanted.Direction || !there.RespondBy.Equal(wanted.RespondBy):
		return ports.Transaction{}, errcodes.New(errcodes.Conflict, "A transaction of this id exists")
	default:
		return there, nil
	}
}

// Get gives the owner's transaction. An unknown id, or another owner's, is
// errcodes.NotFound. The first read that finds a pending one past its RespondBy
// ends it.
//
// Errors: NotFound, StorageUnavailable, Conflict when too many write at once,
// OutcomeUnknown, CorruptRecord, and the context's own.
func (s *Service) Get(ctx context.Context, owner, id string) (ports.Transaction, error) {
	t, err := s.read(ctx, owner, id)
	if err != nil || !t.overdue(s.cfg.Clock.Now()) {
		return t.rec, err
	}
	ended, err := s.apply(ctx, t, timeout)
	return ended.Transaction, err
}

func (s *Service) read(ctx context.Context, owner, id string) (transaction, error) {
	rec, err := s.transactions.Transaction(ctx, owner, id)
	if err != nil {
		return transaction{}, err
	}
	return restored(rec)
}

// Report is a provider's answer about a transaction.
type Report struct {
	Scheme  failures.Scheme
	Code    string         // the raw code, at most ports.MaxRaw bytes
	Message string         // the raw message, at most ports.MaxRaw bytes
	State   errcodes.State // the caller's hint for codes that nothing knows; optional
}

// String shows a report without what the provider said.
func (r Report) String() string { return "a report of " + string(r.Scheme) }

// LogValue is what logs show of a report.
func (r Report) LogValue() slog.Value { return slog.StringValue(r.String()) }

// Applied is what an outcome has done.
type Applied struct {
	Transaction ports.Transaction // as it is now
	Effect      Effect
	Result      failures.Result // what a report means; zero for the service's own findings
}

// String shows what an outcome has done without what the provider said.
func (a Applied) String() string { return a.Transaction.String() + " " + string(a.Effect) }

// LogValue is what logs show of it.
func (a Applied) LogValue() slog.Value { return slog.StringValue(a.String()) }

// Record applies what a provider said, in the transaction's own direction. The
// same said twice is once. A success after a bad end is a late payment: it is
// recorded and told as an event of its own, and the end stays.
//
// Errors: InvalidRequest and PayloadTooLarge as [failures.Normaliser.Normalise] gives
// them, with nothing applied; NotFound, StorageUnavailable, Conflict when too
// many write at once, OutcomeUnknown, CorruptRecord, and the context's own.
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
	applied, err := s.apply(ctx, t, &verdict{
		outcome: meant.Outcome, code: meant.Code, raw: meant.Raw, scheme: meant.Scheme, tables: meant.Tables,
	})
	applied.Result = meant
	return applied, err
}

// Fail applies a failure that the service found itself: timeout, networkError,
// screeningRejected, internalError and the like. A code that is none of SPEC
// 7.5, is deprecated, or does not fit the transaction's direction (I24, I25) is
// errcodes.InvalidRequest; the other errors are those of [Service.Record].
func (s *Service) Fail(ctx context.Context, owner, id string, code errcodes.TransactionCode) (Applied, error) {
	t, err := s.read(ctx, owner, id)
	if err != nil {
		return Applied{}, err
	}
	row := code.Row()
	if !row.Fits(t.rec.Direction) || !code.Known() || row.Deprecated {
		return Applied{}, badField("code", "must be a code of SPEC 7.5 that fits the direction")
	}
	return s.apply(ctx, t, &verdict{outcome: failures.Outcome(row.State), code: code})
}

// Succeed applies a success that the service found itself, in a statement for
// example. Errors are those of [Service.Record].
func (s *Service) Succeed(ctx context.Context, owner, id string) (Applied, error) {
	t, err := s.read(ctx, owner, id)
	if err != nil {
		return Applied{}, err
	}
	return s.apply(ctx, t, &verdict{outcome: failures.Success})
}
