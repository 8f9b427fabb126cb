package validation

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// lookup is one search for the answer about an account. The callers of this process that
// ask about the account share it.
type lookup struct {
	request  // of the first caller
	order    []ports.AccountConnector
	key      [32]byte
	until    time.Time       // when its time ends
	before   <-chan struct{} // closed when the earlier lookup about the same key has finished; may be nil
	answered chan struct{}   // closed when answer is set
	answer   answer          // valid after answered is closed
	finished chan struct{}   // closed when its validations have ended and its claim is released
	attempts attempts        // used only by the goroutine that calls the connectors

	mu      sync.Mutex
	over    bool // callers can no longer join
	callers int
	same    map[request]*sameRequest
	pending map[string]struct{} // ids of the validations that end with it
	asking  string              // the connector that is being called, or is called first
}

// lookups are the running lookups of this process.
type lookups struct {
	mu    sync.Mutex
	byKey map[[32]byte]*lookup
	byID  map[string]*lookup // by the ids of their pending validations
	of    map[string]int     // the number of lookups in byKey, by owner
	most  int
}

func newLookups(most int) *lookups {
	return &lookups{byKey: map[[32]byte]*lookup{}, byID: map[string]*lookup{}, of: map[string]int{}, most: most}
}

// eachFree is how many lookups an owner may run for each free one.
const eachFree = 3

// crowded reports whether the owner has used up its share of the lookups. The caller must
// hold mu.
func (ls *lookups) crowded(owner string) bool {
	return ls.of[owner] >= eachFree*(ls.most-len(ls.byKey))
}

var (
	errFull   = errcodes.New(errcodes.Unavailable, "Too many lookups are running; retry later").WithRetryAfter(time.Second)
	errClosed = errcodes.New(errcodes.Closed, "")
)

// join returns the running lookup for a key, or starts one. The caller must call leave.
func (s *Service) join(ctx context.Context, key [32]byte, r *request, until time.Time) (*lookup, error) {
	s.lookups.mu.Lock()
	defer s.lookups.mu.Unlock()
	last := s.lookups.byKey[key]
	if last != nil && last.enter() {
		return last, nil
	}
	if last == nil && s.lookups.crowded(r.owner) {
		return nil, errFull
	}
	if !s.loops.Begin() {
		return nil, errClosed
	}
	order := s.routes[r.account.Market].order(r.name)
	l := &lookup{
		request: *r, order: order, key: key, until: until, answered: make(chan struct{}), finished: make(chan struct{}),
		callers: 1, same: map[request]*sameRequest{}, pending: map[string]struct{}{}, asking: order[0].Name(),
	}
	if last != nil {
		l.before = last.finished
	} else {
		s.lookups.of[r.owner]++
	}
	s.lookups.byKey[key] = l
	outlive := context.WithoutCancel(ctx) // other callers may wait for it
	var running sync.WaitGroup
	running.Go(func() {
		defer s.loops.End()
		s.run(outlive, l)
	})
	return l, nil
}

// enter counts a caller. It reports false if the lookup is over.
func (l *lookup) enter() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over {
		l.callers++
	}
	return !l.over
}

func (l *lookup) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.callers--
}

func (l *lookup) isOver() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.over
}

// failed reports whether a finished lookup has no answer. Its validations stay pending.
func (l *lookup) failed() bool { return l.answer.err != nil }

// provider returns the connector that is being called, or is called first.
func (l *lookup) provider() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.asking
}

// moveTo sets the connector that is called next, and reports whether it differs from the
// previous one.
func (l *lookup) moveTo(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	moved := l.asking != name
	l.asking = name
	return moved
}

// waiting returns the number of waiting callers and the ids of the pending validations.
func (l *lookup) waiting() (callers int, ids []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.callers, slices.Collect(maps.Keys(l.pending))
}

// drop ends a lookup that no caller waits for. It reports false if callers or validations
// have joined in the meantime; pending is the number of validations seen.
func (l *lookup) drop(pending int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = l.callers == 0 && len(l.pending) == pending
	return l.over
}

// attach ensures that the lookup ends the validation. It reports false if the lookup is
// over.
func (ls *lookups) attach(l *lookup, id string) bool {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over {
		l.pending[id] = struct{}{}
		ls.byID[id] = l
	}
	return !l.over
}

// full reports whether the owner cannot start a lookup for the key now.
func (ls *lookups) full(owner string, key [32]byte) bool {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	return ls.byKey[key] == nil && ls.crowded(owner)
}

// finished returns a channel that is closed when a lookup of this process has ended the
// validation. It returns nil, which blocks, if there is no such lookup.
func (ls *lookups) finished(id string) <-chan struct{} {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if l := ls.byID[id]; l != nil {
		return l.finished
	}
	return nil
}

// answer sets the answer of a lookup. Callers can no longer join it.
func (ls *lookups) answer(l *lookup, a *answer) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answer, l.over = *a, true
	close(l.answered)
}

