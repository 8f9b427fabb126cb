package sqlite

import (
	"context"
	"slices"
	"sync"

	"github.com/corridor-go/corridor/errcodes"
)

// A COMMIT waits for the disk, however little it stores. Saves that wait for
// their turn meanwhile are therefore made together, by whoever gets the turn
// next: one transaction and one wait for all of them.

// maxGroup bounds the saves of one transaction: 1 to 2 ms of work.
const maxGroup = 64

var (
	errPanicked = errcodes.New(errcodes.Internal, "") // no caller is told: the save is made again
	errUnknown  = errcodes.New(errcodes.OutcomeUnknown, "")
)

// pendingSave is one save of a group.
type pendingSave struct {
	do         func(*session) error
	check      func(*session) (fate, error) // nil: its fate can't be read
	callerGone func() error                 // an error once the caller no longer waits
	place      int                          // in the order in which the saves came
	result     error
	retryAlone bool          // the group decided nothing about it: its caller makes it again, in a transaction of its own
	done       chan struct{} // holds one value when result or retryAlone is set
}

func newPendingSave(ctx context.Context, do change, check fateReader) *pendingSave {
	uncancelled := context.WithoutCancel(ctx)
	p := &pendingSave{
		do:         func(s *session) error { return do(uncancelled, s) },
		callerGone: ctx.Err,
		done:       make(chan struct{}, 1),
	}
	if check != nil {
		p.check = func(s *session) (fate, error) { return check(uncancelled, s) }
	}
	return p
}

// save is update for a change that may share its transaction with others. It may
// be made twice: do must only write.
func (w *writer) save(ctx context.Context, do change, check fateReader) error {
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

// giveUp ends the wait of p with cause, unless its transaction is under way.
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

// commitWaiting makes the saves that wait, p probably among them. It holds the
// turn, and ends it. It returns an error if no transaction could be begun.
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

// notify ends the wait of a group.
func notify(group []*pendingSave) {
	for _, p := range group {
		p.done <- struct{}{}
	}
}

// commitGroup makes the saves of a group in the transaction that is open, and
// ends it. A refusal that others' writes may have caused holds only if these are
// stored; otherwise that save is made again, alone. If one fails, all of them are
// made again.
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

// markForRetry records whether the saves are to be made again, each alone.
func markForRetry(saves []*pendingSave, retry bool) {
	for _, p := range saves {
		p.retryAlone = retry
	}
}

// abandon ends a transaction in which this caller panics: nobody knows how far
// it came.
func (w *writer) abandon(group []*pendingSave) {
	w.drop()
	for _, p := range group {
		p.result = errUnknown
	}
}

// apply makes the saves of a group, and returns as applied those that are to be
// committed. The others have their results: a save that was refused before it
// wrote anything costs its neighbours nothing. It is among sawUncommitted if it may
// have seen their writes. One that failed otherwise is the failure, which undoes
// them all.
func (w *writer) apply(group []*pendingSave) (applied, sawUncommitted []*pendingSave, failure error) {
	for _, p := range group {
		before := w.session.changed
		p.result = p.attempt(w.session, len(group) > 1)
		switch {
		case p.result == nil:
			applied = append(applied, p)
		case !isRefusal(p.result) || w.session.changed != before:
			return nil, nil, p.result
		case len(applied) > 0:
			sawUncommitted = append(sawUncommitted, p)
		}
	}
	return stillWanted(applied), sawUncommitted, nil
}

// attempt makes the save, unless its caller has gone. A panic among others' saves
// is a failure, so that it is met again, and by its own caller, when p is made
// alone.
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

// stillWanted returns the saves, unless all who asked for them have gone.
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

// saveQueue holds the saves that wait, in the order in which they came.
type saveQueue struct {
	mu      sync.Mutex
	waiting []*pendingSave
	arrived int // how many, ever
}

func (q *saveQueue) add(p *pendingSave) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.arrived++
	p.place = q.arrived
	q.waiting = append(q.waiting, p)
}

// lastPlace returns the place of the save that came last.
func (q *saveQueue) lastPlace() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.arrived
}

// take removes and returns the first ones, as many as one transaction makes.
func (q *saveQueue) take() []*pendingSave {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.removeFirst(min(len(q.waiting), maxGroup))
}

// removeFirst leaves nothing of the first n in the slice, which may be idle for
// long.
func (q *saveQueue) removeFirst(n int) []*pendingSave {
	first := slices.Clone(q.waiting[:n])
	q.waiting = slices.Delete(q.waiting, 0, n)
	return first
}

// failUpTo ends the wait of all saves up to a place with cause. They waited for
// the file as long as the one that held the turn: none waits once more.
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
