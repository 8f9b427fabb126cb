package report

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// attempt is one process's making of a report.
type attempt struct {
	service *Service
	rows    atomic.Int64 // written so far

	mu  sync.Mutex
	job job // as it was last stored
}

// made is what an attempt has written.
type made struct {
	rows   int64
	asOf   time.Time
	size   int64
	sha256 string
}

var (
	errLost = errcodes.New(errcodes.Conflict, "Another process has the report, or it was cancelled")
	errLate = errcodes.New(errcodes.DeadlineExceeded, "The report took too long")
)

// held returns the job as it was last stored.
func (a *attempt) held() job {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.job
}

// unbegun returns the job as if there had been no attempt: one that Stop broke off
// does not count.
func (a *attempt) unbegun() job {
	j := a.held()
	j.rec.Attempts--
	return j
}

// run writes the report and extends the lease meanwhile.
func (a *attempt) run(ctx context.Context) (m made, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var both errgroup.Group
	both.Go(func() error {
		a.keep(ctx, cancel)
		return nil
	})
	both.Go(func() error {
		defer cancel(errDone)
		defer a.service.recovered(ctx, "the making of a report", &err)
		m, err = a.write(ctx)
		return nil
	})
	_ = both.Wait() // neither returns an error
	if cause := context.Cause(ctx); err != nil && (errors.Is(cause, errLost) || errors.Is(cause, errLate)) {
		err = cause
	}
	return m, err
}

// recovered turns a panic in a source, a writer or the files into an error: the
// attempt fails, and the process goes on.
func (s *Service) recovered(ctx context.Context, what string, err *error) {
	if v := recover(); v != nil {
		*err = errcodes.Panicked(errcodes.Internal, v)
		s.cfg.Logger.ErrorContext(ctx, "a panic was recovered", "in", what, "error", *err, "stack", string(debug.Stack()))
	}
}

var errDone = errors.New("done")

// keep extends the lease until the report is written or its time is up.
func (a *attempt) keep(ctx context.Context, cancel context.CancelCauseFunc) {
	s := a.service
	late := s.cfg.Clock.After(s.cfg.MaxRun) // not an instant: the clock may be set meanwhile
	for {
		select {
		case <-ctx.Done():
			return
		case <-late:
			cancel(errLate)
			return
		case <-s.cfg.Clock.After(s.cfg.Lease / 3):
		}
		// If the end of the writing broke a beat off, nobody would know which version
		// is stored, and the end of the report could not be saved.
		if err := a.beat(context.WithoutCancel(ctx), s.cfg.Clock.Now()); errcodes.Of(err) == errcodes.Conflict {
			cancel(errLost)
			return
		}
	}
}

// beat extends the lease and stores the number of rows so far. If it fails without
// a conflict, the next beat tries again.
func (a *attempt) beat(ctx context.Context, now time.Time) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	change, err := a.job.move(OnBeat, now, func(r *ports.ReportJob) {
		r.Rows, r.LeaseUntil = a.rows.Load(), ports.Millis(now.Add(a.service.cfg.Lease))
	})
	if err != nil {
		return err
	}
	if err := a.service.save(ctx, change); err != nil {
		return err
	}
	change.Job.Version++
	a.job.rec = change.Job
	return nil
}
