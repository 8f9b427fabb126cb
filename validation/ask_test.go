package validation_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
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

// says maps each outcome to the answer that a connector returns for it.
var says = map[ports.Outcome]struct {
	answer ports.Answer
	err    error
}{
	ports.OutcomeFound:          {found, nil},
	ports.OutcomeNameMatched:    {ports.Answer{Kind: ports.OutcomeNameMatched}, nil},
	ports.OutcomeNameMismatched: {ports.Answer{Kind: ports.OutcomeNameMismatched}, nil},
	ports.OutcomeNotFound:       {notFound, nil},
	ports.OutcomeUnusable:       {ports.Answer{Kind: ports.OutcomeUnusable, Code: "06", Message: "dormant"}, nil},
	ports.OutcomeUnsupported:    {ports.Answer{Kind: ports.OutcomeUnsupported}, nil},
	ports.OutcomeTryLater:       {ports.Answer{Kind: ports.OutcomeTryLater, After: time.Hour}, nil},
	ports.OutcomeFailed:         {ports.Answer{Kind: ports.OutcomeFailed, Code: "99", Message: "generic"}, nil},
	ports.OutcomeRefused:        {ports.Answer{}, errcodes.New(errcodes.Configuration, "401")},
	ports.OutcomeUnreachable:    {ports.Answer{}, errcodes.New(errcodes.Unavailable, "reset")},
	ports.OutcomeTimeout:        {ports.Answer{}, context.DeadlineExceeded},
	ports.OutcomeMalformed:      {ports.Answer{Kind: "nonsense", Message: "what"}, nil},
	ports.OutcomeCancelled:      {ports.Answer{}, context.Canceled},
}

// Each row checks which connector is called next, the result and what is cached.
func TestOutcomesDecideFailOverResultAndCaching(t *testing.T) {
	for _, row := range ports.OutcomeRules() {
		t.Run(string(row.Outcome), func(t *testing.T) {
			said, ok := says[row.Outcome]
			require.True(t, ok, "the test lacks the outcome")
			set := func(c *fake.Connector) {
				c.Answer(said.answer)
				if said.err != nil {
					c.Fail(said.err)
				}
			}
			b := newBench(t, inMemory(t))
			set(b.first)
			v := b.validate(named("Ama Serwaa Mensah"))
			assert.Equal(t, row.FailOver, len(b.second.Asked()) == 1, "fails over")
			if row.FailOver {
				assert.Equal(t, ports.StatusVerified, v.Status)
				assert.Equal(t, "second", v.Provider)
				assert.Equal(t, []ports.Outcome{row.Outcome, ports.OutcomeFound}, outcomes(v))
			}

			b = newBench(t, inMemory(t))
			set(b.first)
			set(b.second)
			v = b.validate(named("Ama Serwaa Mensah"))
			assert.Equal(t, row.Status, v.Status)
			assert.Equal(t, row.Outcome, outcomes(v)[0])
			assert.Equal(t, row.Cached, !v.ExpiresAt.IsZero())
			if v.Status == ports.StatusError {
				assert.NotEmpty(t, v.FailureReason)
				assert.Empty(t, v.HolderName)
			}
			before := len(b.first.Asked())
			again := b.validate(named("Ama Serwaa Mensah"))
			assert.Equal(t, row.Cached, again.Cached, "kept")
			assert.Equal(t, row.Cached, len(b.first.Asked()) == before)
		})
	}
}

func outcomes(v ports.Validation) []ports.Outcome {
	var all []ports.Outcome
	for _, a := range v.Asked {
		all = append(all, a.Outcome)
	}
	return all
}

// Among failures the most informative one is the result, and among equals the later.
func TestTheMostInformativeFailureIsTheResult(t *testing.T) {
	ranks := [][]ports.Outcome{
		{ports.OutcomeUnsupported},
		{ports.OutcomeTryLater, ports.OutcomeRefused, ports.OutcomeUnreachable, ports.OutcomeTimeout, ports.OutcomeMalformed},
		{ports.OutcomeFailed},
	}
	rank := func(o ports.Outcome) int {
		return slices.IndexFunc(ranks, func(equals []ports.Outcome) bool { return slices.Contains(equals, o) })
	}
	for _, one := range slices.Concat(ranks...) {
		for _, two := range slices.Concat(ranks...) {
			b := newBench(t, inMemory(t))
			b.first.Answer(says[one].answer)
			b.first.Fail(says[one].err)
			b.second.Answer(says[two].answer)
			b.second.Fail(says[two].err)
			v := b.validate(southAfrican("0123456789"))
			require.Equal(t, []ports.Outcome{one, two}, outcomes(v))
			require.Equal(t, ports.StatusError, v.Status)
			if v.Outcome == ports.OutcomeFailed {
				assert.Equal(t, "generic", v.FailureReason)
			}
			switch {
			case rank(one)+rank(two) == 0:
				assert.Equal(t, ports.ProviderRules, v.Provider)
			case rank(one) > rank(two):
				assert.Equal(t, []any{"first", one}, []any{v.Provider, v.Outcome}, "%s before %s", one, two)
			default:
				assert.Equal(t, []any{"second", two}, []any{v.Provider, v.Outcome}, "%s before %s", two, one)
			}
		}
	}
}

