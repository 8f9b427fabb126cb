package validation

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/background"
	"github.com/corridor-go/corridor/internal/ids"
	"github.com/corridor-go/corridor/internal/wiring"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation/market"
)

// Ports are the dependencies of a [Service]. All are required, except that Connectors may
// be empty: then the rules alone decide.
type Ports struct {
	Validations ports.ValidationStore
	Answers     ports.AnswerCache
	Work        ports.Work // of the same store as Validations
	Sealer      ports.Sealer
	Connectors  []ports.AccountConnector // in the order in which they are called; each has its own name
}

// Service validates accounts. It is safe for concurrent use. Any number of services, in
// any number of processes, may share one store.
type Service struct {
	validations ports.ValidationStore
	answers     ports.AnswerCache
	work        ports.Work
	sealer      ports.Sealer
	routes      map[ports.Market]*route
	policy      Policy
	cfg         Config
	holder      string // identifies this service in claims
	cache       *cache
	pool        sync.Pool // of *buffers
	lookups     *lookups
	loops       *background.Loops
	purgedAt    atomic.Int64 // time of the last purge in Unix milliseconds
	missing     missingKeys
}

// New returns a service. It returns [errcodes.Configuration] if a port is missing or a
// value is out of bounds. A nil *Config means the defaults.
func New(p Ports, policy Policy, config *Config) (*Service, error) {
	if err := wiring.Check(p); err != nil {
		return nil, err
	}
	if err := policy.Check(); err != nil {
		return nil, err
	}
	cfg, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	routes, err := newRoutes(p.Connectors)
	if err != nil {
		return nil, err
	}
	holder, err := ids.New("", cfg.Clock.Now(), cfg.Random)
	if err != nil {
		return nil, err
	}
	return &Service{
		validations: p.Validations, answers: p.Answers, work: p.Work, sealer: p.Sealer,
		routes: routes, policy: policy, cfg: cfg, holder: holder,
		cache: newCache(cfg.MaxRecent), lookups: newLookups(cfg.MaxLookups),
		loops: background.New(background.Config{
			Clock: cfg.Clock, Every: cfg.Every, Logger: cfg.Logger, Work: "validations", Failed: cfg.Hooks.Background,
		}),
	}, nil
}

var errNoOwner = errcodes.New(errcodes.InvalidRequest, "owner is required").
	WithDetails(errcodes.FieldDetails{Fields: []errcodes.Field{{Name: "owner", Reason: "is required"}}})

// Validate checks an account for the owner. It returns the result, or after Config.Window
// a pending validation, whose id can be passed to [Service.Get] and [Service.Wait] (SPEC
// 4.7, I19). Within Policy.AnswerTTL of the provider's answer no new lookup is made. Each
// call returns a new id; equal requests may share one record, including its creation
// time.
//
// Errors: [errcodes.InvalidRequest] if the owner is "", those of [market.Check],
// [errcodes.Unavailable] if too many lookups are running, [errcodes.Closed] if a lookup
// is needed after Stop, [errcodes.StorageUnavailable], [errcodes.OutcomeUnknown] if the
// store cannot determine whether it stored the result, [errcodes.Conflict] if a random id
// is taken, and [errcodes.Canceled] or [errcodes.DeadlineExceeded] when ctx is done.
func (s *Service) Validate(ctx context.Context, owner string, req market.Request) (ports.Validation, error) {
	v, err := s.validate(ctx, owner, req)
	if err != nil {
		return ports.Validation{}, errcodes.Coded(err)
	}
	s.cfg.Hooks.Answered(ctx, v.ValidationRecord)
	return v, nil
}

func (s *Service) validate(ctx context.Context, owner string, req market.Request) (ports.Validation, error) {
	start := s.cfg.Clock.Now()
	if owner == "" {
		return ports.Validation{}, errNoOwner
	}
	checked, err := market.Check(req)
	if err != nil {
		return ports.Validation{}, err
	}
	r := request{
		owner: owner, merchant: req.MerchantID, account: checked.Account, identity: req.Identity,
		name: req.AccountHolderName, digits: checked.Verdict,
	}
	hash := s.cache.hash(&r)
	if v, ok := s.cache.get(hash, &r, start); ok {
		return v, nil
	}
	rec, err := s.newRecord(&r, ports.Millis(start))
	if err != nil {
		return ports.Validation{}, err
	}
	if res, decided := s.byRules(&r, checked.Reason); decided {
		return s.finish(ctx, &rec, &res)
	}
	key := s.key(&r)
	kept, ok, err := s.keptAnswer(ctx, owner, key)
	switch {
	case err != nil:
		return ports.Validation{}, err
	case !ok:
		return s.await(ctx, &rec, key, &r, start)
	}
	res := s.judge(&r, &kept)
	v, err := s.finish(ctx, &rec, &res)
	if err == nil {
		s.cache.put(hash, &r, &v)
	}
	return v, err
}

