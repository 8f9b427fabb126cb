package report

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Run makes reports, Config.AtOnce concurrently: those created by this service at once,
// and every Config.Every those of processes that died. It returns nil after Stop, and the
// context's error when ctx is done; both interrupt running reports. Without Run or Tick
// no report is made: jobs stay RUNNING.
func (s *Service) Run(ctx context.Context) error {
	running, cancel := context.WithCancel(ctx)
	var workers errgroup.Group
	for range s.cfg.AtOnce {
		workers.Go(func() error {
			return s.loops.Run(ctx, func(_ context.Context, now time.Time) error { return s.Tick(running, now) })
		})
	}
	workers.Go(func() error {
		defer cancel()
		select {
		case <-s.loops.Stopping():
		case <-ctx.Done():
		}
		return nil
	})
	return workers.Wait()
}

// Tick makes the reports that are waiting at now, one after the other, until none is
// left, and removes those older than Policy.KeepFor. A failure of one report does not
// stop the others; Tick joins the errors. A failure that a retry cannot fix becomes the
// report's Reason instead. A panic of a source, a writer or the files fails the attempt
// and is logged with its stack.
func (s *Service) Tick(ctx context.Context, now time.Time) error {
	var failed []error
	// If the caller's now is ahead of the clock, this Tick stays ahead by as much, even
	// if the clock is set back: other processes hold their leases by the caller's clock.
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
		failed = append(failed, s.attempt(ctx, rec))
		if ctx.Err() != nil {
			break
		}
		now = s.cfg.Clock.Now().Add(ahead)
	}
	return s.loops.Report(ctx, errors.Join(append(failed, s.expire(ctx, now))...))
}

// attempt makes a claimed report and stores the result. After a temporary failure it
// releases the lease and removes its files, because there may be no later attempt to
// replace them.
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
	case errors.Is(err, errLost): // claimed by another process, or cancelled
		return s.removeAttempts(after, &rec, rec.Attempts, rec.Attempts)
	case ctx.Err() != nil:
		return errors.Join(s.removeAttempts(after, &rec, rec.Attempts, rec.Attempts), s.release(after, a.unbegun(), 0))
	case !temporary(err): // err becomes the report's reason
		return s.fail(after, a.held(), errcodes.Of(err))
	case rec.Attempts >= s.cfg.MaxAttempts || errcodes.Of(err) == errcodes.DeadlineExceeded:
		return errors.Join(err, s.fail(after, a.held(), errcodes.Of(err)))
	default:
		return errors.Join(err, s.removeAttempts(after, &rec, rec.Attempts, rec.Attempts),
			s.release(after, a.held(), s.cfg.Every*time.Duration(rec.Attempts)))
	}
}

// temporary reports whether another attempt may succeed.
func temporary(err error) bool { return errcodes.CategoryOf(errcodes.StatusOf(err)).Retry }

func (s *Service) complete(ctx context.Context, j job, m made) error {
	ours, err := s.end(ctx, j, OnDone, func(r *ports.ReportJob) {
		r.Rows, r.AsOf, r.FileSize, r.FileSHA256 = m.rows, m.asOf, m.size, m.sha256
	})
	switch this := j.rec.Attempts; {
	case err != nil:
		return err // the end may have been stored
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

// end stores the terminal state of a report. It reports false if the report was cancelled
// or claimed by another process.
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
	s.ended(ctx, change.Job)
	return true, nil
}

// release allows any process to claim the report after a pause.
func (s *Service) release(ctx context.Context, j job, pause time.Duration) error {
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
