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

// made is what an attempt leaves.
type made struct {
	rows   int64
	asOf   time.Time
	size   int64
	sha256 string
}

var (
	errLost = errcodes.New(errcodes.Conflict, "The report was taken over, or cancelled")
	errLate = errcodes.New(errcodes.DeadlineExceeded, "The report took too long")
)

// held gives the job as it was last stored.
func (a *attempt) held() job {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.job
}

// unbegun gives the job as if this attempt had not been: one that a shutdown
// broke off is not a failure, and the next one takes its number.
func (a *attempt) unbegun() job {
	j := a.held()
	j.rec.Attempts--
	return j
}

// run writes the report, and beside it keeps the lease.
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
	_ = both.Wait() // neither gives an error
	if cause := context.Cause(ctx); err != nil && (errors.Is(cause, errLost) || errors.Is(cause, errLate)) {
		err = cause
	}
	return m, err
}

// recovered makes an error of a panic in a source, a writer or the store of files:
// this attempt fails, and no process, which would take the next ones with it.
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
	late := s.cfg.Clock.After(s.cfg.MaxRun) // no instant: the clock may be set meanwhile
	for {
		select {
		case <-ctx.Done():
			return
		case <-late:
			cancel(errLate)
			return
		case <-s.cfg.Clock.After(s.cfg.Lease / 3):
		}
		// A beat that the end of the writing broke off would leave in doubt which
		// version is stored, and with it the end.
		if err := a.beat(context.WithoutCancel(ctx), s.cfg.Clock.Now()); errcodes.Of(err) == errcodes.Conflict {
			cancel(errLost)
			return
		}
	}
}

// beat tells the store how far the report is. Another failure than a conflict is
// left to the next beat.
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
