package sqlite

import (
	"context"
	"slices"
	"sync"

	"github.com/corridor-go/corridor/errcodes"
)

// A COMMIT waits for the disk, however little it stores. The next caller that gets
// the turn therefore runs all saves that are waiting in one transaction, with one
// wait for the disk.

// maxGroup is the maximum number of saves in one transaction: 1 to 2 ms of work.
const maxGroup = 64

var (
	errPanicked = errcodes.New(errcodes.Internal, "") // never returned to a caller: the save runs again
	errUnknown  = errcodes.New(errcodes.OutcomeUnknown, "")
)

// pendingSave is one save of a group.
type pendingSave struct {
	do         func(*session) error
	check      func(*session) (outcome, error) // nil if the outcome cannot be read
	callerGone func() error                    // returns an error once the caller no longer waits
	place      int                             // its number in the order of arrival
	result     error
	retryAlone bool          // the group has no result for this save: its caller runs it again in a separate transaction
	done       chan struct{} // contains one value once result or retryAlone is set
}

func newPendingSave(ctx context.Context, do change, check outcomeReader) *pendingSave {
	uncancelled := context.WithoutCancel(ctx)
	p := &pendingSave{
		do:         func(s *session) error { return do(uncancelled, s) },
		callerGone: ctx.Err,
		done:       make(chan struct{}, 1),
	}
	if check != nil {
		p.check = func(s *session) (outcome, error) { return check(uncancelled, s) }
	}
	return p
}

// save is update for a change that may share its transaction with others. do may
// run twice, so it must have no effect but its writes.
func (w *writer) save(ctx context.Context, do change, check outcomeReader) error {
	p := newPendingSave(ctx, do, check)
	w.saves.add(p)
	for {
		select {
		case <-p.done:
			if p.retryAlone {
				return w.update(ctx, do, check)
			}
			return p.result
		case <-w.closed:
			return w.giveUp(p, errClosed)
		case <-ctx.Done():
			return w.giveUp(p, ctx.Err())
		case w.turn <- struct{}{}:
			if err := w.commitWaiting(ctx, p); err != nil {
				return w.giveUp(p, err)
			}
		}
	}
}

// giveUp withdraws p and returns cause. If p's transaction has begun, giveUp waits
// for it and returns its result.
func (w *writer) giveUp(p *pendingSave, cause error) error {
	if w.saves.withdraw(p) {
		return cause
	}
	<-p.done
	if p.retryAlone {
		return cause
	}
	return p.result
}

// commitWaiting commits the waiting saves, usually including p, and releases the
// turn, which the caller holds. It returns an error if it cannot begin a transaction.
func (w *writer) commitWaiting(ctx context.Context, p *pendingSave) error {
	defer func() { <-w.turn }()
	if len(p.done) > 0 {
		return nil
	}
	if w.isClosed() {
		return errClosed
	}
	last := w.saves.lastPlace()
	if err := w.begin(ctx); err != nil {
		if isBusy(err) {
			w.saves.failUpTo(last, err)
		}
		return err
	}
	group := w.saves.take()
	defer notify(group)
	w.commitGroup(context.WithoutCancel(ctx), group)
	return nil
}

// notify wakes the callers of a group.
func notify(group []*pendingSave) {
	for _, p := range group {
		p.done <- struct{}{}
	}
}

// commitGroup runs the saves of a group in the open transaction and ends it. If a
// save was rejected, other saves' writes may be the cause, so the rejection counts
// only if these are stored; otherwise that save runs again in a separate
// transaction. If a save fails, all of them run again.
func (w *writer) commitGroup(ctx context.Context, group []*pendingSave) {
	ended := false
	defer func() {
		if !ended {
			w.abandon(group)
		}
	}()
	applied, sawUncommitted, failure := w.apply(group)
	switch {
	case failure != nil:
		w.undo(ctx, failure)
		markForRetry(group, len(group) > 1)
	case len(applied) == 0:
		w.undo(ctx, nil)
		markForRetry(sawUncommitted, true)
	default:
		markForRetry(sawUncommitted, !w.commit(ctx, applied))
	}
	ended = true
}

// markForRetry records whether the saves are to run again in separate transactions.
func markForRetry(saves []*pendingSave, retry bool) {
	for _, p := range saves {
		p.retryAlone = retry
	}
}

// abandon ends a transaction in which this caller panicked: its outcome is unknown.
func (w *writer) abandon(group []*pendingSave) {
	w.drop()
	for _, p := range group {
		p.result = errUnknown
	}
}

// apply runs the saves of a group and returns as applied those to commit. A save
// that is rejected before it wrote anything has its result and does not affect the
// others; it is in sawUncommitted if it may have read their writes. Any other error
// is returned as failure, and all saves must be rolled back.
func (w *writer) apply(group []*pendingSave) (applied, sawUncommitted []*pendingSave, failure error) {
	for _, p := range group {
		before := w.session.changed
		p.result = p.attempt(w.session, len(group) > 1)
		switch {
		case p.result == nil:
			applied = append(applied, p)
		case !isRejection(p.result) || w.session.changed != before:
			return nil, nil, p.result
		case len(applied) > 0:
			sawUncommitted = append(sawUncommitted, p)
		}
	}
	return stillWanted(applied), sawUncommitted, nil
}

// attempt runs the save unless its caller has gone. In a group, a panic is an
// error: p then runs again in a separate transaction and panics in its own caller.
func (p *pendingSave) attempt(s *session, amongOthers bool) (err error) {
	if amongOthers {
		defer func() {
			if recover() != nil {
				err = errPanicked
			}
		}()
	}
	if err := p.callerGone(); err != nil {
		return err
	}
	return coded(p.do(s))
}

// stillWanted returns the saves, or nil if all their callers have gone.
func stillWanted(saves []*pendingSave) []*pendingSave {
	for _, p := range saves {
		if p.callerGone() == nil {
			return saves
		}
	}
	for _, p := range saves {
		p.result = p.callerGone()
	}
	return nil
}

// saveQueue contains the waiting saves in the order of their arrival.
type saveQueue struct {
	mu      sync.Mutex
	waiting []*pendingSave
	arrived int // the number of saves ever added
}

func (q *saveQueue) add(p *pendingSave) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.arrived++
	p.place = q.arrived
	q.waiting = append(q.waiting, p)
}

// lastPlace returns the place of the save that arrived last.
func (q *saveQueue) lastPlace() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.arrived
}

// take removes and returns the first saves, as many as fit in one transaction.
func (q *saveQueue) take() []*pendingSave {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.removeFirst(min(len(q.waiting), maxGroup))
}

// removeFirst removes and returns the first n saves. It clears their slots, so that
// they can be collected while the queue is idle.
func (q *saveQueue) removeFirst(n int) []*pendingSave {
	first := slices.Clone(q.waiting[:n])
	q.waiting = slices.Delete(q.waiting, 0, n)
	return first
}

// failUpTo ends all saves up to the place last with cause. They have waited for the
// file as long as the holder of the turn and do not wait again.
func (q *saveQueue) failUpTo(last int, cause error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := 0
	for n < len(q.waiting) && q.waiting[n].place <= last {
		q.waiting[n].result = cause
		n++
	}
	notify(q.removeFirst(n))
}

// withdraw removes p, and reports whether it was still waiting.
func (q *saveQueue) withdraw(p *pendingSave) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.waiting, p)
	if i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
	return i >= 0
}
