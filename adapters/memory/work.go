package memory

import (
	"context"
	"time"

	"github.com/corridor-go/corridor/ports"
)

type item = queueEntry[ports.WorkItem]

// workState contains the work items that are not done yet.
type workState struct {
	byID   map[string]*item
	kinds  map[string]*claimQueue[ports.WorkItem]
	buried map[string]struct{} // the ids
}

func newWorkState() workState {
	return workState{byID: map[string]*item{}, kinds: map[string]*claimQueue[ports.WorkItem]{}, buried: map[string]struct{}{}}
}

func (w *workState) has(id string) bool {
	_, buried := w.buried[id]
	return buried || w.byID[id] != nil
}

func (w *workState) add(v ports.WorkItem, seq int64) {
	v.DueAt, v.Payload = ports.Millis(v.DueAt), copyBytes(v.Payload)
	due := v.DueAt.UnixMilli()
	e := &item{value: v, due: due, seq: seq, from: due}
	w.byID[v.ID] = e
	queue := w.kinds[v.Kind]
	if queue == nil {
		queue = newClaimQueue[ports.WorkItem]()
		w.kinds[v.Kind] = queue
	}
	queue.add(e)
}

func (w *workState) remove(e *item) {
	delete(w.byID, e.value.ID)
	w.kinds[e.value.Kind].remove(e)
}

// bury keeps only the id, so that it stays taken: this store has no reader of buried
// items.
func (w *workState) bury(e *item) {
	w.remove(e)
	w.buried[e.value.ID] = struct{}{}
}

// retry releases e until at, which is also its new rank.
func (w *workState) retry(e *item, at time.Time) {
	queue := w.kinds[e.value.Kind]
	queue.remove(e)
	e.value.DueAt = ports.Millis(at)
	e.due = e.value.DueAt.UnixMilli()
	e.from, e.held = e.due, false
	queue.add(e)
}

// work implements ports.Work.
type work struct{ s *Store }

func (w work) Claim(ctx context.Context, kind string, now time.Time, lease time.Duration, n int) ([]ports.WorkItem, error) {
	if err := ports.CheckClaim(lease, n); err != nil {
		return nil, err
	}
	if err := w.s.writing(ctx); err != nil {
		return nil, err
	}
	defer w.s.mu.Unlock()
	queue := w.s.work.kinds[kind]
	if queue == nil {
		return nil, nil
	}
	var got []ports.WorkItem
	for _, e := range queue.claim(now.UnixMilli(), now.Add(lease).UnixMilli(), n) {
		v := e.value
		v.Payload, v.Attempt, v.Claim = copyBytes(v.Payload), e.attempt, e.claim
		got = append(got, v)
	}
	return got, nil
}

func (w work) Done(ctx context.Context, v ports.WorkItem) error {
	return w.settle(ctx, v, w.s.work.remove)
}

func (w work) Retry(ctx context.Context, v ports.WorkItem, at time.Time) error {
	return w.settle(ctx, v, func(e *item) { w.s.work.retry(e, at) })
}

func (w work) Bury(ctx context.Context, v ports.WorkItem, reason string) error {
	if err := ports.CheckReason(reason); err != nil {
		return err
	}
	return w.settle(ctx, v, w.s.work.bury)
}

// settle ends a claim with fn, if the claim is the latest.
func (w work) settle(ctx context.Context, v ports.WorkItem, fn func(*item)) error {
	if err := w.s.writing(ctx); err != nil {
		return err
	}
	defer w.s.mu.Unlock()
	e := w.s.work.byID[v.ID]
	if !e.owns(v.Claim) {
		return errStaleClaim
	}
	fn(e)
	return nil
}
