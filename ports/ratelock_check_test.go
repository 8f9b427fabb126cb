package ports_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// lockOf returns an active lock that lasts an hour.
func lockOf(id string, created time.Time) ports.RateLock {
	return ports.RateLock{
		ID: id, Owner: "acme", Base: "USD", Quote: "ZAR", MidRate: "18.25", MarkupBps: 150, AllInRate: "18.52375",
		CreatedAt: created, ExpiresAt: created.Add(time.Hour), Status: ports.LockActive,
	}
}

func expired(l ports.RateLock) ports.RateLock {
	l.Status, l.EndedAt = ports.LockExpired, l.ExpiresAt
	return l
}

func cancelled(l ports.RateLock) ports.RateLock {
	l.Status, l.CancellationReason, l.EndedAt = ports.LockCancelled, ports.CancelledRequested, l.CreatedAt.Add(time.Minute)
	return l
}

func drifted(l ports.RateLock) ports.RateLock {
	l.Status, l.CancellationReason, l.EndedAt = ports.LockCancelled, ports.CancelledMarketDrift, l.CreatedAt.Add(time.Minute)
	l.ObservedMid, l.DeviationBps = "18.80", 301
	return l
}

func TestRecordsThatALockCanHavePassCheck(t *testing.T) {
	for name, change := range map[string]func(*ports.RateLock){
		"active":                        func(*ports.RateLock) {},
		"expired":                       func(l *ports.RateLock) { *l = expired(*l) },
		"cancelled":                     func(l *ports.RateLock) { *l = cancelled(*l) },
		"cancelled at createdAt":        func(l *ports.RateLock) { *l = cancelled(*l); l.EndedAt = l.CreatedAt },
		"cancelled in its last instant": func(l *ports.RateLock) { *l = cancelled(*l); l.EndedAt = l.ExpiresAt.Add(-time.Millisecond) },
		"drifted":                       func(l *ports.RateLock) { *l = drifted(*l) },
		"drifted by less than half a basis point": func(l *ports.RateLock) { *l = drifted(*l); l.DeviationBps = 0 },
		"without an owner":                        func(l *ports.RateLock) { l.Owner = "" },
		"at the highest markup":                   func(l *ports.RateLock) { l.MarkupBps, l.AllInRate = ports.MaxMarkupBps, "200.75" },
		"without a markup":                        func(l *ports.RateLock) { l.MarkupBps, l.AllInRate = 0, "18.25" },
		"with an all-in rate of 24 bytes": func(l *ports.RateLock) {
			l.MidRate, l.MarkupBps, l.AllInRate = "1234567.890123456789", 1, "1234691.3469124691346789"
		},
		"with an all-in rate beyond a machine word": func(l *ports.RateLock) {
			l.MidRate, l.MarkupBps, l.AllInRate = "123456.78901234", 99999, "1358012.333456838766"
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := lockOf("rl_1", noon)
			change(&l)
			require.NoError(t, l.Check())
		})
	}
}

