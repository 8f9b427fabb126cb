package authstate

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// WorkTimeout is the kind of the work that ends a transaction which nobody
// answered in time.
const WorkTimeout = "authstate.timeout"

const (
	workLease  = time.Minute
	workPage   = 100
	retryAfter = 5 * time.Second // before a step that failed is tried again
)

// timeout is the verdict on a transaction that nobody answered.
var timeout = &verdict{outcome: failures.Failed, code: errcodes.FailureTimeout, timer: true}

// timeoutPayload names the transaction; JSON keeps any bytes apart that way.
type timeoutPayload struct {
	Owner []byte `json:"owner"`
	ID    []byte `json:"id"`
}

// timeoutWork is stored with a transaction that is to be answered in time.
func timeoutWork(t *ports.Transaction) ports.WorkItem {
	payload, err := json.Marshal(timeoutPayload{[]byte(t.Owner), []byte(t.ID)})
	if err != nil {
		panic(err) // two byte strings always marshal
	}
	return ports.WorkItem{
		ID: eventID(t.Owner+"\x00"+t.ID, WorkTimeout), Kind: WorkTimeout, DueAt: t.RespondBy, Payload: payload,
	}
}

// Tick fails the transactions that were not answered by now. Errors are joined;
// one transaction's failure leaves the others alone.
func (s *Service) Tick(ctx context.Context, now time.Time) error {
	err := s.drain(ctx, now)
	if err != nil && ctx.Err() == nil {
		s.cfg.Hooks.Background(err)
		s.cfg.Logger.WarnContext(ctx, "timeouts not all applied; the next round tries again", "error", err)
	}
	return err
}

// Run ticks at once and then every Config.Every by the clock, until ctx is done
// or Close. An embedder that runs no ticker is not told of timeouts: a
// transaction then fails when somebody reads it past its RespondBy.
func (s *Service) Run(ctx context.Context) error {
	return s.loops.Run(ctx, true, func(ctx context.Context, now time.Time) {
		_ = s.Tick(ctx, now) // reported where it failed
	})
}

// Close ends Run after its round, at the latest when ctx is done, whose error
// it gives then. The rest of the service stays usable, but a Tick ends after 100
// transactions, as a stop is not to wait for more.
func (s *Service) Close(ctx context.Context) error { return s.loops.Close(ctx) }

func (s *Service) drain(ctx context.Context, now time.Time) error {
	var failed []error
	for {
		items, err := s.work.Claim(ctx, WorkTimeout, now, workLease, workPage)
		failed = append(failed, err)
		for _, item := range items {
			failed = append(failed, s.handle(ctx, item, now))
		}
		if len(items) < workPage || s.closing() {
			return errors.Join(failed...)
		}
	}
}

func (s *Service) closing() bool {
	select {
	case <-s.loops.Closed():
		return true
	default:
		return false
	}
}

func (s *Service) handle(ctx context.Context, item ports.WorkItem, now time.Time) error {
	err := s.timeOut(ctx, item.Payload)
	settled := s.settle(ctx, item, errcodes.Of(err), now)
	if errcodes.Of(settled) == errcodes.Conflict {
		settled = nil // the lease ran out, and another process has the work
	}
	return errors.Join(err, settled)
}

func (s *Service) settle(ctx context.Context, item ports.WorkItem, code errcodes.Code, now time.Time) error {
	switch code {
	case "":
		return s.work.Done(ctx, item)
	case errcodes.CorruptRecord, errcodes.NotFound:
		return s.work.Bury(ctx, item, "the work is damaged, or its transaction is damaged or gone")
	default:
		return s.work.Retry(ctx, item, now.Add(retryAfter))
	}
}

// timeOut fails a transaction unless it has ended.
func (s *Service) timeOut(ctx context.Context, payload []byte) error {
	var p timeoutPayload
	if err := json.Unmarshal(payload, &p); err != nil {
		return errcodes.Wrap(errcodes.CorruptRecord, "", err)
	}
	t, err := s.read(ctx, string(p.Owner), string(p.ID))
	if err != nil {
		return err
	}
	_, err = s.apply(ctx, t, timeout)
	return err
}
