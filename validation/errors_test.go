package validation_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/validation"
)

func TestAnOwnerIsRequired(t *testing.T) {
	b := newBench(t, inMemory(t))
	v := b.validate(request())
	for name, call := range map[string]func() (ports.Validation, error){
		"Validate": func() (ports.Validation, error) { return b.service.Validate(t.Context(), "", request()) },
		"Get":      func() (ports.Validation, error) { return b.service.Get(t.Context(), "", v.ID) },
		"Wait":     func() (ports.Validation, error) { return b.service.Wait(t.Context(), "", v.ID) },
	} {
		v, err := call()
		require.ErrorIs(t, err, errcodes.InvalidRequest, name)
		var fields errcodes.FieldDetails
		require.ErrorAs(t, err, &fields, name)
		assert.Equal(t, []errcodes.Field{{Name: "owner", Reason: "is required"}}, fields.Fields, name)
		assert.Zero(t, v, name)
	}
}

// A cancelled call has the same error for errors.Is and errcodes.Of, and the validation
// is zero.
func TestACancelledCallReturnsCanceled(t *testing.T) {
	inWorld(t, func(w *world) {
		w.first.Hold()
		s := w.open(w.process(w.first))
		pending := w.pending(s, request())
		ctx, cancel := context.WithCancel(w.Context())
		cancel()
		other := request()
		other.AccountIdentifier = "1234567895"
		for name, call := range map[string]func() (ports.Validation, error){
			"Validate":                   func() (ports.Validation, error) { return s.Validate(ctx, owner, other) },
			"Validate, joining a lookup": func() (ports.Validation, error) { return s.Validate(ctx, owner, request()) },
			"Get":                        func() (ports.Validation, error) { return s.Get(ctx, owner, pending.ID) },
			"Wait":                       func() (ports.Validation, error) { return s.Wait(ctx, owner, pending.ID) },
			"Tick":                       func() (ports.Validation, error) { return ports.Validation{}, s.Tick(ctx, time.Now()) },
			"Run":                        func() (ports.Validation, error) { return ports.Validation{}, s.Run(ctx) },
		} {
			v, err := call()
			requireCode(w, errcodes.Canceled, err)
			require.ErrorIs(w, err, errcodes.Canceled, name)
			require.ErrorIs(w, err, context.Canceled, name)
			assert.Zero(w, v, name)
		}
	})
}

// A Wait that is cancelled while it waits also returns no validation.
func TestACancelledWaitReturnsNothing(t *testing.T) {
	inWorld(t, func(w *world) {
		w.first.Hold()
		s := w.open(w.process(w.first))
		pending := w.pending(s, request())
		ctx, cancel := context.WithTimeout(w.Context(), time.Second)
		defer cancel()
		v, err := s.Wait(ctx, owner, pending.ID)
		require.ErrorIs(w, err, errcodes.DeadlineExceeded)
		require.ErrorIs(w, err, context.DeadlineExceeded)
		assert.Zero(w, v)
	})
}

// A tick that is cut short by its context has not failed.
func TestACancelledTickIsNotReported(t *testing.T) {
	inWorld(t, func(w *world) {
		w.orphan(request())
		pass(5 * time.Second)
		var reported []error
		store := &tap{}
		p := w.process(w.first)
		p.ports.Validations = tappedValidations{w.store.Validations(), store}
		p.config.Hooks.Background = func(_ context.Context, err error) { reported = append(reported, err) }
		s := w.open(p)
		ctx, cancel := context.WithCancel(w.Context())
		store.set(func(context.Context, string) error { cancel(); return ctx.Err() })
		requireCode(w, errcodes.Canceled, s.Tick(ctx, time.Now()))
		assert.Empty(w, reported)
		store.set(func(context.Context, string) error { return errDown })
		pass(5 * time.Second)
		requireCode(w, errcodes.StorageUnavailable, s.Tick(w.Context(), time.Now()))
		require.Len(w, reported, 1)
		require.ErrorIs(w, reported[0], errDown)
	})
}

