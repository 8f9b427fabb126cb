package validation_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation"
)

// I17: a validation that a dead process left pending is looked up again.
func TestAValidationOfADeadProcessIsResumed(t *testing.T) {
	onEachStore(t, func(t *testing.T, store storage) {
		b := newBench(t, store)
		v := b.dies(named("Kofi Boateng"))
		assert.Equal(t, ports.StatusPending, b.get(v.ID).Status)
		end := b.ticked(v.ID, 10*time.Second)
		assert.Equal(t, ports.StatusNameMismatch, end.Status, "the name survives")
		assert.Equal(t, v.CreatedAt, end.CreatedAt)
		assert.Equal(t, "0690000032", b.first.Asked()[0].Identifier)
		b.clock.Advance(time.Minute)
		require.NoError(t, b.service.Tick(t.Context(), b.clock.Now()))
		items, err := b.store.Work().Claim(t.Context(), validation.WorkRecover, b.clock.Now().Add(time.Hour), time.Minute, 10)
		require.NoError(t, err)
		assert.Empty(t, items, "its work sees that it has ended, and ends too")
	})
}

// Without Run, the first read past the deadline ends the validation.
func TestAReadPastTheDeadlineEndsIt(t *testing.T) {
	onEachStore(t, func(t *testing.T, store storage) {
		b := newBench(t, store)
		v := b.dies(request())
		b.clock.Set(v.Deadline.Add(-time.Millisecond))
		assert.Equal(t, ports.StatusPending, b.get(v.ID).Status)
		b.clock.Advance(time.Millisecond)
		end := b.get(v.ID)
		assert.Equal(t, ports.StatusError, end.Status)
		assert.Equal(t, ports.OutcomeTimeout, end.Outcome)
		assert.Equal(t, end, b.get(v.ID))
		b.clock.Set(noon)
		assert.Equal(t, end, b.get(v.ID), "also when the clock jumps back")
	})
}

// A second process does not repeat the first one's lookup, and both get the same result.
func TestTwoProcessesShareOneLookup(t *testing.T) {
	onEachStore(t, func(t *testing.T, store storage) {
		b := newBench(t, store)
		release := b.first.Hold()
		other := b.open(day, b.first)
		one := b.asking(b.service, request())
		b.first.WaitAsked(1)
		two := b.asking(other, request())
		b.advanceUntil(func() bool { return len(one) > 0 && len(two) > 0 }, 3*time.Second)
		v, w := (<-one).v, (<-two).v
		assert.Equal(t, ports.StatusPending, v.Status)
		assert.Equal(t, ports.StatusPending, w.Status)
		// Ten seconds later the claim is still held, because it is renewed.
		b.advanceUntil(func() bool { return b.clock.Now().Sub(noon) > 10*time.Second }, 10*time.Second)
		require.NoError(t, other.Tick(t.Context(), b.clock.Now()))
		assert.Len(t, b.first.Asked(), 1)
		release()
		assert.Equal(t, ports.StatusVerified, b.ended(v.ID, time.Second).Status)
		assert.Equal(t, ports.StatusVerified, b.ended(w.ID, time.Second).Status)
		assert.Len(t, b.first.Asked(), 1, "one lookup for both")
	})
}

func TestPurgeRemovesOldValidations(t *testing.T) {
	onEachStore(t, func(t *testing.T, store storage) {
		b := newBench(t, store)
		v := b.validate(request())
		b.clock.Set(v.ExpiresAt.Add(-time.Millisecond))
		require.NoError(t, b.service.Tick(t.Context(), b.clock.Now()))
		assert.Equal(t, v, b.get(v.ID))
		b.clock.Advance(time.Millisecond)
		_, err := b.service.Get(t.Context(), owner, v.ID)
		requireCode(t, errcodes.NotFound, err)
		b.clock.Advance(time.Minute)
		require.NoError(t, b.service.Tick(t.Context(), b.clock.Now()))
		b.clock.Set(noon)
		_, err = b.service.Get(t.Context(), owner, v.ID)
		requireCode(t, errcodes.NotFound, err)
		assert.False(t, b.validate(request()).Cached, "the answer is purged as well")
	})
}
