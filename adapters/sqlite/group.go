package sqlite

import (
	"context"
	"sync"
)

// A COMMIT waits for the disk, however little it stores. Saves that wait for
// their turn meanwhile are therefore made together, by whoever gets the turn
// next: one transaction and one wait for all of them.

// maxGroup bounds the saves of one transaction: 1 to 2 ms of work.
const maxGroup = 64

// member is one save of a group.
type member struct {
	do     func(*session) error
	check  func(*session) (fate, error) // nil: its fate can't be read
	gone   func() error                 // tells whether the caller waits no more
	result error
	done   chan struct{} // holds one value when result is set
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

// queue holds the saves that wait, in the order in which they came.
type queue struct {
	mu      sync.Mutex
	waiting []*member
}

func (q *queue) add(m *member) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, m)
}

// take gives the first to a transaction.
func (q *queue) take() []*member {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(len(q.waiting), maxGroup)
	group := q.waiting[:n:n]
	q.waiting = q.waiting[n:]
	return group
}

// leave takes m back, and tells whether it was still waiting.
func (q *queue) leave(m *member) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, waiting := range q.waiting {
		if waiting == m {
			q.waiting = append(q.waiting[:i:i], q.waiting[i+1:]...)
			return true
		}
	}
	return false
}

// save is update for a change that may share its transaction with others. It may
// be made twice: do must only write.
func (w *writer) save(ctx context.Context, do change, check evidence) error {
	m := newMember(ctx, do, check)
	w.saves.add(m)
	for {
		select {
		case <-m.done:
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
	if err := w.begin(ctx); err != nil {
		return err
	}
	w.transact(context.WithoutCancel(ctx), w.saves.take())
	return nil
}

// transact makes the saves of a group in the transaction that is open, or, when
// one of them fails, each in one of its own, and tells each caller the result.
func (w *writer) transact(ctx context.Context, group []*member) {
	if !w.together(ctx, group) {
		for _, m := range group {
			if m.result = w.begin(ctx); m.result == nil {
				w.together(ctx, []*member{m})
			}
		}
	}
	for _, m := range group {
		m.done <- struct{}{}
	}
}

// together makes the saves of a group, and ends the transaction. It tells whether
// all have their results; if not, nothing of them is stored.
func (w *writer) together(ctx context.Context, group []*member) bool {
	made, failure := w.apply(group)
	if failure == nil && len(made) > 0 {
		w.commit(ctx, made)
		return true
	}
	w.undo(ctx, failure)
	return failure == nil || len(group) == 1
}

// apply makes the saves of a group, and gives those that are to be committed. The
// others have their results: a save that was refused before it wrote anything
// costs its neighbours nothing. One that failed otherwise is the failure, which
// undoes them all.
func (w *writer) apply(group []*member) (made []*member, failure error) {
	for _, m := range group {
		before := w.session.changed
		if m.result = m.gone(); m.result == nil {
			m.result = coded(m.do(w.session))
		}
		switch {
		case m.result == nil:
			made = append(made, m)
		case !isRefusal(m.result) || w.session.changed != before:
			return nil, m.result
		}
	}
	return stillWanted(made), nil
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