// A provider that asks for time is called once more if the timeout allows it.
func TestTryLaterIsRetriedOnceIfTimeAllows(t *testing.T) {
	later := func(d time.Duration) ports.Answer { return ports.Answer{Kind: ports.OutcomeTryLater, After: d} }
	inBubble(t, "asked again after the delay", func(t *testing.T) {
		b := newBench(t, inMemory(t))
		s := b.open(day, b.first)
		b.first.Answer(later(5 * time.Second))
		done := b.asking(s, request())
		b.first.WaitAsked(1)
		b.advanceUntil(func() bool { return len(done) > 0 }, 3*time.Second)
		v := (<-done).v
		require.Equal(t, ports.StatusPending, v.Status)
		b.first.Answer(found)
		assert.Len(t, b.first.Asked(), 1)
		end := b.ended(v.ID, 4*time.Second)
		assert.Equal(t, ports.StatusVerified, end.Status)
		assert.Equal(t, []ports.Outcome{ports.OutcomeTryLater, ports.OutcomeFound}, outcomes(end))
		assert.False(t, end.EndedAt.Before(noon.Add(5*time.Second)), "not before the delay")
	})
	inBubble(t, "only once", func(t *testing.T) {
		b := newBench(t, inMemory(t))
		s := b.open(day, b.first)
		b.first.Answer(later(0))
		done := b.asking(s, request())
		b.first.WaitAsked(1)
		b.advanceUntil(func() bool { return len(done) > 0 }, 2*time.Second)
		assert.Equal(t, ports.StatusError, (<-done).v.Status)
		assert.Len(t, b.first.Asked(), 2)
	})
	inBubble(t, "not beyond the limit", func(t *testing.T) {
		b := newBench(t, inMemory(t))
		s := b.open(day, b.first)
		b.first.Answer(later(time.Minute))
		v, err := s.Validate(t.Context(), owner, request())
		require.NoError(t, err)
		assert.Equal(t, ports.StatusError, v.Status)
		assert.Equal(t, ports.OutcomeTryLater, v.Outcome)
		assert.Len(t, b.first.Asked(), 1)
	})
	inBubble(t, "after the others", func(t *testing.T) {
		b := newBench(t, inMemory(t))
		b.first.Answer(later(time.Second))
		v := b.validate(request())
		assert.Equal(t, "second", v.Provider)
		assert.Len(t, b.first.Asked(), 1)
	})
}

// A silent provider uses up its share of the time. Then the next is called, and the
// lookup ends at the timeout.
func TestSilentProvidersEndAtTheTimeout(t *testing.T) { synctest.Test(t, silence) }

func silence(t *testing.T) {
	b := newBench(t, inMemory(t))
	b.first.Hold()
	b.second.Hold()
	v := b.pending(request())
	assert.Equal(t, "first", v.Provider)
	b.advanceUntil(func() bool { return len(b.second.Asked()) == 1 }, 15*time.Second)
	assert.False(t, b.clock.Now().Before(noon.Add(15*time.Second)))
	b.advanceUntil(func() bool { return b.get(v.ID).Provider == "second" }, time.Second)
	end := b.ended(v.ID, 20*time.Second)
	assert.Equal(t, ports.StatusError, end.Status)
	assert.Equal(t, noon.Add(30*time.Second), end.EndedAt.Truncate(time.Second), "at the limit")
	assert.Equal(t, []ports.Outcome{ports.OutcomeTimeout, ports.OutcomeTimeout}, outcomes(end))
	assert.Equal(t, "second", end.Provider)
	assert.NotEmpty(t, end.FailureReason)
	assert.Empty(t, b.latecomers(), "they heeded their time")
}

// An answer after the timeout is reported to Hooks.Late and otherwise ignored.
func TestALateAnswerIsIgnored(t *testing.T) { synctest.Test(t, aLateAnswerIsIgnored) }

