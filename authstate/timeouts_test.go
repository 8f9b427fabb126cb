package authstate_test

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

var over = noon.Add(time.Minute) // RespondBy of the openings that minute returns

func (r *rig) tick(at time.Time) {
	r.t.Helper()
	r.clock.Set(at)
	require.NoError(r.t, r.service.Tick(r.t.Context(), at))
}

func TestATickOrAReadAfterRespondByEndsATransaction(t *testing.T) {
	for name, look := range map[string]func(r *rig){
		"by a tick":             func(r *rig) { r.tick(r.clock.Now()) },
		"by a read":             func(r *rig) { r.get("t") },
		"by being opened again": func(r *rig) { r.open(minute("t")) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			opened := r.open(minute("t"))
			r.clock.Set(over.Add(-time.Millisecond))
			look(r)
			require.Equal(t, opened, r.stored("t"), "before RespondBy")
			require.Empty(t, r.effects)

			r.clock.Set(over)
			look(r)
			want := opened
			want.Version, want.Status, want.Code, want.EndedAt = 2, ports.TransactionFailed, errcodes.FailureTimeout, over
			require.Equal(t, want, r.stored("t"))
			require.Equal(t, want, r.get("t"))
			assert.Equal(t, []authstate.Effect{authstate.Moved}, r.effects)

			r.tick(over.Add(time.Hour))
			look(r)
			assert.Equal(t, want, r.get("t"), "only once (I27)")
			assert.Equal(t, []string{authstate.EventOpened, authstate.EventFailed}, kinds(r.events()))
			assert.Empty(t, r.due(over.Add(24*time.Hour)), "the work is done")
		})
	}
}

func TestAnEndedTransactionDoesNotTimeOut(t *testing.T) {
	for _, o := range []failures.Outcome{failures.Success, failures.Failed, failures.Errored} {
		r := newRig(t)
		r.open(minute("t"))
		ended := r.record("t", o).Transaction
		r.tick(over)
		assert.Equal(t, ended, r.get("t"), o)
		assert.Equal(t, []authstate.Effect{authstate.Moved}, r.effects, "the timeout is not reported")
		assert.Len(t, r.events(), 2)
		assert.Empty(t, r.due(over.Add(24*time.Hour)))
		assert.Empty(t, r.background)
	}
}

func TestAReportAfterRespondByAndBeforeTheTimeoutIsApplied(t *testing.T) {
	r := newRig(t)
	r.open(minute("t"))
	r.clock.Set(over.Add(time.Second))
	assert.Equal(t, authstate.Moved, r.record("t", failures.Success).Effect)
	r.tick(over.Add(time.Minute))
	assert.Equal(t, ports.TransactionSucceeded, r.get("t").Status)
}

func TestASuccessAfterATimeoutIsALatePayment(t *testing.T) {
	r := newRig(t)
	r.open(minute("t"))
	r.tick(over)
	ended := r.get("t")
	r.clock.Set(noon) // LateAt is not before EndedAt even if the clock jumps back
	late := r.record("t", failures.Success)
	assert.Equal(t, authstate.LandedLate, late.Effect)
	want := ended
	want.Version, want.LateAt, want.LateRaw = 3, over, late.Result.Raw
	assert.Equal(t, want, late.Transaction)
	events := r.events()
	assert.Equal(t, []string{authstate.EventOpened, authstate.EventFailed, authstate.EventLatePayment}, kinds(events))
	assert.Equal(t, over, events[2].At)
}

func TestEndedAtIsNotBeforeCreatedAt(t *testing.T) {
	r := newRig(t)
	r.open(minute("t"))
	r.clock.Set(noon.Add(-time.Hour))
	assert.Equal(t, noon, r.record("t", failures.Success).Transaction.EndedAt)
}

// This holds even if more transactions are due than fit on a page.
func TestATickEndsAllTransactionsThatAreDue(t *testing.T) {
	r := newRig(t)
	for i := range 250 {
		r.open(minute(strconv.Itoa(i)))
	}
	r.open(authstate.Opening{ID: "later", Direction: errcodes.Payin, RespondBy: over.Add(time.Second)})
	r.tick(over)
	for i := range 250 {
		require.Equal(t, ports.TransactionFailed, r.stored(strconv.Itoa(i)).Status)
	}
	assert.Equal(t, ports.TransactionPending, r.stored("later").Status)
	assert.Len(t, r.due(over.Add(time.Hour)), 1)
}

