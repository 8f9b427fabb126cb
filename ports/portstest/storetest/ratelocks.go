package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// RateLockStore checks a ports.RateLockStore.
func RateLockStore(t *testing.T, h Harness) {
	t.Helper()
	runStore(t, h, rateLockChecks, "Store.RateLocks is nil", func(s Store) bool { return s.RateLocks != nil })
}

var rateLockChecks = slices.Concat(recordChecks, versionChecks, endingChecks, listingChecks)

var recordChecks = []storeCheck{
	{"a book that was never saved is empty and has its key", func(k *storeKit) {
		for _, key := range []ports.BookKey{keyOf("acme"), {}} {
			k.Case(kit.Name(key.Owner), func() { k.Same(k.book(key), ports.Book{Key: key}, "a book that was never saved") })
		}
	}},
	{"a book of two locks is returned as saved", func(k *storeKit) {
		key := keyOf("acme")
		first, second := activeLock(key, "lock-1", kit.Epoch), activeLock(key, "lock-2", kit.Epoch.Add(time.Millisecond))
		second.MidRate, second.AllInRate, second.MidSource, second.MarkupBps = "0.054054", "0.05459454", "file", 100
		want := k.save(mint(k.save(mint(k.book(key), first)), second))
		k.Same(k.book(key), want, "the book")
		for _, l := range []ports.RateLock{first, second} {
			got, book, err := k.RateLocks.Lock(k.Context(), key.Owner, l.ID)
			k.OK(err, "Lock")
			k.Same(got, l, "the lock")
			k.Same(book, want, "the lock's book")
		}
	}},
	{"a change of the book alone is stored", func(k *storeKit) {
		b := k.book(keyOf("acme"))
		b.HighWater = kit.Epoch
		want := k.save(ports.RateLockChange{Book: b})
		k.Same(k.book(keyOf("acme")), want, "a book without locks")
	}},
	{"every field of an ended lock is returned as saved", func(k *storeKit) {
		key := keyOf("acme")
		change := k.end(k.mint(key, "lock-1", kit.Epoch), "lock-1", driftedAt(kit.Epoch.Add(time.Minute+time.Millisecond), "17.9000", -324))
		k.save(change)
		k.Same(k.lock(key.Owner, "lock-1"), change.Ended[0], "a lock cancelled by drift")
	}},
	{"decimals are returned with their trailing zeros", decimalRoundTrip},
	{"distant times are returned unchanged", func(k *storeKit) {
		kit.Each(k, far, day, func(at time.Time) {
			key := keyOf(day(at))
			l := activeLock(key, "lock-"+key.Owner, at)
			want := k.save(mint(k.book(key), l))
			k.Same(k.book(key), want, "the book")
			k.Same(k.lock(key.Owner, l.ID), l, "the lock")
		})
	}},
	{"empty fields are returned empty", func(k *storeKit) {
		key := keyOf("acme")
		b := k.save(ports.RateLockChange{Book: k.book(key)})
		k.Same(k.book(key), b, "a book without a high water")
		l := activeLock(key, "lock-1", kit.Epoch)
		l.MidSource, l.MidAt, l.MarkupBps, l.AllInRate, l.ToleranceBps = "", time.Time{}, 0, "18.5", 0
		want := k.save(mint(b, l))
		k.Same(k.book(key), want, "a slot with empty fields")
		k.Same(k.lock(key.Owner, l.ID), l, "a lock with empty fields")
	}},
	{"AsOf is not stored", func(k *storeKit) {
		key := keyOf("acme")
		l := activeLock(key, "lock-1", kit.Epoch)
		l.AsOf = kit.Epoch.Add(time.Second)
		k.save(mint(k.book(key), l))
		l.AsOf = time.Time{}
		k.Same(k.book(key).Slots[0], l, "a slot saved with AsOf")
		k.Same(k.lock(key.Owner, l.ID), l, "a lock saved with AsOf")
	}},
	{"a lock that left the slots is found as it ended", func(k *storeKit) {
		key := keyOf("acme")
		k.mint(key, "lock-1", kit.Epoch)
		change := k.end(k.mint(key, "lock-2", kit.Epoch.Add(time.Second)), "lock-1", cancelledAt(kit.Epoch.Add(time.Minute)))
		want := k.save(change)
		got, book, err := k.RateLocks.Lock(k.Context(), key.Owner, "lock-1")
		k.OK(err, "Lock of an ended lock")
		k.Same(got, change.Ended[0], "an ended lock")
		k.Same(book, want, "the book of an ended lock")
	}},
	{"an unknown lock is not found", func(k *storeKit) {
		k.mint(keyOf("acme"), "lock-1", kit.Epoch)
		kit.Each(k, []string{"lock-2", "", "lock-", "lock-1 ", "LOCK-1", "lock-1\x00", "%", "lock/1"}, kit.Name, func(id string) { k.gone("acme", id) })
	}},
	{"another owner's lock is not found", func(k *storeKit) {
		k.mint(keyOf("acme"), "lock-1", kit.Epoch)
		k.mint(keyOf("zenith"), "lock-2", kit.Epoch)
		kit.Each(k, []string{"zenith", "", "Acme", "acme "}, kit.Name, func(owner string) { k.gone(owner, "lock-1") })
	}},
	{"changing an argument after Save does not change the store", inputsNotAliased},
	{"a lock and its book are read in one snapshot", oneInstant},
	{"owners that look alike have different books", func(k *storeKit) {
		want := map[string]ports.Book{}
		for i, owner := range kit.Distinct {
			k.Same(k.book(keyOf(owner)), ports.Book{Key: keyOf(owner)}, "the book of a new owner")
			want[owner] = k.mint(keyOf(owner), fmt.Sprint("lock-", i), kit.Epoch)
		}
		for i, owner := range kit.Distinct {
			k.Case(kit.Name(owner), func() {
				k.Same(k.book(keyOf(owner)), want[owner], "the book of an owner among look-alikes")
				k.Same(k.lock(owner, fmt.Sprint("lock-", i)).Owner, owner, "the owner of a lock")
			})
		}
	}},
	{"lock ids that look alike are different locks", lockIDsApart},
	{"a pair and its inverse have different books", func(k *storeKit) {
		key := keyOf("acme")
		inverse := ports.BookKey{Owner: key.Owner, Pair: key.Pair.Inverse()}
		want := k.mint(key, "lock-1", kit.Epoch)
		k.Same(k.book(inverse), ports.Book{Key: inverse}, "the inverse pair's book")
		k.mint(inverse, "lock-2", kit.Epoch)
		k.Same(k.book(key), want, "the pair's book")
	}},
	{"owners and ids of 10,000 characters are stored whole", func(k *storeKit) {
		long := strings.Repeat("0123456789", 1000)
		for _, tail := range []string{"a", "b"} {
			key := keyOf(long + tail)
			k.Same(k.book(key), ports.Book{Key: key}, "the book of a new long owner")
			want := k.mint(key, long+"lock"+tail, kit.Epoch)
			k.Same(k.book(key), want, "the book of a long owner")
		}
		for _, tail := range []string{"a", "b"} {
			k.Same(k.lock(long+tail, long+"lock"+tail).ID, long+"lock"+tail, "a long id")
		}
	}},
}