func aLateAnswerIsIgnored(t *testing.T) {
	b := newBench(t, inMemory(t))
	s := b.open(day, b.first)
	b.first.Deafen()
	release := b.first.Hold()
	done := b.asking(s, request())
	b.first.WaitAsked(1)
	b.advanceUntil(func() bool { return len(done) > 0 }, 3*time.Second)
	v := (<-done).v
	end := b.ended(v.ID, 31*time.Second)
	assert.Equal(t, ports.StatusError, end.Status)
	release()
	require.Eventually(t, func() bool { return len(b.latecomers()) == 1 }, time.Minute, time.Millisecond)
	assert.Equal(t, []string{"first"}, b.latecomers())
	assert.Equal(t, end, b.get(v.ID), "I18")
	b.first.Answer(notFound)
	v, err := s.Validate(t.Context(), owner, request())
	require.NoError(t, err)
	assert.False(t, v.Cached, "nothing was kept of it")
}

// panicking is a connector that panics.
type panicking struct{ *fake.Connector }

func (panicking) Lookup(_ context.Context, l ports.AccountLookup) (ports.Answer, error) {
	panic("account " + l.Identifier)
}

func TestAPanicIsAFailure(t *testing.T) {
	b := newBench(t, inMemory(t))
	var log lockedBuffer
	cfg := b.config()
	cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
	s, err := validation.New(b.ports(panicking{b.first}, b.second), day, cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop(context.Background())) })
	v, err := s.Validate(t.Context(), owner, request())
	require.NoError(t, err)
	assert.Equal(t, "second", v.Provider)
	assert.Equal(t, ports.OutcomeMalformed, v.Asked[0].Outcome)
	assert.Contains(t, log.String(), "panicking.Lookup", "where it was")
	assert.Contains(t, log.String(), "connector=first")
	assert.NotContains(t, log.String(), request().AccountIdentifier)
}

// A request with a name calls connectors that return names first. Its cached answer is
// then separate from that of requests without a name.
func TestRequestsWithANamePreferConnectorsThatReturnNames(t *testing.T) {
	b := newBench(t, inMemory(t))
	nameless := fake.NewConnector("nameless", []ports.Capability{{Market: nigeria}})
	s := b.open(day, nameless, b.first)
	v, err := s.Validate(t.Context(), owner, request())
	require.NoError(t, err)
	assert.Equal(t, "nameless", v.Provider)
	v, err = s.Validate(t.Context(), owner, named("Kofi Boateng"))
	require.NoError(t, err)
	assert.Equal(t, "first", v.Provider)
	assert.Equal(t, ports.StatusNameMismatch, v.Status)
	v, err = s.Validate(t.Context(), owner, named("Ama Serwaa Mensah"))
	require.NoError(t, err)
	assert.True(t, v.Cached)
	assert.Equal(t, ports.StatusVerified, v.Status)
}

// Only connectors that compare names receive the name, and their answers are cached for
// that name only.
func TestOnlyConnectorsThatCompareNamesGetTheName(t *testing.T) {
	b := newBench(t, inMemory(t))
	b.validate(named("Ama Serwaa Mensah"))
	assert.Empty(t, b.first.Asked()[0].HolderName)

	comparing := fake.NewConnector("comparing", []ports.Capability{{Market: nigeria, ComparesName: true}})
	comparing.Answer(ports.Answer{Kind: ports.OutcomeNameMismatched})
	s := b.open(day, comparing)
	v, err := s.Validate(t.Context(), owner, named("Kofi Boateng"))
	require.NoError(t, err)
	assert.Equal(t, ports.StatusNameMismatch, v.Status)
	assert.Equal(t, "Kofi Boateng", comparing.Asked()[0].HolderName)
	comparing.Answer(ports.Answer{Kind: ports.OutcomeNameMatched})
	v, err = s.Validate(t.Context(), owner, named("Ama Mensah"))
	require.NoError(t, err)
	assert.Equal(t, ports.StatusVerified, v.Status)
	assert.Len(t, comparing.Asked(), 2)
}

func TestAnUncodedErrorIsUnreachable(t *testing.T) {
	b := newBench(t, inMemory(t))
	b.first.Fail(errors.New("boom"))
	s := b.open(validation.Policy{}, b.first)
	v, err := s.Validate(t.Context(), owner, request())
	require.NoError(t, err)
	assert.Equal(t, ports.OutcomeUnreachable, v.Outcome)
	assert.NotContains(t, v.FailureReason, "boom")
}
