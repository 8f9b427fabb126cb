package validation

import (
	"context"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/background"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation/market"
)

// Ports are what a [Service] needs from outside. All are required.
type Ports struct {
	Validations ports.ValidationStore
	Answers     ports.AnswerCache
	Work        ports.Work // of the same store as Validations
	Sealer      ports.Sealer
}

// Service validates accounts. It is safe for concurrent use, and any number of
// services, in any number of processes, may share one store.
type Service struct {
	validations ports.ValidationStore
	answers     ports.AnswerCache
	work        ports.Work
	sealer      ports.Sealer
	routes      routes
	policy      Policy
	cfg         Config
	holder      string // this service's name in claims
	recent      *recent
	room        *room
	flights     flights
	loops       *background.Loops
	purged      purges
}

// New makes a service that asks the connectors in their order. None is a
// service of rules alone. A value out of its bounds, or a port that is nil, is
// errcodes.Configuration. A nil *Config means the defaults.
func New(p Ports, connectors []ports.AccountConnector, policy Policy, config *Config) (*Service, error) {
	if p.Validations == nil || p.Answers == nil || p.Work == nil || p.Sealer == nil {
		return nil, misconfigured("a validation store, an answer cache, work and a sealer are required")
	}
	if err := policy.Check(); err != nil {
		return nil, err
	}
	cfg, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	routes, err := newRoutes(connectors)
	if err != nil {
		return nil, err
	}
	holder, err := newID(cfg.Clock.Now(), cfg.Random, new(rawID))
	if err != nil {
		return nil, err
	}
	return &Service{
		validations: p.Validations, answers: p.Answers, work: p.Work, sealer: p.Sealer,
		routes: routes, policy: policy, cfg: cfg, holder: holder,
		flights: newFlights(cfg.MaxLookups), loops: background.New(background.Config{
			Clock: cfg.Clock, Every: cfg.Every, Logger: cfg.Logger, Work: "validations",
			Failed: func(_ context.Context, err error) { cfg.Hooks.Background(err) },
		}),
		recent: newRecent(cfg.MaxRecent), room: newRoom(),
	}, nil
}

// Validate checks an account for the owner and gives the result, or after
// Config.Window a pending validation, whose id [Service.Get] takes and
// [Service.Wait] waits for (SPEC 4.7, I19). The same account asked again within
// Policy.AnswerTTL costs no lookup. Each request has an id of its own; one that
// asks exactly what was asked before may share the record of the earlier, its
// creation time included.
//
// Errors: InvalidRequest and Unprocessable as [market.Check] gives them, Unavailable
// when too many lookups run, StorageUnavailable, OutcomeUnknown, KeyUnknown,
// Closed, Conflict if chance gave an id twice, and the context's own.
func (s *Service) Validate(ctx context.Context, owner string, req market.Request) (ports.Validation, error) {
	v, err := s.validate(ctx, owner, req)
	if err == nil {
		s.cfg.Hooks.Answered(v.ValidationRecord)
	}
	return v, err
}

func (s *Service) validate(ctx context.Context, owner string, req market.Request) (ports.Validation, error) {
	start := s.cfg.Clock.Now()
	found, err := market.Check(req)
	if err != nil {
		return ports.Validation{}, err
	}
	q := question{account: found.Account, identity: req.Identity, owner: owner, merchant: req.MerchantID, name: req.AccountHolderName}
	if v, ok := s.recent.again(&q, start); ok {
		return v, nil
	}
	w := wanted{
		account: q.account, identity: q.identity, name: q.name, digits: found.Verdict, route: s.routes[q.account.Market],
	}
	rec, err := s.draft(&q, ports.Millis(start))
	if err != nil {
		return ports.Validation{}, err
	}
	if v, ok := s.byRules(&w, found.Reason); ok {
		return s.finish(ctx, &rec, &v)
	}
	key := s.answerKey(owner, &w)
	end, err := s.recall(ctx, owner, key)
	if err != nil {
		return ports.Validation{}, err
	}
	if end == nil {
		return s.await(ctx, &rec, key, &q, &w, start)
	}
	v := s.judge(w.name, w.digits, end)
	told, err := s.finish(ctx, &rec, &v)
	if err == nil {
		s.recent.put(&q, &told)
	}
	return told, err
}

