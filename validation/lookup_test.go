package validation_test

import (
	"bytes"
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/keyring"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/validation"
)

// I19: an ended lookup releases its own claim, not that of a later lookup of this
// process.
func TestALookupReleasesOnlyItsOwnClaim(t *testing.T) {
	inWorld(t, func(w *world) {
		gate := make(chan struct{})
		slow := &tap{}
		a := w.process(w.first)
		a.ports.Answers = tappedAnswers{w.store.Answers(), slow}
		one, two := w.open(a), w.open(w.process(w.first))

		w.first.Answer(says[ports.OutcomeFailed].answer) // not cached
		slow.set(func(_ context.Context, call string) error {
			if call == "Release" {
				<-gate
			}
			return nil
		})
		require.Equal(w, ports.StatusError, (<-w.ask(one, request())).v.Status)
		slow.set(nil)
		release := w.first.Hold()
		again := w.ask(one, request())
		pass(100 * time.Millisecond)
		close(gate)
		pass(300 * time.Millisecond)
		require.Len(w, w.first.Asked(), 2)
		other := w.ask(two, request())
		pass(300 * time.Millisecond)
		assert.Len(w, w.first.Asked(), 2, "two processes ask at once")
		release()
		<-again
		<-other
	})
}

// I19: a process without room to resume a validation does not release the claim of its
// own new lookup of the same account.
func TestAProcessWithoutRoomKeepsTheClaimOfItsNewLookup(t *testing.T) {
	inWorld(t, func(w *world) {
		w.orphan(request())
		pass(5 * time.Second) // the claim has lapsed
		busy := &tap{}
		p := w.process(w.first)
		p.config.MaxLookups = 1
		p.ports.Answers = tappedAnswers{w.store.Answers(), busy}
		one, two := w.open(p), w.open(w.process(w.first))

		elsewhere := request()
		elsewhere.Country, elsewhere.AccountIdentifier, elsewhere.BankCode = "EGY", "EG380019000500000000263180002", ""
		var release func()
		calls := 0
		busy.set(func(_ context.Context, call string) error {
			switch calls++; {
			case calls == 1: // the claim for resuming: another account takes the last place
				release = w.first.Hold()
				w.ask(one, elsewhere) //nolint:contextcheck // another caller's
				pass(100 * time.Millisecond)
			case call == "Release": // there is room again, for the same account
				busy.set(nil)
				release()
				pass(100 * time.Millisecond)
				w.first.Hold()
				w.ask(one, request()) //nolint:contextcheck // another caller's
				pass(100 * time.Millisecond)
			}
			return nil
		})
		assert.Equal(w, errcodes.Unavailable, errcodes.Of(one.Tick(w.Context(), time.Now())))
		w.ask(one, request())
		pass(100 * time.Millisecond)
		asked := len(w.first.Asked())
		w.ask(two, request())
		pass(300 * time.Millisecond)
		assert.Len(w, w.first.Asked(), asked, "two processes ask at once")
	})
}

// A process that is at Config.MaxLookups claims no work, so that other processes can do it.
func TestAProcessWithoutRoomClaimsNothing(t *testing.T) {
	inWorld(t, func(w *world) {
		v := w.orphan(request())
		pass(5 * time.Second)
		p := w.process(w.first)
		p.config.MaxLookups = 1
		one, two := w.open(p), w.open(w.process(w.second))
		w.first.Hold()
		elsewhere := request()
		elsewhere.Country, elsewhere.AccountIdentifier, elsewhere.BankCode = "EGY", "EG380019000500000000263180002", ""
		w.pending(one, elsewhere)
		assert.Equal(w, errcodes.Unavailable, errcodes.Of(one.Tick(w.Context(), time.Now())))
		pass(2 * time.Second)
		w.tick(two)
		assert.Equal(w, ports.StatusVerified, w.stored(v.ID).Status)
	})
}

