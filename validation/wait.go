package validation

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/corridor-go/corridor/ports"
)

// await joins the lookup about the account. It returns the result or, after
// Config.Window, a pending validation.
func (s *Service) await(ctx context.Context, rec *ports.ValidationRecord, key [32]byte, r *request, start time.Time) (ports.Validation, error) {
	left := min(s.cfg.Window, s.cfg.Window-s.cfg.Clock.Now().Sub(start)) // the clock may have jumped back
	window := s.cfg.Clock.After(left)
	l, err := s.join(ctx, key, r, start.Add(s.cfg.Timeout))
	if err != nil {
		return ports.Validation{}, err
	}
	defer l.leave()
	select {
	case <-l.answered:
	case <-window:
	case <-ctx.Done():
		return ports.Validation{}, ctx.Err()
	}
	same := l.sameAs(r)
	if err := same.lock(ctx); err != nil {
		return ports.Validation{}, err
	}
	defer same.unlock()
	v, err := s.respond(ctx, rec, r, l, same)
	same.note(ctx, err)
	return v, err
}

// sameRequest is shared by the callers of a lookup that made equal requests: one stores
// the record, and the others repeat it.
type sameRequest struct {
	turn     chan struct{} // held by the caller that stores
	err      error         // of the last failed store
	failures atomic.Int64
	stored   repeats
}

func (l *lookup) sameAs(r *request) *sameRequest {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.same[*r] == nil {
		l.same[*r] = &sameRequest{turn: make(chan struct{}, 1)}
	}
	return l.same[*r]
}

// lock waits for the turn; the caller must call unlock. If the previous caller's store
// failed in the meantime, lock returns that error, so that callers do not try a failing
// store one after another.
func (q *sameRequest) lock(ctx context.Context) error {
	failures := q.failures.Load()
	select {
	case q.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if q.failures.Load() == failures {
		return nil
	}
	defer q.unlock()
	return q.err
}

func (q *sameRequest) unlock() { <-q.turn }

// note records an error for the waiting callers unless the caller's own context is done.
func (q *sameRequest) note(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		q.err = err
		q.failures.Add(1)
	}
}

// respond returns the result if the lookup is over, else a pending validation.
func (s *Service) respond(ctx context.Context, rec *ports.ValidationRecord, r *request, l *lookup, same *sameRequest) (ports.Validation, error) {
	over := l.isOver()
	if over && l.failed() {
		return ports.Validation{}, l.answer.err
	}
	if v, ok := same.stored.next(); ok {
		if over && v.Status == ports.StatusPending {
			id := v.ID
			ended, err := s.endWith(ctx, l, recordID(id))
			ended.ID = id
			return ended, err
		}
		return v, nil
	}
	var v ports.Validation
	var err error
	if over {
		res := s.judge(r, &l.answer)
		v, err = s.finish(ctx, rec, &res)
	} else {
		v, err = s.pend(ctx, rec, r, l)
	}
	if err == nil {
		same.stored.set(&v)
	}
	return v, err
}

// pend stores a pending validation with its recovery work, which ends it if this process
// dies.
func (s *Service) pend(ctx context.Context, rec *ports.ValidationRecord, r *request, l *lookup) (ports.Validation, error) {
	t, err := table.Next(rec.Status, OnWindow)
	if err != nil {
		return ports.Validation{}, err
	}
	rec.Status, rec.Provider = t.To, l.provider()
	if err := s.seal(ctx, rec, r, &result{}); err != nil {
		return ports.Validation{}, err
	}
	now := s.cfg.Clock.Now()
	if err := s.save(ctx, rec, t.Event, ports.Millis(now), recovery(rec, now)); err != nil {
		return ports.Validation{}, err
	}
	if s.attach(ctx, l, rec) || l.failed() {
		return validationOf(rec, &result{}), nil
	}
	return s.endWith(ctx, l, rec.ID) // the lookup ended while the record was stored
}

// attach ensures that the lookup ends the validation, and updates the provider if the
// lookup has moved on. It reports false if the lookup is over.
func (s *Service) attach(ctx context.Context, l *lookup, rec *ports.ValidationRecord) bool {
	if !s.lookups.attach(l, rec.ID) {
		return false
	}
	if l.provider() != rec.Provider {
		s.setProvider(ctx, l, rec.ID)
	}
	return true
}
