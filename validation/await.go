package validation

import (
	"context"
	"time"

	"github.com/corridor-go/corridor/ports"
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
	if err := s.save(ctx, rec, t.Event, stamp(now), recovery(rec, now)); err != nil {
		return ports.Validation{}, err
	}
	if s.attach(ctx, f, rec) || f.broken() {
		return shown(rec, &private{}), nil
	}
	return s.settleWith(ctx, f, rec.ID) // it ended while the record was stored
}
