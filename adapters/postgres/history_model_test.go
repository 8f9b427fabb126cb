package postgres_test

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/corridor-go/corridor/ports"
)

// lockStep takes effect at one instant: a save, an answer, or both if the answer depends
// on the save.
type lockStep struct {
	book   ports.BookKey
	effect *lockSave
	answer *lockOp
}

// lockSteps splits ops into steps. An op whose clock jumps back may save, look again, and
// answer from what others did meanwhile: these are separate steps. So are the answer
// from a book as it was read, and what the op stored after that, which may be the end of
// the lock that it returned.
func lockSteps(ops []lockOp) []porcupine.Operation {
	var all []porcupine.Operation
	for i := range ops {
		o := &ops[i]
		client := o.Process*100 + o.Client
		answer := lockStep{book: o.Book, answer: o}
		for j := range o.Saves {
			s := &o.Saves[j]
			if j == len(o.Saves)-1 && s.makes(&o.Lock) {
				answer.effect = s
				continue
			}
			all = append(all, porcupine.Operation{ClientId: client, Input: lockStep{book: o.Book, effect: s}, Call: s.Call, Return: s.Return})
		}
		all = append(all, porcupine.Operation{ClientId: client, Input: answer, Call: o.Call, Return: o.Return})
	}
	return all
}

// knownLock is what the sequential specification knows about a lock.
type knownLock struct {
	id               string
	created, expires time.Time
	status           ports.LockStatus
}

// bookState contains the locks of one book, oldest first.
type bookState []knownLock

// sequential is SPEC 3.1 and 4.2 for one book, one step after the other, for processes
// whose clocks disagree: the instant at which a step decided is part of its answer, and
// never earlier than the book's high water.
var sequential = sequentialFrom(bookState.high)

// sequentialCap is sequential for stores that do not write the high water.
var sequentialCap = sequentialFrom(func(bookState) time.Time { return time.Time{} })

// sequentialFrom returns the model. No step decides before floor.
func sequentialFrom(floor func(bookState) time.Time) porcupine.Model {
	return porcupine.Model{
		Partition: byBook,
		Init:      func() any { return bookState(nil) },
		Step: func(state, input, _ any) (bool, any) {
			p, s := slices.Clone(state.(bookState)), input.(lockStep)
			return p.take(&s, floor(p)), p.after(&s)
		},
		Equal: func(a, b any) bool { return slices.Equal(a.(bookState), b.(bookState)) },
	}
}

func byBook(history []porcupine.Operation) [][]porcupine.Operation {
	books := map[ports.BookKey][]porcupine.Operation{}
	for i := range history {
		key := history[i].Input.(lockStep).book
		books[key] = append(books[key], history[i])
	}
	var all [][]porcupine.Operation
	for _, ops := range books {
		all = append(all, ops)
	}
	return all
}

// take ends what the step ends, and reports whether the step can come next.
func (p bookState) take(s *lockStep, floor time.Time) bool {
	if s.effect != nil {
		for i := range s.effect.Ended {
			if !p.end(&s.effect.Ended[i], floor) {
				return false
			}
		}
	}
	if s.answer == nil {
		return s.effect.Minted == ""
	}
	return p.answers(s.answer, floor)
}

// after returns the state after a step that was taken.
func (p bookState) after(s *lockStep) bookState {
	if s.answer == nil || s.effect == nil || s.effect.Minted == "" {
		return p
	}
	l := &s.answer.Lock
	p = append(p, knownLock{l.ID, l.CreatedAt, l.ExpiresAt, ports.LockActive})
	slices.SortFunc(p, func(a, b knownLock) int { return cmp.Or(a.created.Compare(b.created), strings.Compare(a.id, b.id)) })
	return p
}

func (p bookState) end(e *lockEnd, floor time.Time) bool {
	k := p.find(e.Lock.ID)
	if k == nil || k.status != ports.LockActive || e.Decided.Before(floor) {
		return false
	}
	k.status = e.Lock.Status
	if e.Lock.Status == ports.LockExpired {
		return !e.Decided.Before(k.expires)
	}
	return e.Decided.Before(k.expires) && e.Decided.Equal(e.Lock.EndedAt)
}

func (p bookState) answers(o *lockOp, floor time.Time) bool {
	switch {
	case o.Code != "":
		return false // these histories have no injected failures
	case o.Lock.Status != ports.LockActive:
		k := p.find(o.Lock.ID)
		return (o.Kind == opGet || o.Kind == opCancel) && k != nil && k.status == o.Lock.Status
	case o.AsOf.Before(floor):
		return false
	}
	switch o.Kind {
	case opCreate:
		if o.Minted {
			return p.mints(o, floor)
		}
		return len(p.validAt(o.AsOf)) == ports.MaxLiveLocks && p.freshest(o)
	case opCurrent:
		if p.find(o.Lock.ID) == nil {
			return p.mints(o, floor) && !p.lasts(o)
		}
		return p.freshest(o) && (len(p.validAt(o.AsOf)) == ports.MaxLiveLocks || p.lasts(o))
	case opGet:
		// Ended locks were stored as ended before a valid lock was returned.
		return slices.ContainsFunc(p.validAt(o.AsOf), func(k knownLock) bool { return k.id == o.Lock.ID }) &&
			len(p.validAt(o.AsOf)) == len(p.active())
	case opCancel:
	}
	return false
}

// mints reports whether the book had room for the lock (I1, I2).
func (p bookState) mints(o *lockOp, floor time.Time) bool {
	return o.Lock.CreatedAt.After(floor) && len(p.active()) < ports.MaxLiveLocks
}

func (p bookState) freshest(o *lockOp) bool {
	valid := p.validAt(o.AsOf)
	return len(valid) > 0 && valid[len(valid)-1].id == o.Lock.ID
}

// lasts reports whether the freshest valid lock has the life left that the op
// asked for.
func (p bookState) lasts(o *lockOp) bool {
	valid := p.validAt(o.AsOf)
	return len(valid) > 0 && valid[len(valid)-1].expires.Sub(o.AsOf) >= o.Left
}

func (p bookState) high() time.Time {
	if len(p) == 0 {
		return time.Time{}
	}
	return p[len(p)-1].created
}

func (p bookState) find(id string) *knownLock {
	for i := range p {
		if p[i].id == id {
			return &p[i]
		}
	}
	return nil
}

func (p bookState) active() []knownLock {
	return p.where(func(*knownLock) bool { return true })
}

func (p bookState) validAt(at time.Time) []knownLock {
	return p.where(func(k *knownLock) bool { return at.Before(k.expires) })
}

func (p bookState) where(is func(*knownLock) bool) []knownLock {
	var some []knownLock
	for i := range p {
		if k := &p[i]; k.status == ports.LockActive && is(k) {
			some = append(some, *k)
		}
	}
	return some
}