// It does not block the others.
func TestATimeoutThatCannotBeStoredIsTriedAgain(t *testing.T) {
	for _, code := range []errcodes.Code{errcodes.StorageUnavailable, errcodes.OutcomeUnknown} {
		t.Run(string(code), func(t *testing.T) {
			r := newRig(t)
			r.open(minute("a"))
			r.open(minute("b"))
			saves := 0
			r.faults = func(point string) error {
				if saves++; saves == 1 || code == errcodes.OutcomeUnknown && saves <= 5 {
					return errcodes.Wrap(code, "", fmt.Errorf("at %s", point))
				}
				return nil
			}
			r.clock.Set(over)
			err := r.service.Tick(t.Context(), over)
			require.ErrorIs(t, err, code)
			require.Len(t, r.background, 1)
			require.ErrorIs(t, r.background[0], code)
			assert.Contains(t, r.log.String(), "WARN")
			assert.NotContains(t, r.log.String(), owner)
			assert.Equal(t, ports.TransactionPending, r.stored("a").Status)
			assert.Equal(t, ports.TransactionFailed, r.stored("b").Status, "the other transactions are handled")
			assert.Empty(t, r.due(over.Add(5*time.Second-time.Millisecond)))
			r.tick(over.Add(5 * time.Second))
			assert.Equal(t, ports.TransactionFailed, r.stored("a").Status)
			assert.Empty(t, r.due(over.Add(time.Hour)))
		})
	}
}

// settler records how work items are settled.
type settler struct {
	ports.Work
	mu      sync.Mutex
	settled []string
}

func (s *settler) note(call string, item ports.WorkItem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settled = append(s.settled, call+" "+item.ID)
}

func (s *settler) Done(ctx context.Context, item ports.WorkItem) error {
	s.note("done", item)
	return s.Work.Done(ctx, item)
}

func (s *settler) Retry(ctx context.Context, item ports.WorkItem, at time.Time) error {
	s.note("retry", item)
	return s.Work.Retry(ctx, item, at)
}

func (s *settler) Bury(ctx context.Context, item ports.WorkItem, reason string) error {
	s.note("bury: "+reason, item)
	return s.Work.Bury(ctx, item, reason)
}

// Also work for a transaction that is corrupt or missing. It is reported once.
func TestDamagedWorkIsBuried(t *testing.T) {
	r := newRig(t)
	bad := ports.Transaction{ID: "bad", Owner: owner, Direction: errcodes.Payin, Status: "GONE", CreatedAt: noon}
	work := func(id, payload string) ports.WorkItem {
		return ports.WorkItem{ID: id, Kind: authstate.WorkTimeout, DueAt: over, Payload: []byte(payload)}
	}
	require.NoError(t, r.store.Transactions().Save(t.Context(), ports.TransactionChange{Transaction: bad, Work: []ports.WorkItem{
		work("1", "\x04shop"), work("2", "\x04shop\x03bad!"), work("3", "\x00\x03bad"), work("4", ""),
		work("5", "\x04shop\x04none"), work("6", "\x04shop\x03bad"),
	}}))
	r.open(minute("t"))
	s := &settler{Work: r.store.Work()}
	service := r.on(r.store.Transactions(), s, r.clock)
	r.clock.Set(over)
	err := service.Tick(t.Context(), over)
	require.ErrorIs(t, err, errcodes.CorruptRecord)
	require.ErrorIs(t, err, errcodes.NotFound)
	require.Len(t, s.settled, 7)
	for i, what := range s.settled[:6] {
		assert.Equal(t, fmt.Sprintf("bury: the work is damaged, or its record is damaged or gone %d", i+1), what)
	}
	assert.Contains(t, s.settled[6], "done evt_")
	assert.Equal(t, ports.TransactionFailed, r.stored("t").Status)
	assert.Len(t, r.background, 1)
	require.NoError(t, service.Tick(t.Context(), over.Add(time.Hour)), "reported once")
}

