package validation

import (
	"context"
	"sync"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

const (
	claimLease = 4 * time.Second // a claim of a process that died lapses after so long
	claimRenew = claimLease / 3
	claimPoll  = 200 * time.Millisecond // between two looks at another process's lookup
)

// fly makes the lookup of a flight and ends all that hangs on it. The claim is
// given back last: until then no other process asks the same.
func (s *Service) fly(ctx context.Context, f *flight) {
	flying, cancel := context.WithCancel(ctx)
	var tending sync.WaitGroup
	tending.Go(func() { s.tend(flying, cancel, f) })
	end := s.fetch(flying, f)
	if end.err != nil && flying.Err() != nil {
		end.err = errClosed // whatever the store made of it
	}
	s.flights.land(f, &end)
	s.settleAll(ctx, f)
	s.flights.clear(f)
	cancel()
	tending.Wait()
	s.note(ctx, "a claim was not released; it lapses", s.answers.Release(ctx, f.key, s.holder))
	s.flights.retire(f)
}

// tend cancels the flight when the service closes, and keeps its claim.
func (s *Service) tend(ctx context.Context, cancel context.CancelFunc, f *flight) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.loops.Closed():
			cancel()
			return
		case <-s.cfg.Clock.After(claimRenew):
			if f.ended() {
				return
			}
			now := s.cfg.Clock.Now()
			_, err := s.answers.Claim(ctx, f.key, s.holder, now, now.Add(claimLease))
			s.note(ctx, "a claim was not renewed", err)
		}
	}
}

// fetch gets the answer: by asking, once this process holds the claim, or from
// the cache, once another process has put it there.
func (s *Service) fetch(ctx context.Context, f *flight) ending {
	if f.before != nil {
		<-f.before // else it would give back our claim
	}
	for waited := time.Duration(0); ; waited += claimPoll {
		now := s.cfg.Clock.Now()
		if !now.Before(f.until) || waited >= s.cfg.Timeout { // the clock may have jumped back
			return ending{provider: f.asking(), outcome: ports.OutcomeTimeout}
		}
		won, err := s.answers.Claim(ctx, f.key, s.holder, now, now.Add(claimLease))
		if err != nil {
			return ending{err: err}
		}
		kept, err := s.recall(ctx, f.owner, f.key)
		switch {
		case err != nil:
			return ending{err: err}
		case kept != nil:
			return *kept
		case won && s.unwanted(ctx, f):
			return ending{err: errClosed}
		case won:
			return s.lookUp(ctx, f)
		}
		select {
		case <-ctx.Done():
			return ending{err: errClosed}
		case <-s.cfg.Clock.After(claimPoll):
		}
	}
}

// unwanted drops a flight that nobody waits for any more: a validation that was
// taken up may have been ended by the process that started it.
func (s *Service) unwanted(ctx context.Context, f *flight) bool {
	callers, ids := f.waiting()
	if callers > 0 {
		return false
	}
	for _, id := range ids {
		rec, err := s.validations.Validation(ctx, f.owner, id)
		if err != nil || rec.Status == ports.StatusPending {
			return false
		}
	}
	return f.drop(len(ids))
}

// lookUp asks the connectors and keeps the answer, if it is one to keep.
func (s *Service) lookUp(ctx context.Context, f *flight) ending {
	end := s.ask(ctx, f)
	if end.err != nil || !end.outcome.Rule().Cached || s.policy.AnswerTTL == 0 {
		return end
	}
	at := stamp(s.cfg.Clock.Now())
	sealed, err := s.sealAnswer(ctx, f.owner, f.key, end.answer)
	if err == nil {
		expiresAt := at.Add(s.policy.AnswerTTL)
		err = s.answers.PutAnswer(context.WithoutCancel(ctx), ports.CachedAnswer{
			Key: f.key, Provider: end.provider, At: at, ExpiresAt: expiresAt, Sealed: sealed,
		})
		if err == nil {
			end.expiresAt = expiresAt
		}
	}
	s.note(ctx, "an answer was not kept", err) // it still serves those who wait
	return end
}

// settleAll ends the validations that hang on a flight. One that cannot be
// stored stays pending, for its work to try again.
func (s *Service) settleAll(ctx context.Context, f *flight) {
	if f.end.err != nil {
		return
	}
	_, ids := f.waiting()
	for _, id := range ids {
		_, err := s.settleWith(ctx, f, id)
		if errcodes.Of(err) == errcodes.NotFound {
			continue // purged
		}
		s.note(ctx, "a validation was not ended; it is tried again", err)
	}
}

// note tells of an error that no caller hears of.
func (s *Service) note(ctx context.Context, what string, err error) {
	if err == nil || ctx.Err() != nil {
		return
	}
	s.cfg.Hooks.Background(err)
	s.cfg.Logger.WarnContext(ctx, "validation step failed", "step", what, "error", err)
}
