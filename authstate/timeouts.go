package authstate

import (
	"context"
	"encoding/json"
	"time"

	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/background"
	"github.com/corridor-go/corridor/ports"
)

// WorkTimeout is the kind of the work that ends a transaction which nobody
// answered in time.
const WorkTimeout = "authstate.timeout"

const (
	workLease  = time.Minute
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
	return s.loops.Report(ctx, s.loops.Drain(ctx, background.Drain{
		Work: s.work, Kind: WorkTimeout, Lease: workLease, Retry: retryAfter,
		Do: func(ctx context.Context, payload []byte, _ time.Time) (bool, error) {
			err := s.timeOut(ctx, payload)
			return err == nil, err
		},
	}, now))
}

// Run ticks at once and then every Config.Every by the clock, until ctx is done
// or Close. An embedder that runs no ticker is not told of timeouts: a
// transaction then fails when somebody reads it past its RespondBy.
func (s *Service) Run(ctx context.Context) error {
	return s.loops.Run(ctx, s.Tick)
}

// Close ends Run after its round, at the latest when ctx is done, whose error
// it gives then. The rest of the service stays usable, but a Tick ends after 100
// transactions, as a stop is not to wait for more.
func (s *Service) Close(ctx context.Context) error { return s.loops.Stop(ctx) }

// timeOut fails a transaction unless it has ended.
func (s *Service) timeOut(ctx context.Context, payload []byte) error {
	var p timeoutPayload
	if err := json.Unmarshal(payload, &p); err != nil {
		return errcodes.Wrap(errcodes.CorruptRecord, "", err)
	}
	t, err := s.read(ctx, string(p.Owner), string(p.ID))
	if errcodes.Of(err) == errcodes.NotFound {
		err = errcodes.Wrap(errcodes.CorruptRecord, "The transaction of a timeout is gone", err)
	}
	if err != nil {
		return err
	}
	_, err = s.apply(ctx, t, timeout)
	return err
}
