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

// member is one save of a group.
type member struct {
	do     func(*session) error
	check  func(*session) (fate, error) // nil: its fate can't be read
	gone   func() error                 // tells whether the caller waits no more
	place  int                          // in the order in which the saves came
	result error
	alone  bool          // the group told nothing about it: it is to be made again, by its caller
	done   chan struct{} // holds one value when result or alone is set
}

func newMember(ctx context.Context, do change, check evidence) *member {
	steady := context.WithoutCancel(ctx)
	m := &member{
		do:   func(s *session) error { return do(steady, s) },
		gone: ctx.Err,
		done: make(chan struct{}, 1),
	}
	if check != nil {
		m.check = func(s *session) (fate, error) { return check(steady, s) }
	}
	return m
}

// save is update for a change that may share its transaction with others. It may
// be made twice: do must only write.
func (w *writer) save(ctx context.Context, do change, check evidence) error {
	m := newMember(ctx, do, check)
	w.saves.add(m)
	for {
		select {
		case <-m.done:
			if m.alone {
				return w.update(ctx, do, check)
			}
			return m.result
		case <-w.closed:
			return w.giveUp(m, errClosed)
		case <-ctx.Done():
			return w.giveUp(m, ctx.Err())
		case w.turn <- struct{}{}:
			if err := w.lead(ctx, m); err != nil {
				return w.giveUp(m, err)
			}
		}
	}
}

// giveUp ends the wait of m with cause, unless its transaction is under way.
func (w *writer) giveUp(m *member, cause error) error {
	if w.saves.leave(m) {
		return cause
	}
	<-m.done
	if m.alone {
		return cause
	}
	return m.result
}

// lead makes the saves that wait, m probably among them. It has the turn, and
// gives it back. An error is that no transaction could be begun.
func (w *writer) lead(ctx context.Context, m *member) error {
	defer func() { <-w.turn }()
	if len(m.done) > 0 {
		return nil
	}
	if w.isClosed() {
		return errClosed
	}
	newest := w.saves.newest()
	if err := w.begin(ctx); err != nil {
		if isBusy(err) {
			w.saves.refuse(newest, err)
		}
		return err
	}
	group := w.saves.take()
	defer tell(group)
	w.together(context.WithoutCancel(ctx), group)
	return nil
}

// tell ends the wait of a group.
func tell(group []*member) {
	for _, m := range group {
		m.done <- struct{}{}
	}
}

// together makes the saves of a group in the transaction that is open, and ends
// it. A refusal that others' writes may have caused holds only if these are
// stored; else that save is to be made alone. If one fails, all of them are.
func (w *writer) together(ctx context.Context, group []*member) {
	ended := false
	defer func() {
		if !ended {
			w.abandon(group)
		}
	}()
	made, behind, failure := w.apply(group)
	switch {
	case failure != nil:
		w.undo(ctx, failure)
		separate(group, len(group) > 1)
	case len(made) == 0:
		w.undo(ctx, nil)
		separate(behind, true)
	default:
		separate(behind, !w.commit(ctx, made))
	}
	ended = true
}

func separate(saves []*member, alone bool) {
	for _, m := range saves {
		m.alone = alone
	}
}

// abandon ends a transaction in which this caller panics: nobody knows how far
// it came.
func (w *writer) abandon(group []*member) {
	w.drop()
	for _, m := range group {
		m.result = errUnknown
	}
}

// apply makes the saves of a group, and gives those that are to be committed. The
// others have their results: a save that was refused before it wrote anything
// costs its neighbours nothing. It is behind, if it may have seen their writes. One
// that failed otherwise is the failure, which undoes them all.
func (w *writer) apply(group []*member) (made, behind []*member, failure error) {
	for _, m := range group {
		before := w.session.changed
		m.result = m.attempt(w.session, len(group) > 1)
		switch {
		case m.result == nil:
			made = append(made, m)
		case !isRefusal(m.result) || w.session.changed != before:
			return nil, nil, m.result
		case len(made) > 0:
			behind = append(behind, m)
		}
	}
	return stillWanted(made), behind, nil
}

// attempt makes the save, unless its caller has gone. A panic among others' saves
// is a failure, so that it is met again, and by its own caller, when m is made
// alone.
func (m *member) attempt(s *session, amongOthers bool) (err error) {
	if amongOthers {
		defer func() {
			if recover() != nil {
				err = errPanicked
			}
		}()
	}
	if err := m.gone(); err != nil {
		return err
	}
	return coded(m.do(s))
}

// stillWanted gives the saves back, unless all who asked for them have gone.
func stillWanted(made []*member) []*member {
	for _, m := range made {
		if m.gone() == nil {
			return made
		}
	}
	for _, m := range made {
		m.result = m.gone()
	}
	return nil
}

// queue holds the saves that wait, in the order in which they came.
type queue struct {
	mu      sync.Mutex
	waiting []*member
	came    int // how many, ever
}

func (q *queue) add(m *member) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.came++
	m.place = q.came
	q.waiting = append(q.waiting, m)
}

// newest gives the place of the save that came last.
func (q *queue) newest() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.came
}

// take gives the first to a transaction.
func (q *queue) take() []*member {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.cut(min(len(q.waiting), maxGroup))
}

// cut leaves nothing of the first n in the slice, which may be long idle.
func (q *queue) cut(n int) []*member {
	first := slices.Clone(q.waiting[:n])
	q.waiting = slices.Delete(q.waiting, 0, n)
	return first
}

// refuse ends the wait of all saves up to a place. They waited for the file as
// long as the one that led: none waits once more.
func (q *queue) refuse(last int, cause error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := 0
	for n < len(q.waiting) && q.waiting[n].place <= last {
		q.waiting[n].result = cause
		n++
	}
	tell(q.cut(n))
}

// leave takes m back, and tells whether it was still waiting.
func (q *queue) leave(m *member) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.waiting, m)
	if i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
	return i >= 0
}
