package validation_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/banks"
	"github.com/corridor-go/corridor/validation/market"
)

// purged counts the purges of a store, the first few of which find a full page.
type purged struct {
	ports.ValidationStore
	full  int
	calls int
	err   error
}

func (p *purged) PurgeValidations(_ context.Context, _ time.Time, n int) (int, error) {
	if p.calls++; p.calls <= p.full {
		return n, p.err
	}
	return n - 1, p.err
}

// A purge continues while pages are full. A purge runs a minute after the last one, by
// the time that Tick is passed, or as soon as that time has gone back.
func TestPurgesRunOnceAMinute(t *testing.T) {
	inWorld(t, func(w *world) {
		store := &purged{ValidationStore: w.store.Validations(), full: 2}
		p := w.process(w.first)
		p.ports.Validations = store
		s := w.open(p)
		now := time.Now()
		for _, c := range []struct {
			at    time.Duration
			calls int
		}{{0, 3}, {time.Minute - time.Millisecond, 3}, {time.Minute, 4}, {2*time.Minute - time.Millisecond, 4}, {2 * time.Minute, 5}, {time.Minute, 6}, {time.Minute, 6}} {
			require.NoError(w, s.Tick(w.Context(), now.Add(c.at)))
			require.Equal(w, c.calls, store.calls, "after %v", c.at)
		}
		store.err, store.full = errDown, 100
		requireCode(w, errcodes.StorageUnavailable, s.Tick(w.Context(), now.Add(time.Hour)))
		require.Equal(w, 7, store.calls, "no page follows a failure")
	})
}

// overdueDown is a store that cannot list overdue validations.
type overdueDown struct{ ports.ValidationStore }

func (overdueDown) Overdue(context.Context, time.Time, ports.Pos, int) ([]ports.ValidationRecord, error) {
	return nil, errDown
}

// A tick that cannot list overdue validations returns the error, but still purges.
func TestATickThatCannotListOverdueValidationsFails(t *testing.T) {
	inWorld(t, func(w *world) {
		store := &purged{ValidationStore: overdueDown{w.store.Validations()}}
		var reported []error
		p := w.process(w.first)
		p.ports.Validations = store
		p.config.Hooks.Background = func(_ context.Context, err error) { reported = append(reported, err) }
		requireCode(w, errcodes.StorageUnavailable, w.open(p).Tick(w.Context(), time.Now()))
		assert.Len(w, reported, 1)
		assert.Equal(w, 1, store.calls)
	})
}

// A validation that cannot be ended is retried, and the tick returns the error.
func TestAFailedRecoveryIsRetried(t *testing.T) {
	inWorld(t, func(w *world) {
		v := w.orphan(request())
		pass(5 * time.Second)
		failing := &tap{}
		p := w.process() // no connector serves the market any more, so the rules decide
		p.ports.Validations = tappedValidations{w.store.Validations(), failing}
		s := w.open(p)
		failing.set(func(_ context.Context, call string) error {
			if call == "Save verified" {
				return errDown
			}
			return nil
		})
		requireCode(w, errcodes.StorageUnavailable, s.Tick(w.Context(), time.Now()))
		assert.Equal(w, ports.StatusPending, w.stored(v.ID).Status)
		failing.set(nil)
		pass(2 * time.Second)
		w.tick(s)
		assert.Equal(w, ports.StatusVerified, w.stored(v.ID).Status)
	})
}

// Each connector call is logged at debug level, and a result has the version of its
// tables.
func TestALookupIsLoggedAndVersioned(t *testing.T) {
	inWorld(t, func(w *world) {
		var log lockedBuffer
		p := w.process(w.first)
		p.config.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		w.first.Take(ports.SystemClock(), time.Second)
		store, reads := &tap{}, 0
		p.ports.Validations = tappedValidations{w.store.Validations(), store}
		store.set(func(_ context.Context, call string) error {
			if call == "Validation" {
				reads++
			}
			return nil
		})
		r := <-w.ask(w.open(p), request())
		require.NoError(w, r.err)
		assert.Zero(w, reads, "a save that succeeds is not read back")
		assert.Equal(w, market.TablesVersion+"+banks."+banks.Version, r.v.Tables)
		assert.Contains(w, log.String(), `msg="connector asked" connector=first market="NGA bank_account" outcome=found code="" took=1s`)
		assert.NotContains(w, log.String(), request().AccountIdentifier)
	})
}
