// Package states keeps state machines as tables: which states there are, what
// moves a thing from one to another, and what that brings with it. What is not in
// a table does not happen.
package states

import (
	"fmt"
	"slices"

	"github.com/corridor-go/corridor/errcodes"
)

// Table is a state machine whose rows are of type R. Make one with New.
type Table[S, T ~string, R any] struct {
	noun string
	rows []R
	from map[step[S, T]]int
}

type step[S, T ~string] struct {
	state S
	on    T
}

// New makes a table of rows for the things called noun ("a rate lock"). The func
// at returns the state that a row starts from and the trigger that it answers. Two
// rows for the same pair are a mistake in the program: New panics.
func New[S, T ~string, R any](noun string, at func(R) (S, T), rows ...R) *Table[S, T, R] {
	t := &Table[S, T, R]{noun, rows, make(map[step[S, T]]int, len(rows))}
	for i, row := range rows {
		state, on := at(row)
		if _, twice := t.from[step[S, T]{state, on}]; twice {
			panic(fmt.Sprintf("two rows for %s that is %s, on %s", noun, state, on))
		}
		t.from[step[S, T]{state, on}] = i
	}
	return t
}

// Next returns the row for a thing in a state and a trigger. Without one it
// returns [errcodes.Conflict].
func (t *Table[S, T, R]) Next(state S, on T) (R, error) {
	if i, ok := t.from[step[S, T]{state, on}]; ok {
		return t.rows[i], nil
	}
	var none R
	if state == "" {
		state = "new"
	}
	return none, errcodes.New(errcodes.Conflict, fmt.Sprintf("%s that is %s does not change when %s", t.noun, state, on))
}

// All returns a copy of the rows in their order.
func (t *Table[S, T, R]) All() []R { return slices.Clone(t.rows) }
