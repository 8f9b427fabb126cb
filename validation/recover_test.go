package validation_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/validation"
	"github.com/corridor-go/corridor/validation/market"
)

// dies leaves a validation pending, like a process that is killed in the middle of its
// lookup.
func (b *bench) dies(req market.Request) ports.Validation {
	b.Helper()
	doomed := fake.NewConnector("first", reaching)
	s, err := validation.New(b.ports(doomed), day, b.config())
	require.NoError(b, err)
	doomed.Hold()
	done := b.asking(s, req)
	doomed.WaitAsked(1)
	b.advanceUntil(func() bool { return len(done) > 0 }, 3*time.Second)
	r := <-done
	require.NoError(b, r.err)
	require.NoError(b, s.Stop(context.Background()))
	return r.v
}

func TestRecoveryPastTheLimitIsAnError(t *testing.T) { synctest.Test(t, recoveryPastTheLimitIsAnError) }

func recoveryPastTheLimitIsAnError(t *testing.T) {
	b := newBench(t, inMemory(t))
	v := b.dies(request())
	b.clock.Advance(time.Hour)
	require.NoError(t, b.service.Tick(t.Context(), b.clock.Now()))
	end := b.get(v.ID)
	assert.Equal(t, ports.StatusError, end.Status)
	assert.NotEmpty(t, end.FailureReason)
	assert.Empty(t, b.first.Asked(), "too late to ask")
}

func TestRecoveryWhenTheConnectorIsGone(t *testing.T) {
	synctest.Test(t, recoveryWhenTheConnectorIsGone)
}

func recoveryWhenTheConnectorIsGone(t *testing.T) {
	b := newBench(t, inMemory(t))
	v := b.dies(request())
	b.service = b.open(day)
	b.clock.Advance(4 * time.Second)
	require.NoError(t, b.service.Tick(t.Context(), b.clock.Now()))
	assert.Equal(t, ports.StatusVerified, b.get(v.ID).Status, "its check digit is right, and no connector is left")
}

// The claim of a dead process lapses.
func TestTheClaimOfADeadProcessLapses(t *testing.T) { synctest.Test(t, aDeadProcessesClaimLapses) }

func aDeadProcessesClaimLapses(t *testing.T) {
	b := newBench(t, inMemory(t))
	b.validate(request()) // only to find out the key
	stale := b.clock.Now().Add(25 * time.Hour)
	b.clock.Set(stale)
	var key [32]byte
	spy := &keySpy{AnswerCache: b.store.Answers(), key: &key}
	p := b.ports()
	p.Answers = spy
	p.Connectors = []ports.AccountConnector{b.first}
	s, err := validation.New(p, day, b.config())
	require.NoError(t, err)
	_, err = s.Validate(t.Context(), owner, request())
	require.NoError(t, err)
	require.NoError(t, s.Stop(t.Context()))
	b.clock.Advance(25 * time.Hour)
	won, err := b.store.Answers().Claim(t.Context(), key, "the dead", b.clock.Now(), b.clock.Now().Add(6*time.Second))
	require.NoError(t, err)
	require.True(t, won)
	n := len(b.first.Asked())
	done := b.asking(b.service, request())
	b.advanceUntil(func() bool { return len(done) > 0 }, 3*time.Second)
	v := (<-done).v
	assert.Equal(t, ports.StatusPending, v.Status)
	assert.Len(t, b.first.Asked(), n)
	assert.Equal(t, ports.StatusVerified, b.ended(v.ID, 7*time.Second).Status)
	assert.Len(t, b.first.Asked(), n+1)
}

type keySpy struct {
	ports.AnswerCache
	key *[32]byte
}

func (k *keySpy) Answer(ctx context.Context, key [32]byte) (ports.CachedAnswer, error) {
	*k.key = key
	return k.AnswerCache.Answer(ctx, key)
}

func TestKeepForKeepsResultsReadable(t *testing.T) {
	b := newBench(t, inMemory(t))
	s := b.open(validation.Policy{AnswerTTL: time.Hour, KeepFor: time.Hour}, b.first)
	v, err := s.Validate(t.Context(), owner, request())
	require.NoError(t, err)
	b.clock.Advance(2*time.Hour - time.Millisecond)
	require.NoError(t, s.Tick(t.Context(), b.clock.Now()))
	assert.Equal(t, v, b.get(v.ID))
	b.clock.Advance(time.Millisecond)
	_, err = s.Get(t.Context(), owner, v.ID)
	requireCode(t, errcodes.NotFound, err)
}

func TestNoAnswerIsCachedWithoutATTL(t *testing.T) {
	b := newBench(t, inMemory(t))
	s := b.open(validation.Policy{}, b.first)
	for range 2 {
		v, err := s.Validate(t.Context(), owner, request())
		require.NoError(t, err)
		assert.True(t, v.ExpiresAt.IsZero())
		assert.Equal(t, v, b.get(v.ID))
	}
	assert.Len(t, b.first.Asked(), 2)
}

func TestRunTicks(t *testing.T) { synctest.Test(t, runTicks) }

func runTicks(t *testing.T) {
	b := newBench(t, inMemory(t))
	v := b.dies(request())
	done := make(chan error, 1)
	go func() { done <- b.service.Run(context.Background()) }()
	assert.Equal(t, ports.StatusVerified, b.ended(v.ID, 10*time.Second).Status, "within ten seconds of the start")
	require.NoError(t, b.service.Stop(t.Context()))
	require.NoError(t, <-done)
}
