package validation_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/keyring"
	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/validation"
)

// blind returns a process that lacks the key of the world. Its connector is never asked.
func (w *world) blind(log *lockedBuffer) *validation.Service {
	w.Helper()
	p := w.process(fake.NewConnector("blind", reaching))
	p.ports.Sealer = otherSealer(w)
	p.config.Logger = slog.New(slog.NewTextHandler(log, nil))
	return w.open(p)
}

// eventKinds returns the kinds of the events of the outbox in order.
func (w *world) eventKinds() (kinds []string) {
	w.Helper()
	for {
		got, err := w.store.Outbox().Claim(w.Context(), time.Now(), time.Minute, 100)
		require.NoError(w, err)
		if len(got) == 0 {
			return kinds
		}
		for _, e := range got {
			require.NoError(w, w.store.Outbox().Ack(w.Context(), e))
			kinds = append(kinds, e.Kind)
		}
	}
}

// passTicking lets time pass with a tick of each service in each half second, the first one
// first.
func (w *world) passTicking(d time.Duration, services ...*validation.Service) {
	w.Helper()
	const step = 500 * time.Millisecond
	for range d / step {
		pass(step)
		for _, s := range services {
			w.tick(s)
		}
	}
}

// I17: a validation whose key is missing stays pending, without a write or an event after
// the first, and gets the full time limit when the key returns.
func TestAValidationWaitsForItsKey(t *testing.T) {
	for name, c := range map[string]struct {
		early bool          // a tick before the deadline finds that the key is missing, or else a Get after it
		takes time.Duration // the lookup, when the key has returned
		want  ports.ValidationStatus
	}{
		"found by a tick, answered at the end of the limit": {true, validation.DefaultTimeout - time.Second, ports.StatusVerified},
		"found by a tick, never answered":                   {true, time.Hour, ports.StatusError},
		"found by a Get after the deadline":                 {false, validation.DefaultTimeout - time.Second, ports.StatusVerified},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				v := w.orphan(request())
				log := &lockedBuffer{}
				blind := w.blind(log)
				pass(4 * time.Second)
				if !c.early {
					pass(time.Until(v.Deadline))
					require.Equal(w, ports.StatusPending, w.get(blind, v.ID).Status)
				}
				w.tick(blind)
				waiting := w.stored(v.ID)
				for range 3 {
					pass(24 * time.Hour)
					w.tick(blind)
					require.Equal(w, ports.Validation{ValidationRecord: waiting}, w.get(blind, v.ID))
					require.Equal(w, []string{"k1"}, blind.MissingKeys())
				}
				require.Equal(w, waiting, w.stored(v.ID))
				require.Equal(w, ports.StatusPending, waiting.Status)

				w.first.Take(ports.SystemClock(), c.takes)
				keyed := w.open(w.process(w.first))
				require.Equal(w, ports.StatusPending, w.get(keyed, v.ID).Status, "a read does not end it either")
				w.tick(keyed)
				require.Equal(w, ports.Millis(time.Now().Add(validation.DefaultTimeout+validation.DefaultGrace)), w.stored(v.ID).Deadline)
				w.passTicking(validation.DefaultTimeout-2*time.Second, keyed)
				require.Equal(w, ports.StatusPending, w.get(keyed, v.ID).Status)
				w.passTicking(validation.DefaultGrace+time.Second, keyed, blind)
				assert.Equal(w, c.want, w.get(keyed, v.ID).Status)
				assert.Len(w, w.first.Asked(), 1)
				assert.Empty(w, blind.MissingKeys())
				lines := strings.Split(strings.TrimSpace(log.String()), "\n")
				require.Len(w, lines, 2, "one when it begins and one when it ends")
				assert.Contains(w, lines[0], `level=WARN msg="a data key is missing: validations sealed with it stay pending until it is configured" key=k1`)
				assert.Contains(w, lines[1], `level=INFO msg="a data key is no longer missing: no pending validation waits for it" key=k1`)
				assert.Equal(w, []string{validation.EventPending, validation.EventEnded}, w.eventKinds(), "a deadline that moves is not an event")
				_, err := blind.Get(w.Context(), owner, v.ID)
				requireCode(w, errcodes.KeyUnknown, err)
			})
		})
	}
}