// maxLead is how far ahead of this clock an answer may have been kept.
const maxLead = time.Minute

// recall gives the kept answer of an account, or nil.
func (s *Service) recall(ctx context.Context, owner string, key ports.AnswerKey) (*ending, error) {
	kept, err := s.answers.Answer(ctx, key)
	switch {
	case errcodes.Of(err) == errcodes.NotFound:
		return nil, nil //nolint:nilnil // nothing is kept
	case err != nil:
		return nil, err
	}
	now := s.cfg.Clock.Now()
	if !now.Before(kept.ExpiresAt) || kept.At.After(now.Add(maxLead)) {
		return nil, nil //nolint:nilnil // what is kept is stale, or from a clock that was wrong
	}
	a, err := s.openAnswer(ctx, owner, &kept)
	switch {
	case err != nil && lost(err):
		return nil, nil //nolint:nilnil // ask anew what cannot be read
	case err != nil:
		return nil, err
	}
	return &ending{
		provider: kept.Provider, answer: a, outcome: ports.OutcomeOf(a, nil), cached: true, expiresAt: kept.ExpiresAt,
	}, nil
}

// Get gives the owner's validation. An unknown id, another owner's, or one
// that has been purged is errcodes.NotFound. The first read that finds a
// pending one past its time ends it (I17).
//
// Errors: NotFound, KeyUnknown when it was sealed with a key that is gone,
// StorageUnavailable, OutcomeUnknown, CorruptRecord, and the context's own.
func (s *Service) Get(ctx context.Context, owner, id string) (ports.Validation, error) {
	v, err := s.get(ctx, owner, recordID(id))
	if err != nil {
		return ports.Validation{}, err
	}
	v.ID = id
	return v, nil
}

func (s *Service) get(ctx context.Context, owner, id string) (ports.Validation, error) {
	rec, err := s.read(ctx, owner, id)
	if err != nil {
		return ports.Validation{}, err
	}
	now := s.cfg.Clock.Now()
	switch {
	case rec.Status.Terminal() && !now.Before(rec.PurgeAt):
		return ports.Validation{}, errcodes.New(errcodes.NotFound, "No such validation")
	case rec.Status == ports.StatusPending && !now.Before(rec.Deadline):
		return s.expire(ctx, &rec)
	case rec.Status == ports.StatusPending:
		return shown(&rec, &private{}), nil
	default:
		return s.reveal(ctx, &rec)
	}
}

// expire ends a validation that nobody has ended in time.
func (s *Service) expire(ctx context.Context, rec *ports.ValidationRecord) (ports.Validation, error) {
	return s.settle(ctx, rec.Owner, rec.ID, func(*private) verdict {
		return verdict{on: OnFailure, provider: rec.Provider, kind: ports.External, outcome: ports.OutcomeTimeout, reason: reasonOverdue}
	})
}

// waitEvery is how often Wait looks at a validation that another process is
// looking up.
const waitEvery = 250 * time.Millisecond

// Wait gives the owner's validation once it has ended. Errors are those of Get.
func (s *Service) Wait(ctx context.Context, owner, id string) (ports.Validation, error) {
	for {
		settled := s.flights.settled(recordID(id)) // before the read, or an end between the two goes unheard
		v, err := s.Get(ctx, owner, id)
		if err != nil || v.Status.Terminal() {
			return v, err
		}
		select {
		case <-ctx.Done():
			return v, ctx.Err()
		case <-settled:
		case <-s.cfg.Clock.After(waitEvery):
		}
	}
}

// Close stops Run, breaks lookups off, and waits for all of it to end, or for
// ctx. What was pending stays so, and is taken up by another service or at the
// next start; an answer that was on its way is dropped. It does not wait for a
// connector that goes on after the context of its lookup has ended. Close may be
// called more than once.
func (s *Service) Close(ctx context.Context) error {
	return s.loops.Stop(ctx)
}
