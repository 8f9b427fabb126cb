package validation_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/ports"
)

func TestAnAccountIsVerified(t *testing.T) {
	onEachStore(t, func(t *testing.T, store storage) {
		b := newBench(t, store)
		v := b.validate(request())
		assert.Equal(t, ports.StatusVerified, v.Status)
		assert.Equal(t, "first", v.Provider)
		assert.Equal(t, ports.External, v.Type)
		assert.Equal(t, "AMA SERWAA MENSAH", v.HolderName)
		assert.Empty(t, v.FailureReason)
		assert.Equal(t, noon, v.CreatedAt)
		assert.Equal(t, noon, v.EndedAt)
		assert.Equal(t, noon.Add(24*time.Hour), v.ExpiresAt)
		assert.Equal(t, merchant, v.MerchantID)
		assert.Equal(t, "044", v.BankCode)
		assert.Equal(t, ports.OutcomeFound, v.Outcome)
		assert.NotEmpty(t, v.Tables)
		assert.Len(t, v.Asked, 1)
		assert.Equal(t, "resolved", v.Asked[0].Message)
		assert.Equal(t, v, b.get(v.ID), "I18")
		asked := b.first.Asked()
		require.Len(t, asked, 1)
		assert.Equal(t, "0690000032", asked[0].Identifier)
		assert.Empty(t, b.second.Asked())
	})
}

func TestACachedAnswerNeedsNoLookup(t *testing.T) {
	onEachStore(t, func(t *testing.T, store storage) {
		b := newBench(t, store)
		first := b.validate(request())
		b.clock.Advance(time.Hour)
		second := b.validate(request())
		assert.Len(t, b.first.Asked(), 1, "no second lookup")
		assert.NotEqual(t, first.ID, second.ID, "a new request gives a new id")
		assert.True(t, second.Cached)
		assert.Equal(t, first.ExpiresAt, second.ExpiresAt, "the answer does not become younger")
		assert.Equal(t, b.clock.Now(), second.CreatedAt)
		assert.Empty(t, second.Asked)

		other := b.validate(named("Kofi Boateng"))
		assert.Equal(t, ports.StatusNameMismatch, other.Status, "a hit re-judges the name")
		assert.True(t, other.Cached)
		assert.Equal(t, ports.StatusVerified, b.validate(named("Mensah Ama Serwaa")).Status)
		assert.Equal(t, ports.StatusVerified, b.get(first.ID).Status, "I18")

		b.clock.Set(first.ExpiresAt.Add(-time.Millisecond))
		b.validate(request())
		assert.Len(t, b.first.Asked(), 1)
		b.clock.Set(first.ExpiresAt)
		assert.False(t, b.validate(request()).Cached, "stale from its instant on")
		assert.Len(t, b.first.Asked(), 2)
	})
}

// I19 is tested to the millisecond.
func TestAValidationIsPendingAfterTheWindow(t *testing.T) {
	onEachStore(t, func(t *testing.T, store storage) {
		b := newBench(t, store)
		release := b.first.Hold()
		done := b.asking(b.service, named("Ama Mensah"))
		b.first.WaitAsked(1)
		b.clock.BlockUntil(3) // the window, the call's budget, and the claim
		b.clock.Advance(2*time.Second - time.Millisecond)
		assert.False(t, b.settles(func() bool { return len(done) > 0 }), "before the window's end")
		b.clock.Advance(time.Millisecond)
		r := <-done
		require.NoError(t, r.err)
		v := r.v
		assert.Equal(t, ports.StatusPending, v.Status)
		assert.Equal(t, "first", v.Provider, "the one being asked")
		assert.Empty(t, v.Type)
		assert.Empty(t, v.HolderName)
		assert.True(t, v.ExpiresAt.IsZero())
		assert.Equal(t, v, b.get(v.ID))

		release()
		end := b.ended(v.ID, time.Second)
		assert.Equal(t, ports.StatusVerified, end.Status)
		assert.Equal(t, "AMA SERWAA MENSAH", end.HolderName)
		b.clock.Advance(time.Hour)
		assert.Equal(t, end, b.get(v.ID), "I18")
		assert.True(t, b.validate(request()).Cached)
	})
}