// Stop returns its context's error if a lookup does not end in time, and may be called
// again.
func TestStopWaitsForLookupsUntilItsContextIsDone(t *testing.T) {
	inWorld(t, func(w *world) {
		hung, gate := &tap{}, make(chan struct{})
		p := w.process(w.first)
		p.ports.Answers = tappedAnswers{w.store.Answers(), hung}
		s := w.open(p)
		w.first.Hold()
		hung.set(func(_ context.Context, call string) error {
			if call == "Release" {
				<-gate
			}
			return nil
		})
		v := w.pending(s, request())
		ctx, cancel := context.WithTimeout(w.Context(), time.Second)
		defer cancel()
		require.ErrorIs(w, s.Stop(ctx), errcodes.DeadlineExceeded)
		close(gate)
		require.NoError(w, s.Stop(w.Context()))

		other := request()
		other.AccountIdentifier = "1234567895"
		_, err := s.Validate(w.Context(), owner, other)
		requireCode(w, errcodes.Closed, err)
		assert.Equal(w, ports.StatusPending, w.get(s, v.ID).Status, "reads go on")
		require.NoError(w, s.Run(w.Context()))
	})
}

// burials records the work items that a service buries.
type burials struct {
	ports.Work
	ids []string
}

func (b *burials) Bury(ctx context.Context, w ports.WorkItem, reason string) error {
	b.ids = append(b.ids, w.ID)
	return b.Work.Bury(ctx, w, reason)
}

// Work that is damaged, or whose record is, becomes a dead letter at its first claim, and
// other work continues.
func TestDamagedWorkIsBuried(t *testing.T) {
	inWorld(t, func(w *world) {
		sound := w.orphan(request())
		pass(5 * time.Second)
		work := func(id, payload string) ports.WorkItem {
			return ports.WorkItem{ID: id, Kind: validation.WorkRecover, DueAt: time.Now(), Payload: []byte(payload)}
		}
		damaged := ports.ValidationRecord{ID: "damaged", Owner: owner, Status: ports.StatusPending, Market: nigeria, Deadline: time.Now().Add(time.Hour)}
		require.NoError(w, w.store.Validations().Save(w.Context(), ports.ValidationChange{Record: damaged, Work: []ports.WorkItem{
			work("1", ""), work("2", "\x01"), work("3", "\x02\x04acme\x01x"), work("4", "\x01\x04acme\x01x and more"),
			work("5", "\x01\x04acme\x07damaged"), work("6", "\x01\x04acme\x07unknown"),
		}}))
		spy := &burials{Work: w.store.Work()}
		p := w.process(w.first)
		p.ports.Work = spy
		s := w.open(p)
		requireCode(w, errcodes.CorruptRecord, s.Tick(w.Context(), time.Now()))
		assert.Equal(w, []string{"1", "2", "3", "4", "5"}, spy.ids, "and what is unknown is done")
		pass(time.Second)
		assert.Equal(w, ports.StatusVerified, w.stored(sound.ID).Status)
		pass(time.Minute)
		spy.ids = nil
		w.tick(s)
		assert.Empty(w, spy.ids)
	})
}

// away is a sealer that is temporarily unavailable.
type away struct{ ports.Sealer }

func (away) Open(context.Context, []byte, ports.Sealed) ([]byte, error) {
	return nil, errcodes.New(errcodes.Unavailable, "")
}

// A sealer that is unavailable does not cause a lookup, because there is a cached answer.
func TestAnUnavailableSealerCausesNoLookup(t *testing.T) {
	inWorld(t, func(w *world) {
		<-w.ask(w.open(w.process(w.first)), request())
		p := w.process(w.first)
		p.ports.Sealer = away{w.keys}
		r := <-w.ask(w.open(p), request())
		requireCode(w, errcodes.Unavailable, r.err)
		assert.Zero(w, r.v)
		assert.Len(w, w.first.Asked(), 1)
	})
}

