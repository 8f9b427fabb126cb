package authstate

import (
	"context"
	"time"

	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/background"
	"github.com/corridor-go/corridor/internal/binrec"
	"github.com/corridor-go/corridor/ports"
)

// WorkTimeout is the kind of the work item that ends a transaction after its RespondBy.
const WorkTimeout = "authstate.timeout"

const (
	workLease  = time.Minute
	retryAfter = 5 * time.Second // after a failed step
)

// timeout is the finding after RespondBy.
var timeout = &finding{outcome: failures.Failed, code: errcodes.FailureTimeout, timer: true}

// timeoutWork returns the work item of a transaction that has a RespondBy.
func timeoutWork(t *ports.Transaction) ports.WorkItem {
	return ports.WorkItem{
		ID: eventID(t.Owner+"\x00"+t.ID, WorkTimeout), Kind: WorkTimeout, DueAt: t.RespondBy,
		Payload: binrec.AppendText(binrec.AppendText(nil, t.Owner), t.ID),
	}
}

// Tick ends the pending transactions whose RespondBy is at or before now. If one of them
// cannot be stored, the others are handled all the same; errors are joined.
func (s *Service) Tick(ctx context.Context, now time.Time) error {
	return s.loops.Report(ctx, s.loops.Drain(ctx, background.Drain{
		Work: s.work, Kind: WorkTimeout, Lease: workLease, Retry: retryAfter,
		Do: func(ctx context.Context, payload []byte, _ time.Time) (bool, error) {
			err := s.timeOut(ctx, payload)
			return err == nil, err
		},
	}, now))
}

// Run calls Tick at once and then every Config.Every. It returns nil after Stop, and the
// error of ctx once ctx is done. Without Run or Tick a transaction fails with timeout at
// the first Get after its RespondBy.
func (s *Service) Run(ctx context.Context) error { return s.loops.Run(ctx, s.Tick) }

// Stop ends Run and waits until its tick has ended. If ctx is done first, Stop returns its
// error. All other methods still work after Stop, which may be called more than once, but
// a Tick then handles at most 100 transactions.
func (s *Service) Stop(ctx context.Context) error { return s.loops.Stop(ctx) }

// timeOut fails a transaction unless it has ended.
func (s *Service) timeOut(ctx context.Context, payload []byte) error {
	r := binrec.Read(payload)
	owner, id := r.Text(), r.Text()
	if !r.Done() || owner == "" {
		return errcodes.New(errcodes.CorruptRecord, "The payload of a timeout is damaged")
	}
	t, err := s.read(ctx, owner, id)
	if errcodes.Of(err) == errcodes.NotFound {
		err = errcodes.Wrap(errcodes.CorruptRecord, "The transaction of a timeout does not exist", err)
	}
	if err != nil {
		return err
	}
	_, err = s.apply(ctx, t, timeout)
	return err
}
