// Package states implements state machines as tables of the allowed transitions.
package states

import (
	"fmt"
	"slices"

	"github.com/corridor-go/corridor/errcodes"
)

// Table is a state machine with rows of type R. Create one with New.
type Table[S, T ~string, R any] struct {
	noun string
	rows []R
	from map[step[S, T]]int
}

type step[S, T ~string] struct {
	state S
	on    T
}

// New returns a table of rows for records called noun, such as "a rate lock". at returns
// the state and the trigger of a row. New panics if two rows have the same state and
// trigger.
func New[S, T ~string, R any](noun string, at func(R) (S, T), rows ...R) *Table[S, T, R] {
	t := &Table[S, T, R]{noun, rows, make(map[step[S, T]]int, len(rows))}
	for i, row := range rows {
		state, on := at(row)
		if _, twice := t.from[step[S, T]{state, on}]; twice {
			panic(fmt.Sprintf("two rows for %s in state %s on %s", noun, state, on))
		}
		t.from[step[S, T]{state, on}] = i
	}
	return t
}

// Next returns the row for a state and a trigger. It returns [errcodes.Conflict] if there
// is none.
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