// It does not end a validation that is to be resumed either.
func TestAnUnavailableSealerEndsNoValidation(t *testing.T) {
	inWorld(t, func(w *world) {
		v := w.orphan(request())
		pass(5 * time.Second)
		p := w.process(w.first)
		p.ports.Sealer = away{w.keys}
		s := w.open(p)
		requireCode(w, errcodes.Unavailable, s.Tick(w.Context(), time.Now()))
		assert.Equal(w, ports.StatusPending, w.stored(v.ID).Status)
		pass(time.Until(v.Deadline))
		_, err := s.Get(w.Context(), owner, v.ID)
		requireCode(w, errcodes.Unavailable, err)
		assert.Equal(w, ports.StatusPending, w.stored(v.ID).Status)
	})
}

// talkative returns an answer together with each error.
type talkative struct{ *fake.Connector }

func (c talkative) Lookup(ctx context.Context, l ports.AccountLookup) (ports.Answer, error) {
	_, err := c.Connector.Lookup(ctx, l)
	return ports.Answer{Kind: ports.OutcomeNotFound, Code: "7", Message: "what"}, err
}

func TestAnAnswerReturnedWithAnErrorIsIgnored(t *testing.T) {
	inWorld(t, func(w *world) {
		w.first.Fail(errcodes.New(errcodes.Unavailable, ""))
		v := (<-w.ask(w.open(w.process(talkative{w.first})), request())).v
		assert.Equal(w, ports.StatusError, v.Status)
		assert.NotContains(w, v.FailureReason, "what")
		require.Len(w, v.Asked, 1)
		assert.Equal(w, ports.OutcomeUnreachable, v.Asked[0].Outcome)
		assert.Empty(w, v.Asked[0].Code+v.Asked[0].Message)
	})
}

// A closed account is definite; an unavailable provider is not.
func TestDefiniteMeansAboutTheAccount(t *testing.T) {
	assert.False(t, ports.Validation{}.Definite(), "the zero Validation beside an error")
	for outcome, want := range map[ports.Outcome]bool{
		ports.OutcomeFound: true, ports.OutcomeNameMatched: true, ports.OutcomeNameMismatched: true, ports.OutcomeNotFound: true, ports.OutcomeUnusable: true,
		ports.OutcomeUnsupported: false, ports.OutcomeTryLater: false, ports.OutcomeFailed: false, ports.OutcomeRefused: false,
		ports.OutcomeUnreachable: false, ports.OutcomeTimeout: false, ports.OutcomeMalformed: false, ports.OutcomeCancelled: false,
	} {
		inBubble(t, string(outcome), func(t *testing.T) {
			b := newBench(t, inMemory(t))
			b.first.Answer(says[outcome].answer)
			b.first.Fail(says[outcome].err)
			zaf := southAfrican("0123456789") // has no check digit
			v, err := b.open(day, b.first).Validate(t.Context(), owner, zaf)
			require.NoError(t, err)
			assert.Equal(t, want, v.Definite(), v.Status)
		})
	}
	inBubble(t, "pending", func(t *testing.T) {
		b := newBench(t, inMemory(t))
		b.first.Hold()
		assert.False(t, b.pending(request()).Definite())
	})
	inBubble(t, "a wrong check digit", func(t *testing.T) {
		wrong := request()
		wrong.AccountIdentifier = "0690000031"
		assert.True(t, newBench(t, inMemory(t)).validate(wrong).Definite())
	})
	inBubble(t, "a check digit that fits, without a provider", func(t *testing.T) {
		v, err := newBench(t, inMemory(t)).open(day).Validate(t.Context(), owner, request())
		require.NoError(t, err)
		assert.Equal(t, ports.StatusVerified, v.Status)
		assert.False(t, v.Definite())
	})
	inBubble(t, "another name", func(t *testing.T) {
		assert.True(t, newBench(t, inMemory(t)).validate(named("Kofi Boateng")).Definite())
	})
}