// remove removes an answered lookup.
func (ls *lookups) remove(l *lookup) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if ls.byKey[l.key] == l {
		delete(ls.byKey, l.key)
		if ls.of[l.owner]--; ls.of[l.owner] == 0 {
			delete(ls.of, l.owner)
		}
	}
	for id := range l.pending {
		delete(ls.byID, id)
	}
	close(l.finished)
}

const (
	claimLease = 4 * time.Second // how long the claim of a dead process lasts
	claimRenew = claimLease / 3
	claimPoll  = 200 * time.Millisecond // how often another process's lookup is polled
)

// run performs a lookup and ends its validations. It releases the claim last, so that no
// other process asks the same in the meantime.
func (s *Service) run(ctx context.Context, l *lookup) {
	running, cancel := context.WithCancel(ctx)
	var claim sync.WaitGroup
	claim.Go(func() { s.keepClaim(running, cancel, l) })
	a := s.find(running, l)
	if a.err != nil && running.Err() != nil {
		a.err = errClosed // the store may have returned any error
	}
	s.lookups.answer(l, &a)
	s.endAll(ctx, l)
	cancel()
	claim.Wait()
	s.report(ctx, "cannot release the claim, which lasts until its lease ends", s.answers.Release(ctx, l.key, s.holder))
	s.lookups.remove(l)
}

// keepClaim renews the claim of a lookup. On Stop it cancels the lookup.
func (s *Service) keepClaim(ctx context.Context, cancel context.CancelFunc, l *lookup) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.loops.Stopping():
			cancel()
			return
		case <-s.cfg.Clock.After(claimRenew):
			if l.isOver() {
				return
			}
			now := s.cfg.Clock.Now()
			_, err := s.answers.Claim(ctx, l.key, s.holder, now, now.Add(claimLease))
			s.report(ctx, "cannot renew the claim", err)
		}
	}
}

// find returns the answer: from the connectors if this process holds the claim, or from
// the cache once another process has stored it there.
func (s *Service) find(ctx context.Context, l *lookup) answer {
	if l.before != nil {
		<-l.before // the earlier lookup would release this one's claim
	}
	for waited := time.Duration(0); ; waited += claimPoll {
		now := s.cfg.Clock.Now()
		if !now.Before(l.until) || waited >= s.cfg.Timeout { // the clock may have jumped back
			return answer{provider: l.provider(), outcome: ports.OutcomeTimeout}
		}
		won, err := s.answers.Claim(ctx, l.key, s.holder, now, now.Add(claimLease))
		if err != nil {
			return answer{err: err}
		}
		kept, ok, err := s.keptAnswer(ctx, l.owner, l.key)
		switch {
		case err != nil:
			return answer{err: err}
		case ok:
			return kept
		case won && s.unwanted(ctx, l):
			return answer{err: errClosed}
		case won:
			a := s.ask(ctx, l)
			s.keep(ctx, l, &a)
			return a
		}
		select {
		case <-ctx.Done():
			return answer{err: errClosed}
		case <-s.cfg.Clock.After(claimPoll):
		}
	}
}

// unwanted ends a lookup that no caller waits for and whose validations have all ended:
// the process that started a validation may have ended it after this one resumed it.
func (s *Service) unwanted(ctx context.Context, l *lookup) bool {
	callers, ids := l.waiting()
	if callers > 0 {
		return false
	}
	for _, id := range ids {
		rec, err := s.validations.Validation(ctx, l.owner, id)
		if err != nil || rec.Status == ports.StatusPending {
			return false
		}
	}
	return l.drop(len(ids))
}

// keep caches an answer for later requests if its outcome may be cached.
func (s *Service) keep(ctx context.Context, l *lookup, a *answer) {
	if a.err != nil || !a.outcome.Rule().Cached || s.policy.AnswerTTL == 0 {
		return
	}
	at := ports.Millis(s.cfg.Clock.Now())
	sealed, err := s.sealAnswer(ctx, l.owner, l.key, &a.reply)
	if err == nil {
		kept := ports.CachedAnswer{Key: l.key, Provider: a.provider, At: at, ExpiresAt: at.Add(s.policy.AnswerTTL), Sealed: sealed}
		if err = s.answers.PutAnswer(context.WithoutCancel(ctx), kept); err == nil {
			a.expiresAt = kept.ExpiresAt
		}
	}
	s.report(ctx, "cannot cache the answer", err) // those who wait still get it
}

// endAll ends the validations of a lookup. A validation that cannot be stored stays
// pending until its recovery work runs.
func (s *Service) endAll(ctx context.Context, l *lookup) {
	if l.failed() {
		return
	}
	_, ids := l.waiting()
	for _, id := range ids {
		if _, err := s.endWith(ctx, l, id); errcodes.Of(err) != errcodes.NotFound { // it may have been purged
			s.report(ctx, "cannot end the validation", err)
		}
	}
}
