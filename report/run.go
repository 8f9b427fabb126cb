package report

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Run makes reports: at once when one is asked for here, and every Config.Every
// those that other processes left, Config.AtOnce side by side, until ctx is done
// or Close. An embedder that runs neither this nor Tick gets no report made:
// jobs stay RUNNING until somebody does.
func (s *Service) Run(ctx context.Context) error {
	if !s.loops.Begin() {
		return nil
	}
	defer s.loops.End()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var workers errgroup.Group
	workers.Go(func() error {
		select {
		case <-s.loops.Stopping():
			cancel(errClosing)
		case <-ctx.Done():
		}
		return nil
	})
	for range s.cfg.AtOnce {
		workers.Go(func() error { return s.work(ctx) })
	}
	err := workers.Wait()
	if errors.Is(context.Cause(ctx), errClosing) {
		return nil
	}
	return err
}

var errClosing = errcodes.New(errcodes.Closed, "")

// work takes reports up, one after the other.
func (s *Service) work(ctx context.Context) error {
	for {
		s.report(ctx, s.Tick(ctx, s.cfg.Clock.Now()))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.wake:
		case <-s.cfg.Clock.After(s.cfg.Every):
		}
	}
}

func (s *Service) report(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		s.cfg.Hooks.Background(err)
		s.cfg.Logger.WarnContext(ctx, "a report round failed in part; the next tries again", "error", err)
	}
}

// Tick makes the reports that wait at now, one after the other, and removes what
// Policy.KeepFor has let go. It ends when none waits. Errors are joined; those of
// a report's own are its reason instead. A panic in a source, a writer or the
// files fails the attempt, and is logged with its stack.
func (s *Service) Tick(ctx context.Context, now time.Time) error {
	var failed []error
	// A round may be ahead of the clock, and goes on with it; also back, since what
	// others hold by a clock that was set back is theirs.
	ahead := max(now.Sub(s.cfg.Clock.Now()), 0)
	for {
		rec, err := s.ports.Reports.ClaimReport(ctx, s.holder, now, s.cfg.Lease)
		if errcodes.Of(err) == errcodes.NotFound {
			break
		}
		if err != nil {
			failed = append(failed, err)
			break
		}
		if err := s.attempt(ctx, rec); err != nil {
			failed = append(failed, err)
		}
		if ctx.Err() != nil {
			break
		}
		now = s.cfg.Clock.Now().Add(ahead)
	}
	return errors.Join(append(failed, s.expire(ctx, now))...)
}

// attempt makes a claimed report, and stores how that ended. What another
// attempt might mend is left to it: the lease is given back, and no file stays,
// as none might come that replaces it.
func (s *Service) attempt(ctx context.Context, rec ports.ReportJob) error {
	j, err := restored(rec)
	if err != nil {
		return err
	}
	if rec.Attempts > s.cfg.MaxAttempts {
		return s.fail(ctx, j, errcodes.Unavailable)
	}
	a := &attempt{service: s, job: j}
	made, err := a.run(ctx)
	after := context.WithoutCancel(ctx)
	switch {
	case err == nil:
		return s.complete(after, a.held(), made)
	case errors.Is(err, errLost): // somebody else has it, or it was cancelled
		return s.removeAttempts(after, &rec, rec.Attempts, rec.Attempts)
	case ctx.Err() != nil:
		return errors.Join(s.removeAttempts(after, &rec, rec.Attempts, rec.Attempts), s.giveBack(after, a.unbegun(), 0))
	case final(err) || rec.Attempts >= s.cfg.MaxAttempts:
		return errors.Join(logged(err), s.fail(after, a.held(), errcodes.Of(err)))
	default:
		return errors.Join(err, s.removeAttempts(after, &rec, rec.Attempts, rec.Attempts),
			s.giveBack(after, a.held(), s.cfg.Every*time.Duration(rec.Attempts)))
	}
}

// logged drops what is the client's fault and not the operator's.
func logged(err error) error {
	if errcodes.CategoryOf(errcodes.StatusOf(err)).Retry {
		return err
	}
	return nil
}

// final reports whether no other attempt mends a failure: the request or the
// source's answer is at fault, or the time was up.
func final(err error) bool {
	code := errcodes.Of(err)
	return code == errcodes.DeadlineExceeded || !errcodes.CategoryOf(errcodes.StatusOf(err)).Retry
}

func (s *Service) complete(ctx context.Context, j job, m made) error {
	ours, err := s.end(ctx, j, OnDone, func(r *ports.ReportJob) {
		r.Rows, r.AsOf, r.FileSize, r.FileSHA256 = m.rows, m.asOf, m.size, m.sha256
	})
	switch this := j.rec.Attempts; {
	case err != nil:
		return err // it may have been stored
	case ours:
		return s.removeAttempts(ctx, &j.rec, 1, this-1)
	default:
		return s.removeAttempts(ctx, &j.rec, this, this)
	}
}

func (s *Service) fail(ctx context.Context, j job, code errcodes.Code) error {
	ours, err := s.end(ctx, j, OnFail, func(r *ports.ReportJob) { r.Reason = string(code) })
	switch {
	case err != nil:
		return err
	case ours:
		return s.removeFiles(ctx, &j.rec)
	default:
		return s.removeAttempts(ctx, &j.rec, j.rec.Attempts, j.rec.Attempts)
	}
}

// end stores the end of a report, and reports whether it was ended here: not
// when it was cancelled, or taken up by another, who ends it.
func (s *Service) end(ctx context.Context, j job, on Trigger, set func(*ports.ReportJob)) (ours bool, err error) {
	change, err := j.move(on, s.cfg.Clock.Now(), set)
	if err != nil {
		return false, err
	}
	err = s.save(ctx, change)
	switch {
	case errcodes.Of(err) == errcodes.Conflict:
		return false, nil
	case err != nil:
		return false, err
	}
	s.ended(change.Job)
	return true, nil
}

// giveBack lets another process take the report up after a pause.
func (s *Service) giveBack(ctx context.Context, j job, pause time.Duration) error {
	now := s.cfg.Clock.Now()
	change, err := j.move(OnBeat, now, func(r *ports.ReportJob) { r.Holder, r.LeaseUntil = "", ports.Millis(now.Add(pause)) })
	if err != nil {
		return err
	}
	if err := s.save(ctx, change); errcodes.Of(err) != errcodes.Conflict {
		return err
	}
	return nil
}