// A process without the key, even if it is always first, does not keep one that has it
// from ending the validation.
func TestAProcessWithTheKeyEndsItWhateverOthersDo(t *testing.T) {
	for name, after := range map[string]time.Duration{"at once": 0, "after a day": 24 * time.Hour} {
		for answer, takes := range map[string]time.Duration{"verified": time.Second, "error": time.Hour} {
			t.Run(name+", "+answer, func(t *testing.T) {
				inWorld(t, func(w *world) {
					v := w.orphan(request())
					pass(4 * time.Second)
					blind := w.blind(&lockedBuffer{})
					w.tick(blind)
					pass(after)
					w.first.Take(ports.SystemClock(), takes)
					keyed := w.open(w.process(w.first))
					w.passTicking(validation.DefaultTimeout+validation.DefaultGrace+time.Second, blind, keyed)
					assert.EqualValues(w, answer, w.stored(v.ID).Status)
				})
			})
		}
	}
}

// I17: with its key the validation again ends by its deadline, also if the process dies.
func TestTheDeadlineHoldsAgainWhenTheKeyHasReturned(t *testing.T) {
	inWorld(t, func(w *world) {
		v := w.orphan(request())
		pass(4 * time.Second)
		w.tick(w.blind(&lockedBuffer{}))
		w.first.Hold()
		doomed := w.open(w.process(w.first))
		w.tick(doomed)
		require.NoError(w, doomed.Stop(context.Background()))
		pass(validation.DefaultTimeout + validation.DefaultGrace)
		w.tick(w.open(w.process(w.second)))
		assert.Equal(w, ports.StatusError, w.stored(v.ID).Status)
		assert.Empty(w, w.second.Asked(), "too late to ask")
	})
}

// If another process changes the record at the same time, a later tick goes on.
func TestAnotherWriterIsFirst(t *testing.T) {
	inWorld(t, func(w *world) {
		v := w.orphan(request())
		pass(4 * time.Second)
		firstToWrite := func(p *process) *validation.Service {
			racing := &tap{}
			racing.set(func(ctx context.Context, call string) error {
				if call != "Save pending" {
					return nil
				}
				racing.set(nil)
				rec := w.stored(v.ID)
				rec.Provider += "-other"
				return w.store.Validations().Save(ctx, ports.ValidationChange{Record: rec})
			})
			p.ports.Validations = tappedValidations{w.store.Validations(), racing}
			return w.open(p)
		}
		p := w.process(w.first)
		p.ports.Sealer = otherSealer(w)
		blind := firstToWrite(p)
		w.tick(blind)
		require.Equal(w, v.Deadline, w.stored(v.ID).Deadline)
		pass(4 * time.Second)
		w.tick(blind)
		require.Equal(w, v.CreatedAt, w.stored(v.ID).Deadline)
		keyed := firstToWrite(w.process(w.first))
		w.tick(keyed)
		require.Equal(w, ports.StatusPending, w.stored(v.ID).Status)
		require.Empty(w, w.first.Asked())
		w.passTicking(time.Second, keyed)
		assert.Equal(w, ports.StatusVerified, w.stored(v.ID).Status)
		assert.Equal(w, "first", w.stored(v.ID).Provider)
	})
}

// The process that has the key dies again during the lookup: the next one has the full
// time limit if the key was missing meanwhile.
func TestAKeyMayGoAgain(t *testing.T) {
	inWorld(t, func(w *world) {
		v := w.orphan(request())
		pass(4 * time.Second)
		blind := w.blind(&lockedBuffer{})
		for range 3 {
			w.tick(blind)
			require.Equal(w, []string{"k1"}, blind.MissingKeys())
			w.first.Take(ports.SystemClock(), time.Hour)
			doomed := w.open(w.process(w.first))
			w.tick(doomed)
			w.passTicking(validation.DefaultTimeout-time.Second, doomed, blind)
			require.NoError(w, doomed.Stop(context.Background()))
			w.passTicking(time.Hour, blind)
			require.Equal(w, ports.StatusPending, w.get(blind, v.ID).Status)
		}
		w.first.Take(ports.SystemClock(), 0)
		w.tick(w.open(w.process(w.first)))
		assert.Equal(w, ports.StatusVerified, w.stored(v.ID).Status)
	})
}