func decimalRoundTrip(k *storeKit) {
	for _, rate := range []struct{ mid, plus1Percent string }{
		{"1", "1.01"},
		{"1.0", "1.01"},
		{"18.5000000000", "18.685"},
		{"100", "101"},
		{"0.000000000001", "0.00000000000101"},
		{"900719925474.0993", "909727124728.840293"},
		{"999999999999.999999999999999999", "1009999999999.99999999999999999899"},
		{"0.10000000000000000555111512312", "0.1010000000000000056066262743512"},
	} {
		k.Case(rate.mid, func() {
			key := keyOf("owner of " + rate.mid)
			l := activeLock(key, "lock at "+rate.mid, kit.Epoch)
			l.MidRate, l.MarkupBps, l.AllInRate = rate.mid, 100, rate.plus1Percent
			b := k.save(mint(k.book(key), l))
			k.Same(k.lock(key.Owner, l.ID), l, "a lock at "+rate.mid)
			k.Same(k.book(key).Slots[0], l, "a slot at "+rate.mid)

			change := k.end(b, l.ID, driftedAt(kit.Epoch, rate.mid, 0))
			k.save(change)
			k.Same(k.lock(key.Owner, l.ID), change.Ended[0], "a lock that drifted to "+rate.mid)
		})
	}
}

