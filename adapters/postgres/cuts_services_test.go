package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
)

// serviceChange is a change whose outcome ratelock.Service resolves itself.
type serviceChange struct {
	name   string
	locks  int  // minted before the change
	cancel bool // cancels the last of them; otherwise one is minted
	live   int  // live locks after the change
}

var serviceChanges = []serviceChange{
	{name: "create the first lock", live: 1},
	{name: "create the second lock", locks: 1, live: 2},
	{name: "cancel", locks: 2, cancel: true, live: 1},
}

// I1, I10, I32: ratelock.Service finds out the outcome of a change whose connection was
// cut, or repeats the change: its caller gets what was stored.
func TestTheServiceResolvesCutWrites(t *testing.T) {
	t.Parallel()
	c := newCutting(t)
	clock := portstest.NewClock(epoch)
	for _, change := range serviceChanges {
		for _, mode := range cutModes[:2] {
			for k, cut := 1, true; cut; k += *cutStride {
				cut = c.settled(t, clock, change, mode.fault(k))
			}
		}
	}
}

// settled makes a change with one cut. It returns false if the cut did not happen.
func (c *cutting) settled(t *testing.T, clock ports.Clock, change serviceChange, fault pgtest.Fault) (cut bool) {
	t.Helper()
	c.empty(t)
	var last ports.RateLock
	var err error
	for range change.locks {
		last, _, err = lockService(t, c.plain, clock).Create(t.Context(), "acme", usdZAR)
		require.NoError(t, err)
	}
	locks := lockService(t, c.cut, clock)
	c.pool.Reset()
	_, _, err = locks.Create(t.Context(), "warm", usdZAR)
	require.NoError(t, err)
	armed := c.proxy.Arm(fault)
	minted := true
	if change.cancel {
		last, err = locks.Cancel(t.Context(), "acme", last.ID)
	} else {
		last, minted, err = locks.Create(t.Context(), "acme", usdZAR)
	}
	if cut = armed.Disarm(); cut {
		armed.Wait()
	}
	require.NoError(t, err, "%s, %+v", change.name, fault)
	require.True(t, minted, "%s, %+v", change.name, fault)
	c.requireSettled(t, last, change.live)
	return cut
}

// requireSettled checks that the lock is stored as returned, and its event once.
func (c *cutting) requireSettled(tb testing.TB, l ports.RateLock, live int) {
	tb.Helper()
	stored, book, err := c.plain.RateLocks().Lock(tb.Context(), l.Owner, l.ID)
	require.NoError(tb, err)
	require.Equal(tb, l.Status, stored.Status)
	require.Equal(tb, l.AllInRate, stored.AllInRate)
	require.Len(tb, book.Live(), live)
	kind := "rate_lock.minted"
	if l.Status == ports.LockCancelled {
		kind = "rate_lock.cancelled"
	}
	var count int
	err = c.beside.QueryRow(tb.Context(), "SELECT count(*) FROM corridor.events WHERE key = $1 AND kind = $2", []byte(l.ID), kind).Scan(&count)
	require.NoError(tb, err)
	require.Equal(tb, 1, count, "I32")
}

// A read is repeated on another connection.
func TestReadsSurviveCuts(t *testing.T) {
	t.Parallel()
	c := newCutting(t)
	require.NoError(t, c.plain.RateLocks().Save(t.Context(), withWork("sweep")))
	want := bookOf(t, c.plain, "acme")
	for name, read := range map[string]func() error{
		"a book": func() error {
			require.Equal(t, want, bookOf(t, c.cut, "acme"))
			return nil
		},
		"a listing": func() error {
			due, err := c.cut.RateLocks().List(t.Context(), ports.LockQuery{DueBy: epoch.AddDate(1, 0, 0), Limit: 10})
			require.Len(t, due, 1)
			return err
		},
		"a ping": func() error { return c.cut.Ping(t.Context()) },
	} {
		for _, mode := range cutModes[:2] {
			for k, cut := 1, true; cut; k += *cutStride {
				c.pool.Reset()
				require.NoError(t, read())
				armed := c.proxy.Arm(mode.fault(k))
				require.NoError(t, read(), "%s, %s %d", name, mode.name, k)
				cut = armed.Disarm()
			}
		}
	}
	c.proxy.Arm(pgtest.Fault{})
}
