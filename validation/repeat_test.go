package validation_test

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/validation"
	"github.com/corridor-go/corridor/validation/market"
)

// Who asks the same again gets the same result under an id of its own, and
// nothing is written.
func TestTheSameQuestionAgain(t *testing.T) {
	onEachStore(t, func(t *testing.T, store storage) {
		b := newBench(t, store)
		req := named("Kofi Boateng")
		b.validate(req)
		hit := b.validate(req)
		require.True(t, hit.Cached)
		b.events()
		ids := map[string]bool{hit.ID: true}
		for range 50 {
			b.clock.Advance(time.Minute)
			v := b.validate(req)
			require.False(t, ids[v.ID], "an id twice")
			ids[v.ID] = true
			assert.Equal(t, v, b.get(v.ID), "I18")
			v.ID = hit.ID
			assert.Equal(t, hit, v)
		}
		assert.Empty(t, b.events(), "nothing was written")
		for id := range ids {
			_, err := b.service.Get(t.Context(), "other", id)
			requireCode(t, errcodes.NotFound, err)
			altered := []byte(id)
			altered[35] = "0123456789abcdef"[(fmt.Sprintf("%c", altered[35])[0]+1)%16]
			if !ids[string(altered)] {
				_, err = b.service.Get(t.Context(), owner, string(altered))
				requireCode(t, errcodes.NotFound, err)
			}
		}
		other := req
		other.MerchantID = "0d9c1a52-6a67-4b1c-8a55-0c7b8f7d2f10"
		assert.Equal(t, other.MerchantID, b.validate(other).MerchantID, "another merchant's is another question")
		assert.Len(t, b.events(), 1)

		b.clock.Set(hit.ExpiresAt)
		assert.False(t, b.validate(req).Cached, "stale")
		for id := range ids {
			_, err := b.service.Get(t.Context(), owner, id)
			requireCode(t, errcodes.NotFound, err)
		}
	})
}

func TestNothingIsSharedWithoutRoom(t *testing.T) {
	b := newBench(t, storages["memory"](t))
	cfg := b.config()
	cfg.MaxRecent = -1
	s, err := validation.New(b.ports(), []ports.AccountConnector{b.first}, day, cfg)
	require.NoError(t, err)
	for range 4 {
		_, err := s.Validate(t.Context(), owner, request())
		require.NoError(t, err)
	}
	assert.Len(t, b.events(), 4, "each has a record")
	assert.Len(t, b.first.Asked(), 1)

	cfg.MaxRecent = 2
	s, err = validation.New(b.ports(), []ports.AccountConnector{b.first}, day, cfg)
	require.NoError(t, err)
	for i := range 20 {
		r := named(fmt.Sprint("Ama Mensah ", i))
		first, err := s.Validate(t.Context(), owner, r)
		require.NoError(t, err)
		again, err := s.Validate(t.Context(), owner, r)
		require.NoError(t, err)
		require.Equal(t, first.CreatedAt, again.CreatedAt, "the newest has room")
	}
}

// crowd asks the same n times at once, and waits for all.
func crowd(t *testing.T, s *validation.Service, n int, req market.Request) []ports.Validation {
	t.Helper()
	all := make([]ports.Validation, n)
	var callers sync.WaitGroup
	for i := range all {
		callers.Go(func() {
			v, err := s.Validate(t.Context(), owner, req)
			assert.NoError(t, err)
			all[i] = v
		})
	}
	callers.Wait()
	return all
}

// A thousand who ask the same at once make one record: also those that are told
// pending, and those of a lookup that fails.
func TestACrowdMakesOneRecord(t *testing.T) {
	for _, c := range []struct {
		name   string
		takes  time.Duration
		answer ports.Answer
		told   ports.ValidationStatus
		end    ports.ValidationStatus
	}{
		{"at once", time.Second, found, ports.StatusVerified, ports.StatusVerified},
		{"later", 3 * time.Second, found, ports.StatusPending, ports.StatusVerified},
		{"never", time.Hour, found, ports.StatusPending, ports.StatusError},
		{"in vain", time.Second, says[ports.OutcomeFailed].answer, ports.StatusError, ports.StatusError},
	} {
		for name, open := range storages {
			t.Run(c.name+" "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					store := open(t)
					slow := portstest.NewScriptedConnector("slow", reaching)
					slow.Take(ports.SystemClock(), c.takes)
					slow.Answer(c.answer)
					s, err := validation.New(validation.Ports{
						Validations: store.Validations(), Answers: store.Answers(), Work: store.Work(), Sealer: sealer(t),
					}, []ports.AccountConnector{slow}, day, nil)
					require.NoError(t, err)
					begun := time.Now()
					all := crowd(t, s, 1000, named("Ama Mensah"))
					assert.LessOrEqual(t, time.Since(begun), validation.DefaultWindow)
					<-time.After(40 * time.Second)
					ids := map[string]bool{}
					for _, v := range all {
						require.Equal(t, c.told, v.Status)
						ids[v.ID] = true
						end, err := s.Get(t.Context(), owner, v.ID)
						require.NoError(t, err)
						require.Equal(t, c.end, end.Status)
						require.Equal(t, v.ID, end.ID)
					}
					assert.Len(t, ids, len(all))
					assert.Len(t, slow.Asked(), 1)
					records := map[string]bool{}
					events, err := store.Outbox().Claim(t.Context(), time.Now(), time.Minute, 1000)
					require.NoError(t, err)
					for _, e := range events {
						records[e.Key] = true
					}
					assert.Len(t, records, 1)
					require.NoError(t, s.Close(t.Context()))
				})
			})
		}
	}
}

// Callers who come while others are told pending are told the end, when it is
// there, under ids of their own.
func TestWhoComesLaterIsToldTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := storages["memory"](t)
		slow := portstest.NewScriptedConnector("slow", reaching)
		slow.Take(ports.SystemClock(), 3*time.Second)
		slow.Answer(found)
		s, err := validation.New(validation.Ports{
			Validations: store.Validations(), Answers: store.Answers(), Work: store.Work(), Sealer: sealer(t),
		}, []ports.AccountConnector{slow}, day, nil)
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
		require.NoError(t, s.Close(t.Context()))
	})
}