func inputsNotAliased(k *storeKit) {
	key := keyOf("acme")
	l := activeLock(key, "lock-1", kit.Epoch)
	change := mint(k.book(key), l)
	want := k.save(change)
	change.Minted.Status, change.Minted.MidRate = ports.LockExpired, "1"
	got := k.book(key)
	got.Slots[0].MidRate = "2"
	k.Same(k.lock(key.Owner, l.ID), l, "the lock after the saved value was changed")
	k.Same(k.book(key), want, "the book after a returned one was changed")

	change = k.end(want, l.ID, cancelledAt(l.CreatedAt))
	k.save(change)
	ended := change.Ended[0]
	change.Ended[0].CancellationReason = ports.CancelledMarketDrift
	k.Same(k.lock(key.Owner, l.ID), ended, "the ended lock after the saved value was changed")
}

// oneInstant runs a writer that ends a lock and mints the next in turn, and readers
// that must never see a lock and a book from different times.
func oneInstant(k *storeKit) {
	key, rounds := keyOf("acme"), 60
	k.mint(key, "lock-0", kit.Epoch)
	errs := kit.Race(4, func(reader int) error {
		if reader == 0 {
			return k.turnOver(key, rounds)
		}
		for range rounds {
			if err := k.inStep(key); err != nil {
				return err
			}
		}
		return nil
	})
	for _, err := range errs {
		k.OK(err, "reading a lock and its book during saves")
	}
	k.OK(k.inStep(key), "reading a lock and its book after the saves")
}

func (k *storeKit) turnOver(key ports.BookKey, rounds int) error {
	for round := range rounds {
		b, err := k.RateLocks.Book(k.Context(), key)
		if err != nil {
			return err
		}
		next := activeLock(key, fmt.Sprint("lock-", round+1), kit.Epoch.Add(time.Duration(round+1)*time.Millisecond))
		if err := k.RateLocks.Save(k.Context(), replace(b, next)); err != nil {
			return err
		}
	}
	return nil
}

// inStep reads the lock that was just in the slot. It returns an error if the lock
// is active but not in its book, or has ended but is still there.
func (k *storeKit) inStep(key ports.BookKey) error {
	before, err := k.RateLocks.Book(k.Context(), key)
	if err != nil {
		return err
	}
	l, b, err := k.RateLocks.Lock(k.Context(), key.Owner, before.Slots[0].ID)
	if err != nil {
		return err
	}
	if (l.Status == ports.LockActive) != (b.Slots[0].ID == l.ID) {
		return errcodes.New(errcodes.Internal, "the lock and its book are from different snapshots")
	}
	return nil
}

func lockIDsApart(k *storeKit) {
	key := keyOf("acme")
	mark := func(i int) time.Time { return kit.Epoch.Add(time.Duration(i) * time.Millisecond) }
	for i, id := range kit.Distinct {
		if id == "" { // an empty id is an empty slot
			continue
		}
		k.save(replace(k.book(key), activeLock(key, id, mark(i))))
		k.Same(k.book(key).Slots[0].ID, id, "the id in the slot")
	}
	for i, id := range kit.Distinct {
		k.Case(kit.Name(id), func() {
			if id == "" {
				return
			}
			l := k.lock(key.Owner, id)
			k.Same(l.ID, id, "the id of a lock among look-alikes")
			k.Same(l.CreatedAt, mark(i), "the lock of an id among look-alikes")
		})
	}
}