// Work whose lease has run out belongs to another process, which is not a failure.
func TestLosingALeaseIsNotAFailure(t *testing.T) {
	inWorld(t, func(w *world) {
		w.orphan(request())
		pass(5 * time.Second)
		slow := &tap{}
		var reported []error
		p := w.process(w.first)
		p.ports.Validations = tappedValidations{w.store.Validations(), slow}
		p.config.Hooks.Background = func(_ context.Context, err error) { reported = append(reported, err) }
		one, two := w.open(p), w.open(w.process(w.first))
		slow.set(func(ctx context.Context, call string) error {
			if call == "Validation" {
				slow.set(nil)
				pass(5 * time.Second)
				require.NoError(w, two.Tick(ctx, time.Now()))
			}
			return nil
		})
		require.NoError(w, one.Tick(w.Context(), time.Now()))
		assert.Empty(w, reported)
	})
}

// A process that only waits for another's lookup leaves no claim behind.
func TestAWaitingProcessLeavesNoClaim(t *testing.T) {
	inWorld(t, func(w *world) {
		key := w.key(request())
		answers := w.store.Answers()
		won, err := answers.Claim(w.Context(), key, "another process", time.Now(), time.Now().Add(time.Hour))
		require.NoError(w, err)
		require.True(w, won)
		w.first.Answer(found)
		slow := &tap{}
		p := w.process(w.first)
		p.ports.Answers = tappedAnswers{answers, slow}
		s := w.open(p)
		looks := 0
		slow.set(func(ctx context.Context, call string) error {
			if call != "Answer" {
				return nil
			}
			if looks++; looks != 2 { // the first one follows its own rejected claim
				return nil
			}
			require.NoError(w, answers.Release(ctx, key, "another process"))
			<-time.After(2500 * time.Millisecond)
			return errDown
		})
		r := <-w.ask(s, request())
		pass(2 * time.Second)
		require.True(w, r.err != nil || r.v.Status == ports.StatusPending)
		won, err = answers.Claim(w.Context(), key, "a third", time.Now(), time.Now().Add(time.Second))
		require.NoError(w, err)
		assert.True(w, won, "the claim of a lookup that is over")
	})
}

// A caller that joins a lookup just before it is dropped gets an answer.
func TestACallerIsNotDroppedWithAnUnwantedLookup(t *testing.T) {
	inWorld(t, func(w *world) {
		key := w.key(request())
		v := w.orphan(request())
		answers := w.store.Answers()
		require.NoError(w, answers.Release(w.Context(), key, "nobody"))
		won, err := answers.Claim(w.Context(), key, "another process", time.Now(), time.Now().Add(time.Hour))
		require.NoError(w, err)
		require.True(w, won)

		slow, gate := &tap{}, make(chan struct{})
		p := w.process(w.first)
		p.ports.Validations = tappedValidations{w.store.Validations(), slow}
		s := w.open(p)
		pass(4 * time.Second)
		w.tick(s) // resumes the validation and waits for the claim
		nobody := w.open(w.process())
		pass(4 * time.Second)
		w.tick(nobody) // ends it
		require.True(w, w.stored(v.ID).Status.Terminal())
		slow.set(func(_ context.Context, call string) error {
			if call == "Validation" {
				<-gate
			}
			return nil
		})
		require.NoError(w, answers.Release(w.Context(), key, "another process"))
		pass(300 * time.Millisecond)
		done := w.ask(s, request())
		synctest.Wait()
		close(gate)
		r := <-done
		require.NoError(w, r.err)
		assert.Equal(w, ports.StatusVerified, r.v.Status)
	})
}