// maxLead is how far the time of a cached answer may be ahead of Config.Clock.
const maxLead = time.Minute

// keptAnswer returns the cached answer about an account and reports whether it is present
// and usable.
func (s *Service) keptAnswer(ctx context.Context, owner string, key [32]byte) (answer, bool, error) {
	kept, err := s.answers.Answer(ctx, key)
	switch {
	case errcodes.Of(err) == errcodes.NotFound:
		return answer{}, false, nil
	case err != nil:
		return answer{}, false, err
	}
	now := s.cfg.Clock.Now()
	if !now.Before(kept.ExpiresAt) || kept.At.After(now.Add(maxLead)) {
		return answer{}, false, nil // stale, or stored by a clock that was wrong
	}
	reply, err := s.openAnswer(ctx, owner, &kept)
	switch {
	case errcodes.Of(err) == errcodes.KeyUnknown, errcodes.Of(err) == errcodes.CorruptRecord:
		return answer{}, false, nil // ask the provider again
	case err != nil:
		return answer{}, false, err
	}
	return answer{
		provider: kept.Provider, reply: reply, outcome: ports.OutcomeOf(reply, nil), cached: true, expiresAt: kept.ExpiresAt,
	}, true, nil
}

// Get returns the owner's validation. If a pending one is past its deadline, Get ends it,
// unless its sealing key is missing (I17).
//
// Errors: [errcodes.InvalidRequest] if the owner is "", [errcodes.NotFound] if the id is
// unknown, another owner's or purged, [errcodes.KeyUnknown] if the sealing key of an ended
// one is missing, [errcodes.CorruptRecord], [errcodes.StorageUnavailable],
// [errcodes.OutcomeUnknown], and [errcodes.Canceled] or [errcodes.DeadlineExceeded] when
// ctx is done.
func (s *Service) Get(ctx context.Context, owner, id string) (ports.Validation, error) {
	if owner == "" {
		return ports.Validation{}, errNoOwner
	}
	v, err := s.get(ctx, owner, recordID(id))
	if err != nil {
		return ports.Validation{}, errcodes.Coded(err)
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
	case rec.Status == ports.StatusPending && (now.Before(rec.Deadline) || waitsForKey(&rec)):
		return validationOf(&rec, &result{}), nil
	case rec.Status == ports.StatusPending:
		return s.endOverdue(ctx, &rec)
	default:
		return s.reveal(ctx, &rec)
	}
}

// waitEvery is how often Wait reads a validation that another process is looking up.
const waitEvery = 250 * time.Millisecond

// Wait returns the owner's validation once it has ended. It returns the errors of
// [Service.Get].
func (s *Service) Wait(ctx context.Context, owner, id string) (ports.Validation, error) {
	for {
		finished := s.lookups.finished(recordID(id)) // before Get, so that the end cannot be missed
		v, err := s.Get(ctx, owner, id)
		if err != nil || v.Status.Terminal() {
			return v, err
		}
		select {
		case <-ctx.Done():
			return ports.Validation{}, errcodes.Coded(ctx.Err())
		case <-finished:
		case <-s.cfg.Clock.After(waitEvery):
		}
	}
}

// Stop ends Run and all lookups and waits for them until ctx is done, when it returns
// [errcodes.Canceled] or [errcodes.DeadlineExceeded]. It does not wait for a connector
// that ignores its cancelled context; that answer is dropped. Pending validations stay
// pending until another service or the next start resumes them.
//
// After Stop, Get and Wait still work, and so does Validate if the rules or a cached
// answer decide; a call that needs a lookup returns [errcodes.Closed]. Stop may be called
// more than once.
func (s *Service) Stop(ctx context.Context) error { return s.loops.Stop(ctx) }