// orphans leaves n validations about different accounts pending whose process is dead.
func (w *world) orphans(n int) (ids []string) {
	w.Helper()
	silent := fake.NewConnector("first", reaching)
	silent.Hold()
	dead := w.open(w.process(silent))
	asked := make([]<-chan result, n)
	for i := range asked {
		asked[i] = w.ask(dead, southAfrican(fmt.Sprintf("%010d", i)))
	}
	for _, done := range asked {
		r := <-done
		require.NoError(w, r.err)
		require.Equal(w, ports.StatusPending, r.v.Status)
		ids = append(ids, r.v.ID)
	}
	require.NoError(w, dead.Stop(context.Background()))
	return ids
}

// If the key returns that several pages of validations wait for, one tick restarts all of
// them, and still finds the younger ones that wait for another key.
func TestATickLooksAtAllThatWait(t *testing.T) {
	inWorld(t, func(w *world) {
		ids := w.orphans(250)
		pass(time.Second)
		keys := w.keys
		w.keys = otherSealer(w)
		other := w.orphan(request())
		w.keys = keys
		pass(4 * time.Second)
		neither, err := keyring.New([]keyring.Key{{ID: "k3", Secret: bytes.Repeat([]byte{3}, 32)}}, nil)
		require.NoError(w, err)
		p := w.process(w.second)
		p.ports.Sealer = neither
		blind := w.open(p)
		w.tick(blind)
		require.Equal(w, []string{"k1", "k2"}, blind.MissingKeys())
		w.first.Hold()
		keyed := w.open(w.process(w.first))
		w.tick(keyed)
		for _, id := range ids {
			require.Equal(w, ports.Millis(time.Now().Add(validation.DefaultTimeout+validation.DefaultGrace)), w.stored(id).Deadline)
		}
		assert.Equal(w, []string{"k2"}, keyed.MissingKeys())
		assert.Equal(w, other.CreatedAt, w.stored(other.ID).Deadline)
	})
}

// Without room for all lookups, or with a store that is slow, each validation that waited
// for its key still has its full time limit, and no tick fails.
func TestManyWaitForTheirKey(t *testing.T) {
	for name, c := range map[string]struct {
		room  int           // Config.MaxLookups; 0 means the default
		saves time.Duration // how long each takes
	}{
		"there is little room": {room: 8},
		"the store is slow":    {saves: time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				ids := w.orphans(40)
				pass(4 * time.Second)
				w.tick(w.blind(&lockedBuffer{}))
				slow := &tap{}
				slow.set(func(context.Context, string) error {
					<-time.After(c.saves)
					return nil
				})
				w.first.Take(ports.SystemClock(), validation.DefaultTimeout-3*time.Second)
				p := w.process(w.first)
				p.config.MaxLookups = c.room
				p.ports.Validations = tappedValidations{w.store.Validations(), slow}
				w.passTicking(10*validation.DefaultTimeout, w.open(p))
				for _, id := range ids {
					require.Equal(w, ports.StatusVerified, w.stored(id).Status)
				}
				assert.Len(w, w.first.Asked(), len(ids))
			})
		})
	}
}

// A validation that waits for its key has no work, which each process would claim again and
// again. With its deadline it gets new work: if the process dies that has restarted it,
// another one resumes it at once.
func TestAWaitingValidationHasNoWork(t *testing.T) {
	inWorld(t, func(w *world) {
		v := w.orphan(request())
		pass(time.Until(v.Deadline))
		blind := w.blind(&lockedBuffer{})
		w.get(blind, v.ID)
		w.passTicking(4*time.Second, blind)
		work, err := w.store.Work().Claim(w.Context(), validation.WorkRecover, time.Now().Add(time.Minute), time.Second, 10)
		require.NoError(w, err)
		require.Empty(w, work)
		require.Equal(w, []string{"k1"}, blind.MissingKeys())

		w.first.Hold()
		doomed := w.open(w.process(w.first))
		w.tick(doomed)
		require.NoError(w, doomed.Stop(context.Background()))
		w.passTicking(4*time.Second, w.open(w.process(w.second)))
		assert.Equal(w, ports.StatusVerified, w.stored(v.ID).Status)
	})
}

