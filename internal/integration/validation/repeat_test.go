package validation_test

import (
	"flag"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/validation"
)

// A repeated request gets the same result under a new id, without a write.
func TestARepeatedRequestWritesNothing(t *testing.T) {
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

var simultaneous = flag.Int("simultaneous", 200, "how many equal requests are made at once")

// Simultaneous equal requests create one record, including those that become
// pending and those of a failed lookup.
func TestSimultaneousRequestsCreateOneRecord(t *testing.T) {
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
		{"without success", time.Second, says[ports.OutcomeFailed].answer, ports.StatusError, ports.StatusError},
	} {
		for name, open := range storages {
			t.Run(c.name+" "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					store := open(t)
					slow := fake.NewConnector("slow", reaching)
					slow.Take(ports.SystemClock(), c.takes)
					slow.Answer(c.answer)
					s, err := validation.New(validation.Ports{
						Validations: store.Validations(), Answers: store.Answers(), Work: store.Work(), Sealer: sealer(t),
						Connectors: []ports.AccountConnector{slow},
					}, day, nil)
					require.NoError(t, err)
					begun := time.Now()
					all := crowd(t, s, *simultaneous, named("Ama Mensah"))
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
					require.NoError(t, s.Stop(t.Context()))
				})
			})
		}
	}
}