// brokenWork fails to claim or to settle work items.
type brokenWork struct {
	ports.Work
	claim, done error
}

func (w brokenWork) Claim(ctx context.Context, kind string, now time.Time, lease time.Duration, n int) ([]ports.WorkItem, error) {
	if w.claim != nil {
		return nil, w.claim
	}
	return w.Work.Claim(ctx, kind, now, lease, n)
}

func (w brokenWork) Done(context.Context, ports.WorkItem) error { return w.done }

func TestWorkThatCannotBeClaimedOrSettledIsReported(t *testing.T) {
	full := errcodes.New(errcodes.StorageUnavailable, "")
	r := newRig(t)
	r.open(minute("t"))
	r.clock.Set(over)
	require.ErrorIs(t, r.on(r.store.Transactions(), brokenWork{claim: full}, r.clock).Tick(t.Context(), over), full)
	assert.Equal(t, ports.TransactionPending, r.stored("t").Status)
	require.ErrorIs(t, r.on(r.store.Transactions(), brokenWork{Work: r.store.Work(), done: full}, r.clock).Tick(t.Context(), over), full)
	assert.Equal(t, ports.TransactionFailed, r.stored("t").Status)
	assert.Len(t, r.background, 2)
	assert.Empty(t, r.due(over.Add(time.Minute-time.Millisecond)), "its lease")
	r.tick(over.Add(time.Minute))
	assert.Empty(t, r.due(over.Add(time.Hour)))
	assert.Equal(t, []string{authstate.EventOpened, authstate.EventFailed}, kinds(r.events()))
}

func TestACancelledTickIsNotReportedAsAFailure(t *testing.T) {
	r := newRig(t)
	r.open(minute("t"))
	r.clock.Set(over)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, r.service.Tick(ctx, over), context.Canceled)
	assert.Empty(t, r.background)
	assert.Empty(t, r.log.String())
}

func TestRunTicksUntilStop(t *testing.T) {
	r := newRig(t)
	r.open(minute("t"))
	r.open(authstate.Opening{ID: "u", Direction: errcodes.Payin, RespondBy: over.Add(time.Second)})
	r.clock.Set(over)
	var running sync.WaitGroup
	running.Go(func() { assert.NoError(t, r.service.Run(t.Context())) })
	r.clock.BlockUntil(1)
	assert.Equal(t, ports.TransactionFailed, r.stored("t").Status, "at once")
	assert.Equal(t, ports.TransactionPending, r.stored("u").Status)
	r.clock.Advance(authstate.DefaultEvery)
	r.clock.BlockUntil(1)
	assert.Equal(t, ports.TransactionFailed, r.stored("u").Status)
	require.NoError(t, r.service.Stop(t.Context()))
	running.Wait()
	require.NoError(t, r.service.Run(t.Context()), "a stopped service does not run")
	require.NoError(t, r.service.Stop(t.Context()), "a second time")
	r.open(authstate.Opening{ID: "v", Direction: errcodes.Payin})
	assert.Equal(t, authstate.Moved, r.record("v", failures.Success).Effect, "the other methods work after Stop")
}

func TestRunEndsWithItsContext(t *testing.T) {
	r := newRig(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, r.service.Run(ctx), context.Canceled)
}

// stopper stops the service in the middle of a page.
type stopper struct {
	ports.Work
	once sync.Once
	stop func()
}

func (c *stopper) Done(ctx context.Context, item ports.WorkItem) error {
	c.once.Do(c.stop)
	return c.Work.Done(ctx, item)
}

func TestATickEndsAfterItsPageOnceStopWasCalled(t *testing.T) {
	r := newRig(t)
	for i := range 250 {
		r.open(minute(strconv.Itoa(i)))
	}
	work := &stopper{Work: r.store.Work()}
	service := r.on(r.store.Transactions(), work, r.clock)
	work.stop = func() { assert.NoError(t, service.Stop(t.Context())) } // returns at once, since Run is not running
	r.clock.Set(over)
	require.NoError(t, service.Tick(t.Context(), over))
	assert.Len(t, r.due(over), 150)
}