// A damaged record ends as an error once the key of its id is there: at the next tick, or
// when it is read past its deadline.
func TestADamagedRecordIsAnError(t *testing.T) {
	for name, end := range map[string]func(w *world, s *validation.Service, v ports.Validation){
		"at its recovery": func(w *world, s *validation.Service, _ ports.Validation) { w.tick(s) },
		"read past its deadline": func(w *world, s *validation.Service, v ports.Validation) {
			pass(time.Until(v.Deadline))
			w.get(s, v.ID)
		},
		"after its key was missing": func(w *world, s *validation.Service, _ ports.Validation) {
			blind := w.blind(&lockedBuffer{})
			w.tick(blind)
			pass(24 * time.Hour)
			w.tick(blind)
			require.Equal(w, []string{"k1"}, blind.MissingKeys(), "without the key nobody knows that it is damaged")
			w.tick(s)
		},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				v := w.orphan(request())
				pass(4 * time.Second)
				rec := w.stored(v.ID)
				rec.Sealed.Data[20]++
				require.NoError(w, w.store.Validations().Save(w.Context(), ports.ValidationChange{Record: rec}))
				s := w.open(w.process(w.first))
				end(w, s, v)
				ended := w.get(s, v.ID)
				assert.Equal(w, ports.StatusError, ended.Status)
				assert.Equal(w, "The request could not be read any more", ended.FailureReason)
				assert.Empty(w, w.first.Asked())
				assert.Empty(w, s.MissingKeys())
			})
		})
	}
}

// A record that a process with the key ends while a tick looks at it is not missed.
func TestAnEndedRecordMissesNoKey(t *testing.T) {
	inWorld(t, func(w *world) {
		v := w.orphan(request())
		pass(time.Until(v.Deadline))
		racing := &tap{}
		p := w.process(w.first)
		p.ports.Sealer, p.ports.Validations = otherSealer(w), tappedValidations{w.store.Validations(), racing}
		none, err := memory.New(nil)
		require.NoError(w, err)
		p.ports.Work = none.Work() // so that only the listing finds it
		s := w.open(p)
		keyed := w.open(w.process(w.second))
		racing.set(func(context.Context, string) error {
			racing.set(nil)
			require.Equal(w, ports.StatusError, w.get(keyed, v.ID).Status)
			return nil
		})
		w.tick(s)
		assert.Empty(w, s.MissingKeys())
	})
}

// A tick that could not read all overdue records does not change what is missing.
func TestAFailedTickKeepsTheMissingKeys(t *testing.T) {
	inWorld(t, func(w *world) {
		v := w.orphan(request())
		pass(4 * time.Second)
		broken := &overdueFails{ValidationStore: w.store.Validations()}
		p := w.process(w.first)
		p.ports.Sealer, p.ports.Validations = otherSealer(w), broken
		s := w.open(p)
		w.tick(s)
		require.Equal(w, []string{"k1"}, s.MissingKeys())
		broken.err = errDown
		requireCode(w, errcodes.StorageUnavailable, s.Tick(w.Context(), time.Now()))
		assert.Equal(w, []string{"k1"}, s.MissingKeys())
		broken.err = nil
		w.tick(w.open(w.process(w.first)))
		w.tick(s)
		assert.Empty(w, s.MissingKeys())
		assert.Equal(w, ports.StatusVerified, w.stored(v.ID).Status)
	})
}

// overdueFails is a store whose listing fails while err is set.
type overdueFails struct {
	ports.ValidationStore
	err error
}

func (o *overdueFails) Overdue(ctx context.Context, by time.Time, after ports.Pos, limit int) ([]ports.ValidationRecord, error) {
	if o.err != nil {
		return nil, o.err
	}
	return o.ValidationStore.Overdue(ctx, by, after, limit)
}