// SPEC 2.8: a result has a provider, and an error a reason, even if no connector could be
// called in time.
func TestAnErrorWithoutACallHasAReason(t *testing.T) {
	inWorld(t, func(w *world) {
		slow := &tap{}
		p := w.process(w.first)
		p.ports.Answers = tappedAnswers{w.store.Answers(), slow}
		s := w.open(p)
		looks := 0
		slow.set(func(_ context.Context, call string) error {
			if call == "Answer" {
				if looks++; looks == 2 {
					<-time.After(31 * time.Second) // a store that hangs
				}
			}
			return nil
		})
		v := w.pending(s, request())
		pass(29500 * time.Millisecond)
		end := w.get(s, v.ID)
		require.Equal(w, ports.StatusError, end.Status)
		assert.NotEmpty(w, end.Provider)
		assert.NotEmpty(w, end.FailureReason)
		assert.Equal(w, ports.OutcomeTimeout, end.Outcome)
		assert.Empty(w, w.first.Asked())
	})
}

// SERVICE: provider is the connector being called while the validation is pending.
func TestAResumedValidationHasTheCurrentProvider(t *testing.T) {
	inWorld(t, func(w *world) {
		w.first.Answer(says[ports.OutcomeFailed].answer)
		w.second.Hold()
		dead := w.open(w.process(w.first, w.second))
		v := w.pending(dead, request())
		require.Equal(w, "second", v.Provider)
		require.NoError(w, dead.Stop(w.Context()))
		w.first.Hold()
		s := w.open(w.process(w.first, w.second))
		pass(4 * time.Second)
		w.tick(s)
		require.Len(w, w.first.Asked(), 2)
		assert.Equal(w, "first", w.get(s, v.ID).Provider)
	})
}

// This also holds if the next connector is called while the record is being stored.
func TestAPendingValidationHasTheProviderCalledMeanwhile(t *testing.T) {
	inWorld(t, func(w *world) {
		slow := &tap{}
		p := w.process(w.first, w.second)
		p.ports.Validations = tappedValidations{w.store.Validations(), slow}
		slow.set(func(_ context.Context, call string) error {
			if call == "Save pending" {
				<-time.After(time.Second)
			}
			return nil
		})
		w.first.Take(ports.SystemClock(), 2500*time.Millisecond)
		w.first.Fail(errcodes.New(errcodes.Unavailable, ""))
		w.second.Hold()
		s := w.open(p)
		v := w.pending(s, request())
		slow.set(nil)
		pass(time.Second)
		require.Len(w, w.second.Asked(), 1)
		assert.Equal(w, "second", w.get(s, v.ID).Provider)
	})
}

// ports.ValidationRecord.ExpiresAt is zero if no answer is cached.
func TestAnUncachedAnswerHasNoExpiry(t *testing.T) {
	inWorld(t, func(w *world) {
		full := &tap{}
		full.set(func(_ context.Context, call string) error {
			if call == "PutAnswer" {
				return errDown
			}
			return nil
		})
		p := w.process(w.first)
		p.ports.Answers = tappedAnswers{w.store.Answers(), full}
		v := (<-w.ask(w.open(p), request())).v
		assert.Equal(w, ports.StatusVerified, v.Status)
		assert.Zero(w, v.ExpiresAt)
	})
}

// Advise means that the provider decides; without a provider it is like Enforce.
func TestAdviseIsEnforceWithoutAProvider(t *testing.T) {
	wrong := request()
	wrong.AccountIdentifier = "0690000031"
	inWorld(t, func(w *world) {
		w.first.Answer(says[ports.OutcomeUnsupported].answer)
		p := w.process(w.first)
		p.policy.CheckDigit = validation.Advise
		r := <-w.ask(w.open(p), wrong)
		require.NoError(w, r.err)
		assert.Equal(w, ports.StatusNotFound, r.v.Status)
		assert.Equal(w, ports.ProviderRules, r.v.Provider)
	})
}

