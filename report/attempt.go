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

// attempt is one process's attempt to make a report.
type attempt struct {
	service *Service
	rows    atomic.Int64 // written so far

	mu  sync.Mutex
	job job // as last stored
}

// made describes what an attempt has written.
type made struct {
	rows   int64
	asOf   time.Time
	size   int64
	sha256 string
}

var (
	errLost = errcodes.New(errcodes.Conflict, "The report was claimed by another process or cancelled")
	errLate = errcodes.New(errcodes.DeadlineExceeded, "The report took too long")
)

// held returns the job as last stored.
func (a *attempt) held() job {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.job
}

// unbegun returns the job without this attempt, because attempts that Stop interrupts do
// not count.
func (a *attempt) unbegun() job {
	j := a.held()
	j.rec.Attempts--
	return j
}

// run writes the report and extends the lease in the meantime.
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
		defer a.service.recovered(ctx, "making a report", &err)
		m, err = a.write(ctx)
		return nil
	})
	_ = both.Wait() // neither returns an error
	if cause := context.Cause(ctx); err != nil && (errors.Is(cause, errLost) || errors.Is(cause, errLate)) {
		err = cause
	}
	return m, err
}

// recovered turns a panic of a source, a writer or the files into an error, so that only
// the attempt fails.
func (s *Service) recovered(ctx context.Context, what string, err *error) {
	if v := recover(); v != nil {
		*err = errcodes.Panicked(errcodes.Internal, v)
		s.cfg.Logger.ErrorContext(ctx, "panic recovered", "in", what, "error", *err, "stack", string(debug.Stack()))
	}
}

var errDone = errors.New("done")

// keep extends the lease until the report is written or Config.MaxRun is over.
func (a *attempt) keep(ctx context.Context, cancel context.CancelCauseFunc) {
	s := a.service
	late := s.cfg.Clock.After(s.cfg.MaxRun) // not compared with Now: the clock may be set
	for {
		select {
		case <-ctx.Done():
			return
		case <-late:
			cancel(errLate)
			return
		case <-s.cfg.Clock.After(s.cfg.Lease / 3):
		}
		// beat must not be interrupted when the writing ends: the stored version would be
		// unknown, and the end of the report could not be saved.
		if err := a.beat(context.WithoutCancel(ctx), s.cfg.Clock.Now()); errcodes.Of(err) == errcodes.Conflict {
			cancel(errLost)
			return
		}
	}
}

// beat extends the lease and stores the number of rows so far. After an error other than
// a conflict the next beat tries again.
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
