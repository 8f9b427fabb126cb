package validation_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/validation"
	"github.com/corridor-go/corridor/validation/market"
)

func TestResultsAreNotSharedWithoutMaxRecent(t *testing.T) {
	b := newBench(t, inMemory(t))
	cfg := b.config()
	cfg.MaxRecent = -1
	s, err := validation.New(b.ports(b.first), day, cfg)
	require.NoError(t, err)
	for range 4 {
		_, err := s.Validate(t.Context(), owner, request())
		require.NoError(t, err)
	}
	assert.Len(t, b.events(), 4, "each has a record")
	assert.Len(t, b.first.Asked(), 1)

	written := func(r market.Request, calls int) int {
		b.events()
		for range calls {
			_, err := s.Validate(t.Context(), owner, r)
			require.NoError(t, err)
		}
		return len(b.events())
	}
	for most := 2; most >= 1; most-- {
		cfg.MaxRecent = most
		s, err = validation.New(b.ports(b.first), day, cfg)
		require.NoError(t, err)
		for i := range 20 {
			require.Equal(t, 1, written(named(fmt.Sprint("Ama Mensah ", i)), 3), "the newest has room")
		}
	}
	require.Equal(t, 1, written(named("Ama Mensah 18"), 1), "of one result the one before has none")
}

// Callers that come after a pending validation get the result, when it exists, under
// their own ids.
func TestLaterCallersGetTheResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := inMemory(t)
		slow := fake.NewConnector("slow", reaching)
		slow.Take(ports.SystemClock(), 3*time.Second)
		slow.Answer(found)
		s, err := validation.New(validation.Ports{
			Validations: store.Validations(), Answers: store.Answers(), Work: store.Work(), Sealer: sealer(t),
			Connectors: []ports.AccountConnector{slow},
		}, day, nil)
		require.NoError(t, err)
		first, err := s.Validate(t.Context(), owner, request())
		require.NoError(t, err)
		require.Equal(t, ports.StatusPending, first.Status)
		second, err := s.Validate(t.Context(), owner, request())
		require.NoError(t, err)
		assert.Equal(t, ports.StatusVerified, second.Status)
		assert.NotEqual(t, first.ID, second.ID)
		for _, id := range []string{first.ID, second.ID} {
			v, err := s.Wait(t.Context(), owner, id)
			require.NoError(t, err)
			assert.Equal(t, id, v.ID)
			assert.Equal(t, ports.StatusVerified, v.Status)
		}
		require.NoError(t, s.Stop(t.Context()))
	})
}
