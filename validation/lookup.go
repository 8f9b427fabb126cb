package validation

import (
	"context"
	"sync"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// A lookup begins with await, which serves one caller: it joins the flight of
// the account, or starts it, and answers with the flight's end or, after the
// window, with a pending validation. fly runs once for each flight, in a
// goroutine of its own. It claims the account in the store, so that of all
// processes one asks, and ends the validations that wait for the flight.

const (
	claimLease = 4 * time.Second // a claim of a process that died lapses after so long
	claimRenew = claimLease / 3
	claimPoll  = 200 * time.Millisecond // between two looks at another process's lookup
)

// await joins the lookup of the account, and waits for its end or the window's.
func (s *Service) await(ctx context.Context, rec *ports.ValidationRecord, key ports.AnswerKey, q *question, w *wanted, start time.Time) (ports.Validation, error) {
	left := min(s.cfg.Window, s.cfg.Window-s.cfg.Clock.Now().Sub(start)) // the clock may have jumped back
	window := s.cfg.Clock.After(left)
	f, err := s.join(ctx, flightPlan{owner: rec.Owner, key: key, wanted: *w, until: start.Add(s.cfg.Timeout)})
	if err != nil {
		return ports.Validation{}, err
	}
	defer f.leave()
	select {
	case <-f.done:
	case <-window:
	case <-ctx.Done():
		return ports.Validation{}, ctx.Err()
	}
	// A thousand who ask the same at once make one record, and one write.
	sh := f.share(q)
	if err := sh.take(ctx); err != nil {
		return ports.Validation{}, err
	}
	defer sh.give()
	tell := s.tellPending
	if f.ended() {
		tell = s.tellEnd
	}
	v, err := tell(ctx, rec, sh, w, f)
	sh.fail(ctx, err)
	return v, err
}

// tellEnd answers with the end of the lookup.
func (s *Service) tellEnd(ctx context.Context, rec *ports.ValidationRecord, sh *shared, w *wanted, f *flight) (ports.Validation, error) {
	if f.broken() {
		return ports.Validation{}, f.end.err
	}
	v, again := sh.again()
	switch {
	case again && v.Status == ports.StatusPending:
		ended, err := s.settleWith(ctx, f, recordID(v.ID))
		ended.ID = v.ID
		return ended, err
	case again:
		return v, nil
	}
	judged := s.judge(w.name, w.digits, &f.end)
	told, err := s.finish(ctx, rec, &judged)
	if err == nil {
		sh.tell(&told)
	}
	return told, err
}

// tellPending answers that the lookup goes on.
func (s *Service) tellPending(ctx context.Context, rec *ports.ValidationRecord, sh *shared, w *wanted, f *flight) (ports.Validation, error) {
	if v, again := sh.again(); again {
		return v, nil
	}
	told, err := s.pend(ctx, rec, w, f)
	if err == nil {
		sh.tell(&told)
	}
	return told, err
}

// pend stores a validation whose lookup goes on, with the work that ends it if
// this process does not.
func (s *Service) pend(ctx context.Context, rec *ports.ValidationRecord, w *wanted, f *flight) (ports.Validation, error) {
	t, err := next(rec.Status, OnWindow)
	if err != nil {
		return ports.Validation{}, err
	}
	rec.Status, rec.Provider = t.To, f.asking()
	p := private{
		identifier: w.account.Identifier, branch: w.account.Branch, supplied: w.name, identity: w.identity, digits: w.digits,
	}
	if err := s.seal(ctx, rec, &p); err != nil {
		return ports.Validation{}, err
	}
	now := s.cfg.Clock.Now()
	if err := s.save(ctx, rec, t.Event, ports.Millis(now), recovery(rec, now)); err != nil {
		return ports.Validation{}, err
	}
	if s.attach(ctx, f, rec) || f.broken() {
		return shown(rec, &private{}), nil
	}
	return s.settleWith(ctx, f, rec.ID) // it ended while the record was stored
}

// attach hangs a validation on a flight, which may have asked another connector
// since the record was read; false when the flight is over.
func (s *Service) attach(ctx context.Context, f *flight, rec *ports.ValidationRecord) bool {
	if !s.flights.attach(f, rec.ID) {
		return false
	}
	if name := f.hasAsked(); name != "" && name != rec.Provider {
		s.rerouteOne(ctx, f, rec.ID)
	}
	return true
}

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
		case <-s.loops.Stopping():
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
	at := ports.Millis(s.cfg.Clock.Now())
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
