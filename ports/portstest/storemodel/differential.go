package storemodel

import (
	"context"
	"strconv"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// differential makes the same calls to stores and to the memory store, which has
// its own model, and compares the results.
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

func (d *differential) any(t *rapid.T) Store { return rapid.SampledFrom(d.stores).Draw(t, "store") }

func (d *differential) event() []ports.Event {
	return []ports.Event{{ID: strconv.Itoa(d.saves), Key: strconv.Itoa(d.saves), At: Epoch}}
}

// asks makes the same call to the model and to one of the stores, compares the
// results, and returns the store's.
func asks[V any](t *rapid.T, d *differential, ask func(s Store) (V, error)) V {
	want, wantErr := ask(d.model)
	got, err := ask(d.any(t))
	agree(t, wantErr, err)
	require.Equal(t, want, got)
	return got
}

func (d *differential) tries(t *rapid.T, ask func(s Store) error) {
	agree(t, ask(d.model), ask(d.any(t)))
}

func agree(t *rapid.T, wantErr, err error) {
	require.Equal(t, errcodes.Of(wantErr), errcodes.Of(err), "%v; the model: %v", err, wantErr)
}

// sameEvents compares the model's events, which all have different keys, with
// those that are stored.
func (d *differential) sameEvents(t *rapid.T) {
	require.Equal(t, eventIDs(t, d.model), eventIDs(t, d.stores[0]))
}

// eventIDs claims the waiting events and returns their ids in order.
func eventIDs(t *rapid.T, store Store) (ids []string) {
	events, err := store.Outbox().Claim(context.Background(), Epoch, time.Second, 1000)
	require.NoError(t, err)
	for i := range events {
		ids = append(ids, events[i].ID)
	}
	return ids
}
