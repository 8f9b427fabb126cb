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

// WorkTimeout is the kind of the work that ends a transaction that was not answered
// in time.
const WorkTimeout = "authstate.timeout"

const (
	workLease  = time.Minute
	retryAfter = 5 * time.Second // before a step that failed is tried again
)

// timeout is the finding about a transaction that was not answered.
var timeout = &finding{outcome: failures.Failed, code: errcodes.FailureTimeout, timer: true}

// timeoutWork is the work that is stored with a transaction that has a RespondBy.
func timeoutWork(t *ports.Transaction) ports.WorkItem {
	return ports.WorkItem{
		ID: eventID(t.Owner+"\x00"+t.ID, WorkTimeout), Kind: WorkTimeout, DueAt: t.RespondBy,
		Payload: binrec.AppendText(binrec.AppendText(nil, t.Owner), t.ID),
	}
}

// Tick fails the transactions that were not answered by now. If one of them cannot be
// stored, the others are handled all the same; the errors are joined.
func (s *Service) Tick(ctx context.Context, now time.Time) error {
	return s.loops.Report(ctx, s.loops.Drain(ctx, background.Drain{
		Work: s.work, Kind: WorkTimeout, Lease: workLease, Retry: retryAfter,
		Do: func(ctx context.Context, payload []byte, _ time.Time) (bool, error) {
			err := s.timeOut(ctx, payload)
			return err == nil, err
		},
	}, now))
}

// Run ticks at once and then every Config.Every, until ctx is done, whose error it
// returns, or Stop, when it returns nil. Without Run or Tick a transaction fails
// with timeout when it is next read past its RespondBy.
func (s *Service) Run(ctx context.Context) error { return s.loops.Run(ctx, s.Tick) }

// Stop ends Run and waits for its round until ctx is done, whose error it then
// returns. It may be called more than once. All other methods still work after it,
// but a Tick handles at most 100 transactions.
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
		err = errcodes.Wrap(errcodes.CorruptRecord, "The transaction of a timeout is gone", err)
	}
	if err != nil {
		return err
	}
	_, err = s.apply(ctx, t, timeout)
	return err
}
