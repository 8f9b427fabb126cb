package memory

import (
	"context"
	"time"

	"github.com/corridor-go/corridor/ports"
)

type item = queueEntry[ports.WorkItem]

// workState keeps work items until they are done or buried.
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
	of := w.kinds[v.Kind]
	if of == nil {
		of = newClaimQueue[ports.WorkItem]()
		w.kinds[v.Kind] = of
	}
	of.add(e)
}

func (w *workState) remove(e *item) {
	delete(w.byID, e.value.ID)
	w.kinds[e.value.Kind].remove(e)
}

// bury keeps the id alone: nothing reads a buried item in a store that lives in
// the process.
func (w *workState) bury(e *item) {
	w.remove(e)
	w.buried[e.value.ID] = struct{}{}
}

// retry gives e back. Its new due time is its rank as well.
func (w *workState) retry(e *item, at time.Time) {
	of := w.kinds[e.value.Kind]
	of.remove(e)
	e.value.DueAt = ports.Millis(at)
	e.due = e.value.DueAt.UnixMilli()
	e.from, e.held = e.due, false
	of.add(e)
}

// work is the store as a ports.Work.
type work struct{ s *Store }

func (w work) Claim(ctx context.Context, kind string, now time.Time, lease time.Duration, n int) ([]ports.WorkItem, error) {
	if err := ports.CheckClaim(lease, n); err != nil {
		return nil, err
	}
	if err := w.s.writing(ctx); err != nil {
		return nil, err
	}
	defer w.s.mu.Unlock()
	of := w.s.work.kinds[kind]
	if of == nil {
		return nil, nil
	}
	var got []ports.WorkItem
	for _, e := range of.claim(now.UnixMilli(), now.Add(lease).UnixMilli(), n) {
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

// settle ends a claim, if it is the latest.
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
