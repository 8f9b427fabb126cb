package ports_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// TestChangesThatNoStoreTakes has what the stores' suites leave out: they have a
// check for each impossible record.
func TestChangesThatNoStoreTakes(t *testing.T) {
	t.Parallel()
	created := time.Date(2026, time.November, 20, 15, 0, 0, 0, time.UTC)
	lock := ports.RateLock{
		ID: "lock-1", Owner: "acme", Base: "USD", Quote: "ZAR", CreatedAt: created, ExpiresAt: created.Add(time.Hour), Status: ports.LockActive,
	}
	other := lock
	other.ID = "lock-2"
	many := func(n int) (events []ports.Event, work []ports.WorkItem) {
		for i := range n {
			events = append(events, ports.Event{ID: strconv.Itoa(i)})
			work = append(work, ports.WorkItem{ID: strconv.Itoa(i)})
		}
		return events, work
	}
	for name, c := range map[string]struct {
		spoil func(c *ports.RateLockChange)
		code  errcodes.Code
	}{
		"nothing wrong":               {func(*ports.RateLockChange) {}, ""},
		"another owner":               {func(c *ports.RateLockChange) { c.Locks[1].Owner = "zenith" }, errcodes.InvalidRequest},
		"another base":                {func(c *ports.RateLockChange) { c.Locks[1].Base = "EUR" }, errcodes.InvalidRequest},
		"another quote":               {func(c *ports.RateLockChange) { c.Locks[1].Quote = "NGN" }, errcodes.InvalidRequest},
		"another owner in a slot":     {func(c *ports.RateLockChange) { c.Book.Slots[1].Owner = "zenith" }, errcodes.InvalidRequest},
		"a lock in both slots":        {func(c *ports.RateLockChange) { c.Book.Slots[1] = lock }, errcodes.Conflict},
		"a lock twice":                {func(c *ports.RateLockChange) { c.Locks[1] = lock }, errcodes.Conflict},
		"an empty slot with the rest": {func(c *ports.RateLockChange) { c.Book.Slots[1].ID = "" }, ""},
		"many events and items":       {func(c *ports.RateLockChange) { c.Events, c.Work = many(40) }, ""},
		"an event twice in many": {func(c *ports.RateLockChange) {
			c.Events, _ = many(40)
			c.Events[39].ID = "0"
		}, errcodes.Conflict},
		"an item twice in many": {func(c *ports.RateLockChange) {
			_, c.Work = many(40)
			c.Work[20].ID = "5"
		}, errcodes.Conflict},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			change := ports.RateLockChange{
				Book:  ports.Book{Key: lock.Book(), Slots: [ports.MaxLiveLocks]ports.RateLock{lock, other}},
				Locks: []ports.RateLock{lock, other},
			}
			c.spoil(&change)
			require.Equal(t, c.code, errcodes.Of(change.Check()))
		})
	}
}

func TestCheckingAChangeAllocatesNothing(t *testing.T) {
	created := time.Date(2026, time.November, 20, 15, 0, 0, 0, time.UTC)
	lock := ports.RateLock{
		ID: "lock-1", Owner: "acme", Base: "USD", Quote: "ZAR", CreatedAt: created, ExpiresAt: created.Add(time.Hour), Status: ports.LockActive,
	}
	change := ports.RateLockChange{
		Book: ports.Book{Key: lock.Book(), Slots: [ports.MaxLiveLocks]ports.RateLock{lock}}, Locks: []ports.RateLock{lock},
		Events: []ports.Event{{ID: "a"}, {ID: "b"}}, Work: []ports.WorkItem{{ID: "a"}},
	}
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if change.Check() != nil {
			t.Fatal("it is sound")
		}
	}))
}
