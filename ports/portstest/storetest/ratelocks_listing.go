package storetest

import (
	"slices"
	"time"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// listingChecks: what drift and expiry find.
var listingChecks = []storeCheck{
	{"Live lists the active locks of the pair, of every owner", liveOfPair},
	{"Live is ordered by creation, then id", liveOrder},
	{"Live pages without a gap or a repeat", livePages},
	{"Live takes Since to include its instant", liveSince},
	{"Due lists the active locks of every pair that expire by the instant", dueOfAll},
	{"Due is ordered by expiry, then id", dueOrder},
	{"Due pages without a gap or a repeat", duePages},
	{"an ended lock leaves the listings", endedUnlisted},
	{"a listed lock has every field", listedWhole},
}

// spread mints one lock for each id in a book of its own: the listings' order
// is neither the order of the saves nor that of the ids.
func (k *storeKit) spread(pair ports.Pair, at func(i int) time.Time, ids ...string) {
	k.Helper()
	for i, id := range ids {
		key := ports.BookKey{Owner: "owner of " + id, Pair: pair}
		k.mint(key, id, at(i))
	}
}

func (k *storeKit) live(q ports.LiveQuery) []string {
	k.Helper()
	if q.Limit == 0 {
		q.Limit = 1000
	}
	locks, err := k.RateLocks.Live(k.Context(), q)
	k.OK(err, "Live")
	return ids(locks)
}

func (k *storeKit) due(q ports.DueQuery) []string {
	k.Helper()
	if q.Limit == 0 {
		q.Limit = 1000
	}
	locks, err := k.RateLocks.Due(k.Context(), q)
	k.OK(err, "Due")
	return ids(locks)
}

func ids(locks []ports.RateLock) []string {
	out := []string{}
	for _, l := range locks {
		out = append(out, l.ID)
	}
	return out
}

func sameTime(int) time.Time { return kit.Epoch }

// mixed puts pairs of ids at one instant, later pairs at earlier instants.
func mixed(i int) time.Time { return kit.Epoch.Add(-time.Duration(i/2) * time.Millisecond) }

var (
	mixedIDs   = []string{"m", "B", "z", "a", "k", "b"}
	mixedOrder = []string{"b", "k", "a", "z", "B", "m"}
)

func liveOfPair(k *storeKit) {
	k.Same(k.live(ports.LiveQuery{Pair: usdZAR}), []string{}, "Live of an empty store")
	k.spread(usdZAR, sameTime, "a", "b")
	k.spread(usdZAR.Inverse(), sameTime, "c")
	k.spread(ports.Pair{Base: "USD", Quote: "NGN"}, sameTime, "d")
	k.spread(ports.Pair{Base: "GBP", Quote: "ZAR"}, sameTime, "e")
	k.mint(keyOf("owner of a"), "a2", kit.Epoch.Add(time.Millisecond))
	k.Same(k.live(ports.LiveQuery{Pair: usdZAR}), []string{"a", "b", "a2"}, "Live of USD/ZAR")
	k.Same(k.live(ports.LiveQuery{Pair: usdZAR.Inverse()}), []string{"c"}, "Live of ZAR/USD")
}

func liveOrder(k *storeKit) {
	k.spread(usdZAR, mixed, mixedIDs...)
	k.Same(k.live(ports.LiveQuery{Pair: usdZAR}), mixedOrder, "Live")
}

// lister reads one page of a listing.
type lister struct {
	read func(after ports.LockPos, limit int) ([]ports.RateLock, error)
	pos  func(l ports.RateLock) ports.LockPos
}

// pages reads a listing in pages of two and hands each page to then.
func (k *storeKit) pages(of lister, then func(page []ports.RateLock)) []string {
	k.Helper()
	return readPages(k, of.read, of.pos, ids, then)
}

// tied are ids of which the first five share one instant, so that a page ends
// between equals.
var tied = []string{"m", "b", "z", "a", "k", "c"}

// wholePages reads all pages twice: the listing at rest, and while each lock
// ends once it was read, so that the place that a page starts from is gone.
func (k *storeKit) wholePages(of lister) {
	k.Helper()
	k.spread(usdZAR, func(i int) time.Time { return kit.Epoch.Add(time.Duration(i/5) * time.Millisecond) }, tied...)
	want := []string{"a", "b", "k", "m", "z", "c"}
	k.Same(k.pages(of, func([]ports.RateLock) {}), want, "all pages")
	got := k.pages(of, func(page []ports.RateLock) {
		for _, l := range page {
			k.save(k.end(k.book(l.Book()), l.ID, cancelledAt(l.CreatedAt)))
		}
	})
	k.Same(got, want, "all pages, while what was read ends")
}

func livePages(k *storeKit) {
	k.wholePages(lister{
		read: func(after ports.LockPos, limit int) ([]ports.RateLock, error) {
			return k.RateLocks.Live(k.Context(), ports.LiveQuery{Pair: usdZAR, After: after, Limit: limit})
		},
		pos: func(l ports.RateLock) ports.LockPos { return ports.LockPos{At: l.CreatedAt, ID: l.ID} },
	})
}

func liveSince(k *storeKit) {
	k.spread(usdZAR, func(i int) time.Time { return kit.Epoch.Add(time.Duration(i) * time.Millisecond) }, "d", "c", "b", "a")
	since := kit.Epoch.Add(time.Millisecond)
	k.Same(k.live(ports.LiveQuery{Pair: usdZAR, Since: since}), []string{"c", "b", "a"}, "Live since the second lock")
	k.Same(k.live(ports.LiveQuery{Pair: usdZAR, Since: since, Limit: 2}), []string{"c", "b"}, "the first page since the second lock")
	behind := ports.LockPos{At: kit.Epoch.Add(2 * time.Millisecond), ID: "b"}
	k.Same(k.live(ports.LiveQuery{Pair: usdZAR, Since: since, After: behind}), []string{"a"}, "a page after a lock behind Since")
	before := ports.LockPos{At: kit.Epoch, ID: "d"}
	k.Same(k.live(ports.LiveQuery{Pair: usdZAR, Since: behind.At, After: before}), []string{"b", "a"}, "a page after a lock before Since")
}

func dueOfAll(k *storeKit) {
	by := kit.Epoch.Add(time.Hour)
	k.Same(k.due(ports.DueQuery{By: by}), []string{}, "Due of an empty store")
	k.spread(usdZAR, sameTime, "a")
	k.spread(usdZAR.Inverse(), sameTime, "b")
	k.spread(usdZAR, func(int) time.Time { return kit.Epoch.Add(time.Millisecond) }, "late")
	k.Same(k.due(ports.DueQuery{By: by.Add(-time.Millisecond)}), []string{}, "Due before the first expiry")
	k.Same(k.due(ports.DueQuery{By: by}), []string{"a", "b"}, "Due at the instant of expiry")
	k.Same(k.due(ports.DueQuery{By: by.Add(time.Millisecond)}), []string{"a", "b", "late"}, "Due of all")
}

func dueOrder(k *storeKit) {
	k.spread(usdZAR, mixed, mixedIDs...)
	k.Same(k.due(ports.DueQuery{By: kit.Epoch.Add(time.Hour)}), mixedOrder, "Due")
}

func duePages(k *storeKit) {
	k.wholePages(lister{
		read: func(after ports.LockPos, limit int) ([]ports.RateLock, error) {
			return k.RateLocks.Due(k.Context(), ports.DueQuery{By: kit.Epoch.AddDate(0, 0, 1), After: after, Limit: limit})
		},
		pos: func(l ports.RateLock) ports.LockPos { return ports.LockPos{At: l.ExpiresAt, ID: l.ID} },
	})
}

func endedUnlisted(k *storeKit) {
	key := keyOf("acme")
	k.mint(key, "lock-1", kit.Epoch)
	b := k.mint(key, "lock-2", kit.Epoch.Add(time.Millisecond))
	for _, step := range []struct {
		id   string
		how  ending
		left []string
	}{
		{"lock-1", cancelledAt(kit.Epoch.Add(time.Second)), []string{"lock-2"}},
		{"lock-2", expired, []string{}},
	} {
		b = k.save(k.end(b, step.id, step.how))
		k.Same(k.live(ports.LiveQuery{Pair: usdZAR}), step.left, "Live after the end of "+step.id)
		k.Same(k.due(ports.DueQuery{By: kit.Epoch.AddDate(1, 0, 0)}), step.left, "Due after the end of "+step.id)
	}
}

func listedWhole(k *storeKit) {
	want := activeLock(keyOf("acme"), "lock-1", kit.Epoch)
	k.save(mint(k.book(keyOf("acme")), want))
	live, err := k.RateLocks.Live(k.Context(), ports.LiveQuery{Pair: usdZAR, Limit: 10_000})
	k.OK(err, "Live")
	due, err := k.RateLocks.Due(k.Context(), ports.DueQuery{By: want.ExpiresAt, Limit: 10_000})
	k.OK(err, "Due")
	for _, got := range slices.Concat(live, due) {
		k.Same(got, want, "a listed lock")
	}
	k.Same([]int{len(live), len(due)}, []int{1, 1}, "the lengths of the listings")
}