func TestCheckNamesTheFieldOfAnImpossibleRecord(t *testing.T) {
	type damage = func(*ports.RateLock)
	for field, flaws := range map[string]map[string]damage{
		"id": {"empty": func(l *ports.RateLock) { l.ID = "" }},
		"base and quote": {
			"one currency": func(l *ports.RateLock) { l.Quote = l.Base },
			"no base":      func(l *ports.RateLock) { l.Base = "" },
			"no quote":     func(l *ports.RateLock) { l.Quote = "" },
		},
		"expiresAt": {
			"at createdAt":                        func(l *ports.RateLock) { l.ExpiresAt = l.CreatedAt },
			"within createdAt's millisecond":      func(l *ports.RateLock) { l.ExpiresAt = l.CreatedAt.Add(time.Millisecond - 1) },
			"before createdAt in an expired lock": func(l *ports.RateLock) { *l = expired(*l); l.ExpiresAt = l.CreatedAt.Add(-1) },
		},
		"status": {
			"empty":   func(l *ports.RateLock) { l.Status = "" },
			"unknown": func(l *ports.RateLock) { *l = cancelled(*l); l.Status = "paused" },
		},
		"cancellationReason": {
			"of an active lock":         func(l *ports.RateLock) { l.CancellationReason = ports.CancelledRequested },
			"of an expired lock":        func(l *ports.RateLock) { *l = expired(*l); l.CancellationReason = ports.CancelledRequested },
			"missing":                   func(l *ports.RateLock) { *l = cancelled(*l); l.CancellationReason = "" },
			"unknown":                   func(l *ports.RateLock) { *l = cancelled(*l); l.CancellationReason = "boredom" },
			"unknown in an active lock": func(l *ports.RateLock) { l.CancellationReason = "boredom" },
		},
		"endedAt": {
			"of an active lock":                   func(l *ports.RateLock) { l.EndedAt = l.ExpiresAt },
			"missing":                             func(l *ports.RateLock) { *l = cancelled(*l); l.EndedAt = time.Time{} },
			"missing in an expired lock":          func(l *ports.RateLock) { *l = expired(*l); l.EndedAt = time.Time{} },
			"before createdAt":                    func(l *ports.RateLock) { *l = cancelled(*l); l.EndedAt = l.CreatedAt.Add(-time.Millisecond) },
			"at expiresAt of a cancelled lock":    func(l *ports.RateLock) { *l = cancelled(*l); l.EndedAt = l.ExpiresAt },
			"before expiresAt of an expired lock": func(l *ports.RateLock) { *l = expired(*l); l.EndedAt = l.ExpiresAt.Add(-time.Millisecond) },
		},
		"observedMid": {
			"of a lock cancelled on request": func(l *ports.RateLock) { *l = cancelled(*l); l.ObservedMid = "19" },
			"of an active lock":              func(l *ports.RateLock) { l.ObservedMid = "19" },
			"missing":                        func(l *ports.RateLock) { *l = drifted(*l); l.ObservedMid = "" },
		},
		"deviationBps": {"of a lock cancelled on request": func(l *ports.RateLock) { *l = cancelled(*l); l.DeviationBps = 1 }},
		"allInRate": {
			"empty":                     func(l *ports.RateLock) { l.AllInRate = "" },
			"without the markup":        func(l *ports.RateLock) { l.AllInRate = "18.25" },
			"padded":                    func(l *ports.RateLock) { l.AllInRate += "0" },
			"longer and padded":         func(l *ports.RateLock) { l.MidRate, l.AllInRate = "1234567.890123456789", "1253086.408475308640835000" },
			"of a negative markup":      func(l *ports.RateLock) { l.MarkupBps, l.AllInRate = -1, "18.248175" },
			"of too high a markup":      func(l *ports.RateLock) { l.MarkupBps, l.AllInRate = ports.MaxMarkupBps+1, "200.751825" },
			"beyond 64 bits":            func(l *ports.RateLock) { l.MidRate, l.MarkupBps, l.AllInRate = "1", 0, "1152921504606846977" }, // 1 + 2⁶⁰
			"of a mid of 0":             func(l *ports.RateLock) { l.MidRate, l.MarkupBps, l.AllInRate = "0", 0, "0" },
			"of a mid in exponent form": func(l *ports.RateLock) { l.MidRate, l.MarkupBps, l.AllInRate = "1e1", 0, "10" },
		},
	} {
		for name, spoil := range flaws {
			t.Run(field+" "+name, func(t *testing.T) {
				l := lockOf("rl_1", noon)
				spoil(&l)
				err := l.Check()
				require.Equal(t, errcodes.CorruptRecord, errcodes.Of(err))
				require.ErrorContains(t, err, "a rate lock's "+field+" ")
			})
		}
	}
}

func TestCheckRejectsImpossibleBooks(t *testing.T) {
	first, second := lockOf("lock-1", noon), lockOf("lock-2", noon.Add(time.Millisecond))
	for name, spoil := range map[string]func(b *ports.Book){
		"a negative version":          func(b *ports.Book) { b.Version = -1 },
		"another owner's lock":        func(b *ports.Book) { b.Slots[1].Owner = "zenith" },
		"another base's lock":         func(b *ports.Book) { b.Slots[0].Base = "EUR" },
		"another quote's lock":        func(b *ports.Book) { b.Slots[1].Quote = "NGN" },
		"an ended lock":               func(b *ports.Book) { b.Slots[1] = expired(b.Slots[1]) },
		"locks of one millisecond":    func(b *ports.Book) { b.Slots[1].CreatedAt = first.CreatedAt.Add(time.Millisecond - 1) },
		"a lock above the high water": func(b *ports.Book) { b.HighWater = first.CreatedAt },
		"no high water":               func(b *ports.Book) { b.HighWater = time.Time{} },
		"a lock after an empty slot":  func(b *ports.Book) { b.Slots[0] = ports.RateLock{} },
	} {
		t.Run(name, func(t *testing.T) {
			b := ports.Book{Key: first.Book(), HighWater: second.CreatedAt, Slots: [ports.MaxLiveLocks]ports.RateLock{first, second}}
			require.NoError(t, b.Check())
			spoil(&b)
			require.Equal(t, errcodes.CorruptRecord, errcodes.Of(b.Check()))
		})
	}
}