// A caller that has not cancelled gets Closed, not Canceled.
func TestStopDuringAClaimReturnsClosed(t *testing.T) {
	for _, busy := range []string{"Claim", "Answer"} {
		inWorld(t, func(w *world) {
			slow := &tap{}
			p := w.process(w.first)
			p.ports.Answers = tappedAnswers{w.store.Answers(), slow}
			s := w.open(p)
			calls := 0
			slow.set(func(ctx context.Context, call string) error {
				if call != busy {
					return nil
				}
				if calls++; busy == "Answer" && calls == 1 {
					return nil // the caller's own read
				}
				<-ctx.Done()
				return ctx.Err()
			})
			done := w.ask(s, request())
			synctest.Wait()
			require.NoError(w, s.Stop(w.Context()))
			requireCode(w, errcodes.Closed, (<-done).err)
		})
	}
}

// Decision 13: recovery begins within 10 s of the start, even with much pending work.
func TestMuchWorkIsResumedAtOnce(t *testing.T) {
	inWorld(t, func(w *world) {
		const many = 2500
		w.first.Hold()
		dead := w.open(w.process(w.first))
		all := make([]<-chan result, many)
		for i := range all {
			req := request()
			req.MerchantID = fmt.Sprintf("7f2f6f0e-4b1e-4c7e-9d58-%012d", i)
			all[i] = w.ask(dead, req)
		}
		for _, done := range all {
			require.Equal(w, ports.StatusPending, (<-done).v.Status)
		}
		require.NoError(w, dead.Stop(w.Context()))
		w.first = fake.NewConnector("first", reaching)
		w.first.Answer(found)
		run(w.open(w.process(w.first)))
		pass(10 * time.Second)
		left, err := w.store.Validations().Overdue(w.Context(), time.Now().Add(time.Hour), ports.Pos{}, 10000)
		require.NoError(w, err)
		n := len(left)
		assert.Zero(w, n, "the provider answers at once")
	})
}

// A process killed in the middle of a tick has leased the work that it was about to do.
func TestAKilledTickDelaysRecoveryByLittle(t *testing.T) {
	inWorld(t, func(w *world) {
		v := w.orphan(request())
		pass(4 * time.Second)
		slow := &tap{}
		p := w.process(w.first)
		p.ports.Validations = tappedValidations{w.store.Validations(), slow}
		dying, kill := context.WithCancel(w.Context())
		slow.set(func(context.Context, string) error { kill(); return dying.Err() })
		_ = w.open(p).Tick(dying, time.Now()) // claims the work and does no more
		s := w.open(w.process(w.first))
		run(s)
		pass(10 * time.Second)
		assert.Equal(w, ports.StatusVerified, w.stored(v.ID).Status)
	})
}

// A key unknown to this process may belong to another, so validations that are being
// looked up are not ended.
func TestAProcessWithoutTheNewKeyEndsNothing(t *testing.T) {
	inWorld(t, func(w *world) {
		both, err := keyring.New([]keyring.Key{
			{ID: "k2", Secret: bytes.Repeat([]byte{2}, 32)}, {ID: "k1", Secret: bytes.Repeat([]byte{1}, 32)},
		}, nil)
		require.NoError(w, err)
		release := w.first.Hold()
		p := w.process(w.first)
		p.ports.Sealer = both
		rotated, old := w.open(p), w.open(w.process(w.first))
		v := w.pending(rotated, request())
		pass(4 * time.Second)
		w.tick(old)
		release()
		synctest.Wait()
		assert.Equal(w, ports.StatusVerified, w.get(rotated, v.ID).Status)
	})
}

// Another process's lookups do not count towards this one's limit.
func TestOtherProcessesLookupsDoNotCount(t *testing.T) {
	inWorld(t, func(w *world) {
		w.first.Hold()
		busy := w.open(w.process(w.first))
		w.pending(busy, request())
		p := w.process(w.second)
		p.config.MaxLookups = 1
		s := w.open(p)
		pass(4 * time.Second)
		w.tick(s)
		other := request()
		other.AccountIdentifier = "1234567895"
		r := <-w.ask(s, other)
		require.NoError(w, r.err)
		assert.Equal(w, ports.StatusVerified, r.v.Status)
	})
}

