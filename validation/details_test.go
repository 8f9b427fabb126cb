package validation_test

import (
	"context"
	"math"
	"sync"
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

// forgetful cannot open sealed answers.
type forgetful struct{ ports.Sealer }

func (forgetful) Open(context.Context, []byte, ports.Sealed) ([]byte, error) {
	return nil, errcodes.New(errcodes.KeyUnknown, "")
}

func TestAnUnreadableCachedAnswerIsLookedUpAgain(t *testing.T) {
	inWorld(t, func(w *world) {
		p := w.process(w.first)
		p.ports.Sealer = forgetful{w.keys}
		s := w.open(p)
		for n := range 2 {
			r := <-w.ask(s, request())
			require.NoError(w, r.err)
			assert.False(w, r.v.Cached)
			assert.Len(w, w.first.Asked(), n+1)
		}
	})
}

// I19: the time that a slow cache takes counts towards the window and the timeout.
func TestWindowAndTimeoutBeginWithTheCall(t *testing.T) {
	inWorld(t, func(w *world) {
		slow := &tap{}
		slow.set(func(_ context.Context, call string) error {
			if call == "Answer" {
				<-time.After(500 * time.Millisecond)
			}
			return nil
		})
		p := w.process(w.first)
		p.ports.Answers = tappedAnswers{w.store.Answers(), slow}
		w.first.Hold()
		s := w.open(p)
		begun := time.Now()
		v := w.pending(s, request())
		assert.Equal(w, validation.DefaultWindow, time.Since(begun))
		pass(30 * time.Second)
		assert.Equal(w, v.CreatedAt.Add(validation.DefaultTimeout), w.get(s, v.ID).EndedAt)
	})
}

// claimed makes another process hold the claim of the request.
func (w *world) claimed(req market.Request, d time.Duration) (free func()) {
	w.Helper()
	key := w.key(req)
	won, err := w.store.Answers().Claim(w.Context(), key, "another process", time.Now(), time.Now().Add(d))
	require.NoError(w, err)
	require.True(w, won)
	return func() { require.NoError(w, w.store.Answers().Release(w.Context(), key, "another process")) }
}

// leaving starts a call and returns a function that cancels it.
func (w *world) leaving(s *validation.Service, req market.Request) (leave func()) {
	ctx, cancel := context.WithCancel(w.Context())
	done := make(chan error, 1)
	go func() {
		_, err := s.Validate(ctx, owner, req)
		done <- err
	}()
	synctest.Wait()
	return func() {
		cancel()
		requireCode(w, errcodes.Canceled, <-done)
	}
}

// If all callers leave before a provider is called, there is no lookup; a caller that
// stays gets the answer.
func TestALookupWithoutCallersIsDropped(t *testing.T) {
	for _, c := range []struct{ leaves, stays bool }{{true, false}, {true, true}, {false, true}} {
		inWorld(t, func(w *world) {
			free := w.claimed(request(), time.Hour)
			s := w.open(w.process(w.second))
			leave := w.leaving(s, request())
			var staying <-chan result
			if c.stays {
				staying = w.ask(s, request())
				synctest.Wait()
			}
			if c.leaves {
				leave()
			}
			free()
			pass(time.Second)
			if !c.stays {
				assert.Empty(w, w.second.Asked())
				return
			}
			r := <-staying
			require.NoError(w, r.err)
			assert.Equal(w, ports.StatusVerified, r.v.Status)
		})
	}
}

// A lookup that is resumed after a crash asks the same as before.
func TestRecoveryAsksTheSame(t *testing.T) {
	inWorld(t, func(w *world) {
		can := []ports.Capability{{Market: ports.Market{Country: "KEN", Type: ports.BankAccount}, ComparesName: true}}
		req := named("Ama Serwaa Mensah")
		req.Country, req.BankCode, req.AccountIdentifier = "KEN", "01234", "1234567890"
		req.Identity = ports.Identity{Kind: ports.BusinessAccount, Document: ports.Passport, Number: "A1"}
		before, after := fake.NewConnector("first", can), fake.NewConnector("first", can)
		before.Hold()
		dead := w.open(w.process(before))
		w.pending(dead, req)
		require.NoError(w, dead.Stop(w.Context()))
		s := w.open(w.process(after))
		pass(4 * time.Second)
		w.tick(s)
		require.Len(w, after.Asked(), 1)
		assert.Equal(w, before.Asked(), after.Asked())
		assert.Equal(w, "234", after.Asked()[0].Branch)
	})
}

func TestHooksAreCalled(t *testing.T) {
	inWorld(t, func(w *world) {
		var mu sync.Mutex
		var answered, ended []ports.ValidationStatus
		var asked []ports.Outcome
		var took, tookAsked time.Duration
		p := w.process(w.first)
		p.config.Hooks = validation.Hooks{
			Answered: func(_ context.Context, v ports.ValidationRecord) { answered = append(answered, v.Status) },
			Ended: func(_ context.Context, v ports.ValidationRecord, d time.Duration) {
				mu.Lock()
				defer mu.Unlock()
				ended, took = append(ended, v.Status), d
			},
			Asked: func(_ context.Context, c string, m ports.Market, o ports.Outcome, d time.Duration) {
				assert.Equal(w, "first", c)
				assert.Equal(w, nigeria, m)
				asked, tookAsked = append(asked, o), d
			},
		}
		w.first.Take(ports.SystemClock(), 3*time.Second)
		s := w.open(p)
		w.pending(s, request())
		assert.Equal(w, []ports.ValidationStatus{ports.StatusPending}, answered)
		mu.Lock()
		assert.Empty(w, ended)
		mu.Unlock()
		pass(2 * time.Second)
		assert.Equal(w, []ports.ValidationStatus{ports.StatusVerified}, ended)
		assert.Equal(w, 3*time.Second, took)
		assert.Equal(w, []ports.Outcome{ports.OutcomeFound}, asked)
		assert.Equal(w, 3*time.Second, tookAsked)
		for range 3 {
			_, err := s.Validate(w.Context(), owner, request())
			require.NoError(w, err)
		}
		assert.Len(w, answered, 4, "each call")
		assert.Len(w, ended, 1)
	})
}

// If a lookup is cancelled while a validation is being stored, the validation stays
// pending.
func TestAValidationStoredDuringACancelledLookupStaysPending(t *testing.T) {
	inWorld(t, func(w *world) {
		free := w.claimed(request(), time.Hour)
		saving, down := &tap{}, &tap{}
		p := w.process(w.first)
		w.first.Answer(found)
		p.ports.Validations = tappedValidations{w.store.Validations(), saving}
		p.ports.Answers = tappedAnswers{w.store.Answers(), down}
		saving.set(func(_ context.Context, call string) error {
			if call == "Save pending" {
				down.set(func(_ context.Context, call string) error { return errDown })
				<-time.After(time.Second)
				down.set(nil)
			}
			return nil
		})
		s := w.open(p)
		v := w.pending(s, request())
		free()
		run(s)
		pass(8 * time.Second)
		assert.Equal(w, ports.StatusVerified, w.stored(v.ID).Status)
	})
}

// If a lookup ends while a validation is being stored, the validation ends at once.
func TestAValidationStoredAsItsLookupEndsIsEnded(t *testing.T) {
	inWorld(t, func(w *world) {
		saving := &tap{}
		p := w.process(w.first)
		p.ports.Validations = tappedValidations{w.store.Validations(), saving}
		saving.set(func(_ context.Context, call string) error {
			if call == "Save pending" {
				<-time.After(time.Second)
			}
			return nil
		})
		w.first.Take(ports.SystemClock(), 2500*time.Millisecond)
		r := <-w.ask(w.open(p), request())
		require.NoError(w, r.err)
		assert.Equal(w, ports.StatusVerified, r.v.Status)
		assert.Equal(w, ports.StatusVerified, w.stored(r.v.ID).Status)
	})
}

// A validation that waits for another process's lookup has the connector that this
// process would call as its provider, and ends exactly at its own timeout.
func TestAWaitForAnotherProcessEndsAtTheTimeout(t *testing.T) {
	inWorld(t, func(w *world) {
		w.claimed(request(), time.Hour)
		asked := len(w.first.Asked())
		s := w.open(w.process(w.first))
		v := w.pending(s, request())
		assert.Equal(w, "first", v.Provider)
		assert.Equal(w, "first", w.stored(v.ID).Provider)
		pass(29 * time.Second)
		rec := w.stored(v.ID)
		assert.Equal(w, ports.StatusError, rec.Status)
		assert.Equal(w, "first", rec.Provider)
		assert.Equal(w, ports.OutcomeTimeout, rec.Outcome)
		assert.Equal(w, v.CreatedAt.Add(validation.DefaultTimeout), rec.EndedAt)
		assert.NotEmpty(w, w.get(s, v.ID).FailureReason)
		assert.Len(w, w.first.Asked(), asked)
	})
}

// An overdue validation gets a reason, whichever call ends it.
func TestAnOverdueValidationHasAReason(t *testing.T) {
	inWorld(t, func(w *world) {
		v := w.orphan(request())
		s := w.open(w.process(w.first))
		pass(time.Until(v.Deadline))
		assert.NotEmpty(w, w.get(s, v.ID).FailureReason)
	})
}

// A killed process does not release its claim. The claim lapses early enough for recovery
// to begin within ten seconds.
func TestTheClaimOfAKilledProcessLapses(t *testing.T) {
	inWorld(t, func(w *world) {
		silent, killed := fake.NewConnector("first", reaching), &tap{}
		silent.Hold()
		killed.set(func(_ context.Context, call string) error {
			if call == "Release" {
				return errDown
			}
			return nil
		})
		p := w.process(silent)
		p.ports.Answers = tappedAnswers{w.store.Answers(), killed}
		s := w.open(p)
		v := w.pending(s, request())
		require.NoError(w, s.Stop(w.Context()))
		run(w.open(w.process(w.first)))
		pass(10 * time.Second)
		assert.Equal(w, ports.StatusVerified, w.stored(v.ID).Status)
	})
}

// Wait returns as soon as the result is stored, not at its next poll.
func TestWaitReturnsAsSoonAsTheResultIsStored(t *testing.T) {
	inWorld(t, func(w *world) {
		saving := &tap{}
		p := w.process(w.first)
		p.ports.Validations = tappedValidations{w.store.Validations(), saving}
		saving.set(func(_ context.Context, call string) error {
			if call == "Save verified" {
				<-time.After(20 * time.Millisecond)
			}
			return nil
		})
		w.first.Take(ports.SystemClock(), 2010*time.Millisecond)
		s := w.open(p)
		v := w.pending(s, request())
		end, err := s.Wait(w.Context(), owner, v.ID)
		require.NoError(w, err)
		assert.Equal(w, ports.StatusVerified, end.Status)
		assert.Equal(w, 2030*time.Millisecond, time.Since(v.CreatedAt))
	})
}

// stubborn renews a claim late and ignores its context.
type stubborn struct {
	ports.AnswerCache
	claims int
}

func (s *stubborn) Claim(ctx context.Context, k [32]byte, holder string, now, until time.Time) (bool, error) {
	if s.claims++; s.claims == 2 {
		<-time.After(time.Second)
	}
	return s.AnswerCache.Claim(context.WithoutCancel(ctx), k, holder, now, until)
}

func (w *world) isFree(key [32]byte) {
	w.Helper()
	won, err := w.store.Answers().Claim(w.Context(), key, "a third", time.Now(), time.Now().Add(time.Second))
	require.NoError(w, err)
	assert.True(w, won, "a claim is left behind")
}

func TestEveryClaimIsReleased(t *testing.T) {
	t.Run("after a late renewal", func(t *testing.T) {
		inWorld(t, func(w *world) {
			key := w.key(request())
			w.first.Take(ports.SystemClock(), 2500*time.Millisecond)
			w.first.Answer(says[ports.OutcomeFailed].answer)
			p := w.process(w.first)
			p.ports.Answers = &stubborn{AnswerCache: w.store.Answers()}
			w.pending(w.open(p), request())
			pass(1200 * time.Millisecond)
			w.isFree(key)
		})
	})
	t.Run("after a cache failure", func(t *testing.T) {
		inWorld(t, func(w *world) {
			key := w.key(request())
			failing, looks := &tap{}, 0
			p := w.process(w.first)
			p.ports.Answers = tappedAnswers{w.store.Answers(), failing}
			failing.set(func(_ context.Context, call string) error {
				if call == "Answer" {
					looks++
				}
				if looks == 2 && call == "Answer" {
					return errDown
				}
				return nil
			})
			requireCode(w, errcodes.StorageUnavailable, (<-w.ask(w.open(p), request())).err)
			synctest.Wait()
			w.isFree(key)
		})
	})
	t.Run("after a cached answer", func(t *testing.T) {
		inWorld(t, func(w *world) {
			key := w.key(request())
			late, looks := &tap{}, 0
			p := w.process(w.first)
			p.ports.Answers = tappedAnswers{w.store.Answers(), late}
			<-w.ask(w.open(w.process(w.first)), request())
			synctest.Wait()
			late.set(func(_ context.Context, call string) error {
				if call == "Answer" {
					looks++
				}
				if looks == 1 && call == "Answer" {
					return errcodes.New(errcodes.NotFound, "") // not yet
				}
				return nil
			})
			r := <-w.ask(w.open(p), request())
			require.NoError(w, r.err)
			assert.True(w, r.v.Cached)
			assert.Len(w, w.first.Asked(), 1)
			synctest.Wait()
			w.isFree(key)
		})
	})
}

// An error that no caller sees is reported and does not affect the lookup's other
// validations.
func TestBackgroundFailuresAreReported(t *testing.T) {
	inWorld(t, func(w *world) {
		var reported []error
		failing, reads := &tap{}, 0
		p := w.process(w.first)
		p.config.Hooks.Background = func(_ context.Context, err error) { reported = append(reported, err) }
		p.ports.Answers = tappedAnswers{w.store.Answers(), failing}
		p.ports.Validations = tappedValidations{w.store.Validations(), failing}
		w.first.Take(ports.SystemClock(), 3*time.Second)
		s := w.open(p)
		var all []<-chan result
		for _, name := range []string{"", "Ama Serwaa Mensah", "Kofi Boateng"} {
			all = append(all, w.ask(s, named(name)))
		}
		var ids []string
		for _, done := range all {
			ids = append(ids, (<-done).v.ID)
		}
		failing.set(func(_ context.Context, call string) error {
			switch call {
			case "PutAnswer":
				return errDown
			case "Validation":
				if reads++; reads == 1 {
					return errcodes.New(errcodes.NotFound, "") // purged by another process
				}
			}
			return nil
		})
		pass(1500 * time.Millisecond)
		require.Len(w, reported, 1)
		require.ErrorIs(w, reported[0], errDown)
		assert.ErrorContains(w, reported[0], "cannot cache the answer")
		left := 0
		for _, id := range ids {
			if w.stored(id).Status == ports.StatusPending {
				left++
			}
		}
		assert.Equal(w, 1, left)
	})
}

// A failure to store the provider is reported too.
func TestAFailureToStoreTheProviderIsReported(t *testing.T) {
	for _, call := range []string{"Validation", "Save pending"} {
		inWorld(t, func(w *world) {
			var reported []error
			failing := &tap{}
			p := w.process(w.first, w.second)
			p.config.Hooks.Background = func(_ context.Context, err error) { reported = append(reported, err) }
			p.ports.Validations = tappedValidations{w.store.Validations(), failing}
			w.first.Hold()
			w.second.Hold()
			v := w.pending(w.open(p), request())
			failing.set(func(_ context.Context, got string) error {
				if got == call {
					return errDown
				}
				return nil
			})
			pass(14 * time.Second)
			require.Len(w, w.second.Asked(), 1)
			require.Len(w, reported, 1)
			require.ErrorIs(w, reported[0], errDown)
			assert.Equal(w, "first", w.stored(v.ID).Provider)
			failing.set(nil)
		})
	}
}

func later(d time.Duration) ports.Answer { return ports.Answer{Kind: ports.OutcomeTryLater, After: d} }

// The connector with the shorter delay is called again first, and none is called at once.
func TestTheConnectorWithTheShortestDelayIsRetriedFirst(t *testing.T) {
	inWorld(t, func(w *world) {
		w.first.Answer(later(9 * time.Second))
		w.second.Answer(later(0))
		s := w.open(w.process(w.first, w.second))
		done := w.ask(s, request())
		pass(999 * time.Millisecond)
		assert.Len(w, w.second.Asked(), 1)
		pass(2 * time.Millisecond)
		assert.Len(w, w.second.Asked(), 2, "a second later, though it named no time")
		assert.Len(w, w.first.Asked(), 1)
		v := (<-done).v
		pass(10 * time.Second)
		end := w.get(s, v.ID)
		assert.Equal(w, v.CreatedAt.Add(9*time.Second), end.EndedAt)
		var order []string
		for _, a := range end.Asked {
			order = append(order, a.Connector)
		}
		assert.Equal(w, []string{"first", "second", "second", "first"}, order)
	})
}

// If a service stops while it waits for a provider, the lookup has no answer: another
// service may get it.
func TestStopDuringARetryDelayLeavesTheValidationPending(t *testing.T) {
	inWorld(t, func(w *world) {
		w.first.Answer(later(10 * time.Second))
		s := w.open(w.process(w.first))
		v := w.pending(s, request())
		require.NoError(w, s.Stop(w.Context()))
		assert.Equal(w, ports.StatusPending, w.stored(v.ID).Status)
		w.first.Answer(found)
		run(w.open(w.process(w.first)))
		pass(10 * time.Second)
		assert.Equal(w, ports.StatusVerified, w.stored(v.ID).Status)
	})
}

// Nothing of a contradictory answer is returned or stored.
func TestNothingOfAMalformedAnswerIsStored(t *testing.T) {
	inWorld(t, func(w *world) {
		w.first.Answer(ports.Answer{Kind: ports.OutcomeNotFound, HolderName: "KOFI", Code: "7", Message: "what"})
		v := (<-w.ask(w.open(w.process(w.first)), request())).v
		assert.Equal(w, ports.OutcomeMalformed, v.Outcome)
		assert.Empty(w, v.HolderName)
		assert.NotContains(w, v.FailureReason, "what")
		require.Len(w, v.Asked, 1)
		assert.Empty(w, v.Asked[0].Code+v.Asked[0].Message)
	})
}

// causes records the causes with which the contexts of its lookups ended.
type causes struct {
	*fake.Connector
	cause error
}

func (c *causes) Lookup(ctx context.Context, l ports.AccountLookup) (ports.Answer, error) {
	a, err := c.Connector.Lookup(ctx, l)
	c.cause = context.Cause(ctx)
	return a, err
}

func TestATimedOutCallSeesADeadline(t *testing.T) {
	inWorld(t, func(w *world) {
		c := &causes{Connector: w.first}
		w.first.Hold()
		s := w.open(w.process(c))
		w.pending(s, request())
		pass(30 * time.Second)
		assert.ErrorIs(w, c.cause, context.DeadlineExceeded)
	})
}

// A timeout that overflows time.Time never comes, rather than having passed.
func TestAHugeTimeoutNeverPasses(t *testing.T) {
	inWorld(t, func(w *world) {
		defer w.first.Hold()()
		p := w.process(w.first)
		p.config.Timeout, p.config.Grace = math.MaxInt64, math.MaxInt64
		s := w.open(p)
		v := w.pending(s, request())
		assert.Equal(w, v, w.get(s, v.ID), "still pending, and to the millisecond, as it is stored")
	})
}

// An answer after Stop is not reported as late.
func TestAnswersAfterStopAreNotLate(t *testing.T) {
	inWorld(t, func(w *world) {
		late := 0
		p := w.process(w.first)
		p.config.Hooks.Late = func(context.Context, string) { late++ }
		w.first.Deafen()
		release := w.first.Hold()
		s := w.open(p)
		w.pending(s, request())
		require.NoError(w, s.Stop(w.Context()))
		release()
		synctest.Wait()
		assert.Zero(w, late)
	})
}

// The same process resumes the validations of a cancelled lookup.
func TestTheValidationsOfACancelledLookupAreResumed(t *testing.T) {
	inWorld(t, func(w *world) {
		free := w.claimed(request(), time.Hour)
		w.first.Answer(found)
		down := &tap{}
		p := w.process(w.first)
		p.ports.Answers = tappedAnswers{w.store.Answers(), down}
		s := w.open(p)
		v := w.pending(s, request())
		down.set(func(context.Context, string) error { return errDown })
		pass(time.Second)
		down.set(nil)
		free()
		run(s)
		pass(8 * time.Second)
		assert.Equal(w, ports.StatusVerified, w.stored(v.ID).Status)
	})
}

func TestAnAnswerInTheLastInstantOfTheWindowCounts(t *testing.T) {
	inWorld(t, func(w *world) {
		w.first.Take(ports.SystemClock(), validation.DefaultWindow-time.Millisecond)
		r := <-w.ask(w.open(w.process(w.first)), request())
		require.NoError(w, r.err)
		assert.Equal(w, ports.StatusVerified, r.v.Status)
	})
}
