package states_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/states"
)

type (
	state   string
	trigger string
	row     struct {
		From  state
		On    trigger
		To    state
		Event string
	}
)

func at(r row) (state, trigger) { return r.From, r.On }

var door = []row{{"", "it is built", "shut", "built"}, {"shut", "it is pushed", "open", "opened"}, {"open", "it is pulled", "shut", ""}}

func TestNextReturnsTheRowOrAConflict(t *testing.T) {
	table := states.New("a door", at, door...)
	for _, want := range door {
		got, err := table.Next(want.From, want.On)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	_, err := table.Next("open", "it is pushed")
	require.ErrorIs(t, err, errcodes.Conflict)
	assert.Equal(t, "a door that is open does not change when it is pushed", errcodes.MessageOf(err))
	_, err = table.Next("", "it is pushed")
	assert.Equal(t, "a door that is new does not change when it is pushed", errcodes.MessageOf(err))
}

func TestAllIsACopy(t *testing.T) {
	table := states.New("a door", at, door...)
	all := table.All()
	require.Equal(t, door, all)
	all[0].To = "gone"
	assert.Equal(t, door, table.All())
}

func TestTwoRowsForOneStepPanic(t *testing.T) {
	assert.PanicsWithValue(t, "two rows for a door in state shut on it is pushed", func() {
		states.New("a door", at, append(door[:2:2], door[1])...)
	})
}