// A connector that lists a market twice is called once.
func TestAMarketListedTwiceIsServedOnce(t *testing.T) {
	inWorld(t, func(w *world) {
		twice := fake.NewConnector("twice", []ports.Capability{{Market: nigeria}, {Market: kenya}, {Market: nigeria}})
		twice.Answer(says[ports.OutcomeFailed].answer)
		v := (<-w.ask(w.open(w.process(twice)), request())).v
		assert.Equal(w, []ports.Outcome{ports.OutcomeFailed}, outcomes(v))
	})
}

// jumping is a clock that can be set forward.
type jumping struct {
	ports.Clock
	off time.Duration
}

func (j *jumping) Now() time.Time { return j.Clock.Now().Round(0).Add(j.off) }

// A clock that was ahead for a moment must not extend the life of a cached answer beyond
// the policy.
func TestACachedAnswerFromTheFutureIsLookedUpAgain(t *testing.T) {
	inWorld(t, func(w *world) {
		clock := &jumping{Clock: ports.SystemClock(), off: 365 * 24 * time.Hour}
		p := w.process(w.first)
		p.config.Clock = clock
		s := w.open(p)
		<-w.ask(s, request())
		synctest.Wait()
		clock.off = 0
		pass(48 * time.Hour)
		v := (<-w.ask(s, request())).v
		assert.False(w, v.Cached, "two days old, and good for one")
	})
}

// I19: the window stays the same if the clock jumps back during the call.
func TestTheWindowStaysWhenTheClockJumpsBack(t *testing.T) {
	inWorld(t, func(w *world) {
		clock, jump := &jumping{Clock: ports.SystemClock()}, &tap{}
		p := w.process(w.first)
		p.config.Clock = clock
		p.ports.Answers = tappedAnswers{w.store.Answers(), jump}
		jump.set(func(context.Context, string) error { clock.off = -time.Hour; jump.set(nil); return nil })
		w.first.Hold()
		s := w.open(p)
		begun := time.Now()
		v := w.pending(s, request())
		assert.Equal(w, 2*time.Second, time.Since(begun))
		require.NoError(w, s.Stop(w.Context()))
		_ = v
	})
}

// I17: a lookup does not take longer than its timeout when the clock jumps back, whatever
// it waits for.
func TestALookupEndsWhenTheClockJumpsBack(t *testing.T) {
	hour := func(back *atomic.Int64) { back.Store(int64(time.Hour)) }
	for name, arrange := range map[string]func(w *world, p *process, back *atomic.Int64){
		"for a provider": func(w *world, p *process, back *atomic.Int64) {
			p.config.Hooks.Asked = func(context.Context, string, ports.Market, ports.Outcome, time.Duration) { hour(back) }
			w.first.Fail(errDown)
			w.second.Hold()
		},
		"for a provider's retry delay": func(w *world, p *process, back *atomic.Int64) {
			p.config.Hooks.Asked = func(_ context.Context, name string, _ ports.Market, _ ports.Outcome, _ time.Duration) {
				if name == "second" {
					hour(back)
				}
			}
			w.first.Answer(ports.Answer{Kind: ports.OutcomeTryLater, After: 10 * time.Second})
			w.second.Answer(ports.Answer{Kind: ports.OutcomeFailed})
		},
		"for another process": func(w *world, p *process, back *atomic.Int64) {
			_, err := w.store.Answers().Claim(w.Context(), w.key(request()), "another", time.Now(), time.Now().Add(time.Hour))
			require.NoError(w, err)
			asleep := &tap{}
			p.ports.Answers = tappedAnswers{w.store.Answers(), asleep}
			asleep.set(func(context.Context, string) error { hour(back); return nil })
		},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				var back atomic.Int64
				p := w.process(w.first, w.second)
				p.config.Clock = steppedBack{ports.SystemClock(), &back}
				arrange(w, p, &back)
				v := w.pending(w.open(p), request())
				pass(2 * validation.DefaultTimeout)
				assert.Equal(w, ports.StatusError, w.stored(v.ID).Status)
			})
		})
	}
}

