package storemodel

import (
	"context"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/errcodes"
)

// differential asks stores what it asks the memory store, which has a model of its
// own, and compares.
type differential struct {
	stores []Store
	model  *memory.Store
	saves  int
}

func newDifferential(t *rapid.T, fresh Fresh) differential {
	model, err := memory.New(nil)
	require.NoError(t, err)
	return differential{stores: fresh(), model: model}
}

// agree compares the errors of two answers.
func agree(t *rapid.T, wantErr, err error) {
	require.Equal(t, errcodes.Of(wantErr), errcodes.Of(err), "%v; the model: %v", err, wantErr)
}

// sameEvents compares the events of the model, each of a key of its own, with
// those that are stored.
func (d *differential) sameEvents(t *rapid.T) {
	require.Equal(t, eventIDs(t, d.model), eventIDs(t, d.stores[0]))
}

// eventIDs gives the events that wait, in their order, and claims them.
func eventIDs(t *rapid.T, store Store) (ids []string) {
	events, err := store.Outbox().Claim(context.Background(), Epoch, time.Second, 1000)
	require.NoError(t, err)
	for i := range events {
		ids = append(ids, events[i].ID)
	}
	return ids
}
