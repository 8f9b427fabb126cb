package storetest

import (
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// listingChecks check the listings that drift, expiry and owners use.
var listingChecks = []storeCheck{
	{"a pair's listing has its active locks, of every owner", func(k *storeKit) {
		k.Same(k.list(ports.LockQuery{Pair: usdZAR}), []string{}, "the listing of a pair in an empty store")
		k.spread(ownerEach(usdZAR), sameTime, "a", "b")
		k.spread(ownerEach(usdZAR.Inverse()), sameTime, "c")
		k.spread(ownerEach(ports.Pair{Base: "USD", Quote: "NGN"}), sameTime, "d")
		k.spread(ownerEach(ports.Pair{Base: "GBP", Quote: "ZAR"}), sameTime, "e")
		k.mint(keyOf("owner of a"), "a2", kit.Epoch.Add(time.Millisecond))
		k.Same(k.list(ports.LockQuery{Pair: usdZAR}), []string{"a", "b", "a2"}, "the listing of USD/ZAR")
		k.Same(k.list(ports.LockQuery{Pair: usdZAR.Inverse()}), []string{"c"}, "the listing of ZAR/USD")
	}},
	{"a pair's listing is ordered by creation, then id", func(k *storeKit) {
		k.spread(ownerEach(usdZAR), mixed, mixedIDs...)
		k.Same(k.list(ports.LockQuery{Pair: usdZAR}), mixedOrder, "the listing")
	}},
	{"a pair's listing pages without a gap or a repeat", func(k *storeKit) { k.wholePages(ownerEach(usdZAR), ports.LockQuery{Pair: usdZAR}) }},
	{"Since is included", listingSince},
	{"the listing of due locks has the active locks of every pair that expire by the time", func(k *storeKit) {
		by := kit.Epoch.Add(time.Hour)
		k.Same(k.list(ports.LockQuery{DueBy: by}), []string{}, "the due locks of an empty store")
		k.spread(ownerEach(usdZAR), sameTime, "a")
		k.spread(ownerEach(usdZAR.Inverse()), sameTime, "b")
		k.spread(ownerEach(usdZAR), func(int) time.Time { return kit.Epoch.Add(time.Millisecond) }, "late")
		k.Same(k.list(ports.LockQuery{DueBy: by.Add(-time.Millisecond)}), []string{}, "the locks due before the first expiry")
		k.Same(k.list(ports.LockQuery{DueBy: by}), []string{"a", "b"}, "the locks due at the time of an expiry")
		k.Same(k.list(ports.LockQuery{DueBy: by.Add(time.Millisecond)}), []string{"a", "b", "late"}, "the locks due after all expiries")
	}},
	{"the listing of due locks is ordered by expiry, then id", func(k *storeKit) {
		k.spread(ownerEach(usdZAR), mixed, mixedIDs...)
		k.Same(k.list(ports.LockQuery{DueBy: kit.Epoch.Add(time.Hour)}), mixedOrder, "the due locks")
	}},
	{"the listing of due locks pages without a gap or a repeat", func(k *storeKit) {
		k.wholePages(ownerEach(usdZAR), ports.LockQuery{DueBy: kit.Epoch.AddDate(0, 0, 1)})
	}},
	{"an owner's listing has all of its locks, of every pair and status", listingOfOwner},
	{"an owner's listing is ordered by creation, then id", func(k *storeKit) {
		k.spread(pairEach, mixed, mixedIDs...)
		k.Same(k.list(ports.LockQuery{Owner: "acme"}), mixedOrder, "the owner's listing")
	}},
	{"an owner's listing pages without a gap or a repeat", func(k *storeKit) { k.wholePages(pairEach, ports.LockQuery{Owner: "acme"}) }},
	{"an ended lock leaves the listings of active locks", endedUnlisted},
	{"a listed lock has every field", func(k *storeKit) {
		want := activeLock(keyOf("acme"), "lock-1", kit.Epoch)
		b := k.save(mint(k.book(keyOf("acme")), want))
		owned := ports.LockQuery{Owner: "acme", Limit: ports.MaxPage}
		for _, q := range []ports.LockQuery{{Pair: usdZAR, Limit: ports.MaxPage}, {DueBy: want.ExpiresAt, Limit: ports.MaxPage}, owned} {
			k.Same(kit.Got(k.RateLocks.List(k.Context(), q)).OK(k, "List"), []ports.RateLock{want}, "a listed lock")
		}
		change := k.end(b, want.ID, driftedAt(kit.Epoch.Add(time.Second), "17.9000", -324))
		k.save(change)
		k.Same(kit.Got(k.RateLocks.List(k.Context(), owned)).OK(k, "List"), change.Ended, "an ended lock in its owner's listing")
	}},
	{"a query selects one listing and has a limit of 1 to 10,000", listingBounds},
}

type keyOfID func(id string) ports.BookKey

func ownerEach(pair ports.Pair) keyOfID {
	return func(id string) ports.BookKey { return ports.BookKey{Owner: "owner of " + id, Pair: pair} }
}

func pairEach(id string) ports.BookKey {
	return ports.BookKey{Owner: "acme", Pair: ports.Pair{Base: "USD", Quote: "of " + id}}
}

// spread mints one lock for each id, each in a different book. The order of the
// listings is neither that of the saves nor that of the ids.
func (k *storeKit) spread(key keyOfID, at func(i int) time.Time, ids ...string) {
	for i, id := range ids {
		k.mint(key(id), id, at(i))
	}
}

// list reads a page of up to q.Limit locks, or up to 1,000 if that is 0.
func (k *storeKit) list(q ports.LockQuery) []string {
	if q.Limit == 0 {
		q.Limit = 1000
	}
	return ids(kit.Got(k.RateLocks.List(k.Context(), q)).OK(k, "List"))
}

func ids(locks []ports.RateLock) []string {
	out := []string{}
	for _, l := range locks {
		out = append(out, l.ID)
	}
	return out
}

func sameTime(int) time.Time { return kit.Epoch }

// mixed returns the same time for each pair of ids, and earlier times for later pairs.
func mixed(i int) time.Time { return kit.Epoch.Add(-time.Duration(i/2) * time.Millisecond) }

var (
	mixedIDs   = []string{"m", "B", "z", "a", "k", "b"}
	mixedOrder = []string{"b", "k", "a", "z", "B", "m"}
)

func (k *storeKit) pages(q ports.LockQuery, then func(page []ports.RateLock)) []string {
	return readPages(k, func(after ports.Pos, limit int) ([]ports.RateLock, error) {
		q.After, q.Limit = after, limit
		return k.RateLocks.List(k.Context(), q)
	}, func(l ports.RateLock) ports.Pos {
		if !q.DueBy.IsZero() {
			return ports.Pos{At: l.ExpiresAt, ID: l.ID}
		}
		return ports.Pos{At: l.CreatedAt, ID: l.ID}
	}, ids, then)
}

// tied are ids of which the first five have the same time, so that a page ends
// between equal times.
var tied = []string{"m", "b", "z", "a", "k", "c"}

// wholePages reads all pages twice, the second time ending each lock after it was
// read, so that the lock that a page continues after is no longer listed.
func (k *storeKit) wholePages(key keyOfID, q ports.LockQuery) {
	k.spread(key, func(i int) time.Time { return kit.Epoch.Add(time.Duration(i/5) * time.Millisecond) }, tied...)
	want := []string{"a", "b", "k", "m", "z", "c"}
	k.Same(k.pages(q, func([]ports.RateLock) {}), want, "all pages")
	got := k.pages(q, func(page []ports.RateLock) {
		for _, l := range page {
			k.save(k.end(k.book(l.Book()), l.ID, cancelledAt(l.CreatedAt)))
		}
	})
	k.Same(got, want, "all pages while the locks read are ended")
}

func listingSince(k *storeKit) {
	rising := func(i int) time.Time { return kit.Epoch.Add(time.Duration(i) * time.Millisecond) }
	k.spread(ownerEach(usdZAR), rising, "d", "c", "b", "a")
	k.spread(pairEach, rising, "D", "C", "B", "A")
	for name, of := range map[string]struct {
		query ports.LockQuery
		ids   []string
	}{
		"a pair":   {ports.LockQuery{Pair: usdZAR}, []string{"d", "c", "b", "a"}},
		"an owner": {ports.LockQuery{Owner: "acme"}, []string{"D", "C", "B", "A"}},
	} {
		k.Case(name, func() {
			q := of.query
			q.Since = kit.Epoch.Add(time.Millisecond)
			k.Same(k.list(q), of.ids[1:], "since the second lock")
			q.Limit = 2
			k.Same(k.list(q), of.ids[1:3], "the first page since the second lock")
			q.After = ports.Pos{At: kit.Epoch.Add(2 * time.Millisecond), ID: of.ids[2]}
			k.Same(k.list(q), of.ids[3:], "a page after a lock that follows Since")
			q.Since, q.After = q.After.At, ports.Pos{At: kit.Epoch, ID: of.ids[0]}
			k.Same(k.list(q), of.ids[2:], "a page after a lock that precedes Since")
		})
	}
}

func listingOfOwner(k *storeKit) {
	acme, others := ports.LockQuery{Owner: "acme"}, []string{"Acme", "acme ", "acme\x00", "zenith"}
	k.Same(k.list(acme), []string{}, "the listing of an owner in an empty store")
	k.mint(keyOf("acme"), "a", kit.Epoch)
	for i, owner := range others {
		k.mint(keyOf(owner), "of "+owner, kit.Epoch.Add(time.Duration(i)*time.Millisecond))
	}
	k.mint(ports.BookKey{Owner: "acme", Pair: usdZAR.Inverse()}, "b", kit.Epoch.Add(time.Millisecond))
	k.mint(keyOf("acme"), "c", kit.Epoch.Add(2*time.Millisecond))
	k.Same(k.list(acme), []string{"a", "b", "c"}, "the owner's listing")
	for _, id := range []string{"a", "c"} {
		k.save(k.end(k.book(keyOf("acme")), id, expired))
	}
	k.Same(k.list(acme), []string{"a", "b", "c"}, "the owner's listing after two ends")
	for _, owner := range others {
		k.Same(k.list(ports.LockQuery{Owner: owner}), []string{"of " + owner}, "the listing of a look-alike")
	}
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
		k.Same(k.list(ports.LockQuery{Pair: usdZAR}), step.left, "the pair's listing after the end of "+step.id)
		k.Same(k.list(ports.LockQuery{DueBy: kit.Epoch.AddDate(1, 0, 0)}), step.left, "the due locks after the end of "+step.id)
	}
}

func listingBounds(k *storeKit) {
	k.mint(keyOf("acme"), "lock-1", kit.Epoch)
	pair, due, owner := ports.LockQuery{Pair: usdZAR}, ports.LockQuery{DueBy: kit.Epoch}, ports.LockQuery{Owner: "acme"}
	for _, q := range []ports.LockQuery{pair, due, owner} {
		for _, limit := range []int{-1, 0, ports.MaxPage + 1} {
			q.Limit = limit
			k.Code(errOf(k.RateLocks.List(k.Context(), q)), errcodes.InvalidRequest, "a query with a limit out of bounds")
		}
	}
	for _, q := range []ports.LockQuery{
		{}, {Pair: usdZAR, DueBy: kit.Epoch}, {Pair: usdZAR, Owner: "acme"}, {DueBy: kit.Epoch, Owner: "acme"}, {DueBy: kit.Epoch, Since: kit.Epoch},
	} {
		q.Limit = 1
		k.Code(errOf(k.RateLocks.List(k.Context(), q)), errcodes.InvalidRequest, "a query of no listing or of two")
	}
}