// steppedBack is a clock that is set back while it runs.
type steppedBack struct {
	ports.Clock

	by *atomic.Int64
}

func (c steppedBack) Now() time.Time { return c.Clock.Now().Round(0).Add(-time.Duration(c.by.Load())) }

// A pending validation has the current provider even if that changes twice while it is
// being stored.
func TestAPendingValidationHasTheLastProvider(t *testing.T) {
	inWorld(t, func(w *world) {
		third := fake.NewConnector("third", reaching)
		release := [...]func(){w.first.Hold(), w.second.Hold(), third.Hold()}
		w.first.Fail(errDown)
		w.second.Fail(errDown)
		meanwhile := &tap{}
		p := w.process(w.first, w.second, third)
		p.ports.Validations = tappedValidations{w.store.Validations(), meanwhile}
		saved := false
		meanwhile.set(func(_ context.Context, call string) error {
			switch {
			case call == "Save pending" && !saved:
				saved = true
				release[0]()
				pass(time.Millisecond)
			case call == "Validation":
				meanwhile.set(nil)
				release[1]()
				pass(time.Millisecond)
			}
			return nil
		})
		v := w.pending(w.open(p), request())
		require.Len(w, third.Asked(), 1)
		assert.Equal(w, "third", w.stored(v.ID).Provider)
	})
}

// A new request has the full timeout even if it finds a lookup that is nearly over.
func TestANewRequestHasItsFullTimeout(t *testing.T) {
	inWorld(t, func(w *world) {
		v := w.orphan(request())
		s := w.open(w.process(w.first))
		pass(time.Until(v.Deadline) - validation.DefaultGrace - time.Second)
		w.first.Take(ports.SystemClock(), 1500*time.Millisecond)
		w.tick(s) // it has one second left
		r := <-w.ask(s, request())
		require.NoError(w, r.err)
		assert.Equal(w, ports.StatusVerified, r.v.Status)
	})
}

// Equal requests wait for one save. A caller may leave meanwhile. If the save fails, the
// others do not retry it one after another.
func TestAFailedSaveIsNotRepeatedByEachCaller(t *testing.T) {
	synctest.Test(t, aSaveThatFailsIsNotMadeInTurn)
}

func aSaveThatFailsIsNotMadeInTurn(t *testing.T) {
	b := newBench(t, inMemory(t))
	slow, gate, begun := &tap{}, make(chan struct{}), make(chan struct{}, 100)
	p := b.ports()
	p.Validations = tappedValidations{p.Validations, slow}
	slow.set(func(ctx context.Context, call string) error {
		begun <- struct{}{}
		select {
		case <-gate:
			return errDown
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	p.Connectors = []ports.AccountConnector{b.first}
	s, err := validation.New(p, day, b.config())
	require.NoError(t, err)
	release := b.first.Hold()
	const callers = 20
	var all []<-chan result
	for range callers {
		all = append(all, b.asking(s, request()))
	}
	leaving, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() {
		_, err := s.Validate(leaving, owner, request())
		left <- err
	}()
	b.clock.BlockUntil(callers + 3) // the callers' windows, the budget of the call, and the claim
	synctest.Wait()                 // each has joined the lookup
	release()
	<-begun
	synctest.Wait() // the others wait for the one that saves
	leave()
	requireCode(t, errcodes.Canceled, <-left) // although the save continues
	close(gate)
	for _, done := range all {
		requireCode(t, errcodes.StorageUnavailable, (<-done).err)
	}
	// If the caller that saves leaves, another one saves.
	assert.LessOrEqual(t, len(begun), 1, "saves beside the first")
	require.NoError(t, s.Stop(t.Context()))
}