// The stores' suites have a check for each impossible record; these are other cases.
func TestCheckRejectsImpossibleChanges(t *testing.T) {
	t.Parallel()
	old, other, minted := lockOf("lock-0", noon.Add(-time.Minute)), lockOf("lock-1", noon), lockOf("lock-2", noon.Add(time.Millisecond))
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
		"a sound change":  {func(*ports.RateLockChange) {}, ""},
		"nothing minted":  {func(c *ports.RateLockChange) { c.Minted = nil }, ""},
		"two ended locks": {func(c *ports.RateLockChange) { c.Ended = append(c.Ended, cancelled(lockOf("lock-3", noon))) }, ""},
		"three ended locks": {func(c *ports.RateLockChange) {
			c.Ended = append(c.Ended, expired(lockOf("a", noon)), expired(lockOf("b", noon)))
		}, errcodes.Conflict},
		"an ended lock of another owner": {func(c *ports.RateLockChange) { c.Ended[0].Owner = "zenith" }, errcodes.CorruptRecord},
		"an ended lock of another base":  {func(c *ports.RateLockChange) { c.Ended[0].Base = "EUR" }, errcodes.CorruptRecord},
		"an ended lock of another quote": {func(c *ports.RateLockChange) { c.Ended[0].Quote = "NGN" }, errcodes.CorruptRecord},
		"an active end":                  {func(c *ports.RateLockChange) { c.Ended[0] = old }, errcodes.CorruptRecord},
		"an impossible ended lock":       {func(c *ports.RateLockChange) { c.Ended[0].EndedAt = noon }, errcodes.CorruptRecord},
		"an impossible lock in a slot":   {func(c *ports.RateLockChange) { c.Book.Slots[0].AllInRate = "18" }, errcodes.CorruptRecord},
		"another owner in a slot":        {func(c *ports.RateLockChange) { c.Book.Slots[1].Owner = "zenith" }, errcodes.CorruptRecord},
		"minted as the first of two":     {func(c *ports.RateLockChange) { c.Minted = &other }, errcodes.CorruptRecord},
		"minted and in no slot":          {func(c *ports.RateLockChange) { c.Book.Slots = [ports.MaxLiveLocks]ports.RateLock{} }, errcodes.CorruptRecord},
		"minted with another source":     {func(c *ports.RateLockChange) { c.Book.Slots[1].MidSource = "file" }, errcodes.CorruptRecord},
		"an id in both slots":            {func(c *ports.RateLockChange) { c.Book.Slots[0].ID = minted.ID }, errcodes.Conflict},
		"an ended lock in a slot":        {func(c *ports.RateLockChange) { c.Ended[0].ID = other.ID }, errcodes.Conflict},
		"an ended lock twice":            {func(c *ports.RateLockChange) { c.Ended = append(c.Ended, c.Ended[0]) }, errcodes.Conflict},
		"a lock in an emptied slot":      {func(c *ports.RateLockChange) { c.Minted, c.Book.Slots[1].ID = nil, "" }, ""},
		"many events and items":          {func(c *ports.RateLockChange) { c.Events, c.Work = many(40) }, ""},
		"two events of 40 with one id": {func(c *ports.RateLockChange) {
			c.Events, _ = many(40)
			c.Events[39].ID = "0"
		}, errcodes.Conflict},
		"two work items of 40 with one id": {func(c *ports.RateLockChange) {
			_, c.Work = many(40)
			c.Work[20].ID = "5"
		}, errcodes.Conflict},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fresh := minted
			change := ports.RateLockChange{
				Book:   ports.Book{Key: old.Book(), HighWater: minted.CreatedAt, Slots: [ports.MaxLiveLocks]ports.RateLock{other, minted}},
				Minted: &fresh, Ended: []ports.RateLock{expired(old)},
			}
			c.spoil(&change)
			require.Equal(t, c.code, errcodes.Of(change.Check()))
		})
	}
}
