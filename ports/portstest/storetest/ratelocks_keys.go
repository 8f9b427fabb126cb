package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// keyChecks: keys and ids are byte strings.
var keyChecks = []storeCheck{
	{"owners that look alike have books of their own", ownersApart},
	{"lock ids that look alike are different locks", lockIDsApart},
	{"a pair and its inverse have books of their own", inverseApart},
	{"owners and ids of 10,000 characters are kept", longKeys},
}

func ownersApart(k *storeKit) {
	want := map[string]ports.Book{}
	for i, owner := range kit.Distinct {
		k.Same(k.book(keyOf(owner)), ports.Book{Key: keyOf(owner)}, "the book of an owner not seen before")
		want[owner] = k.mint(keyOf(owner), fmt.Sprint("lock-", i), kit.Epoch)
	}
	for i, owner := range kit.Distinct {
		k.Same(k.book(keyOf(owner)), want[owner], "the book of an owner among look-alikes")
		k.Same(k.lock(owner, fmt.Sprint("lock-", i)).Owner, owner, "the owner of a lock")
	}
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
		if id == "" {
			continue
		}
		l := k.lock(key.Owner, id)
		k.Same(l.ID, id, "the id of a lock among look-alikes")
		k.Same(l.CreatedAt, mark(i), "the lock of an id among look-alikes")
	}
}

func inverseApart(k *storeKit) {
	key := keyOf("acme")
	inverse := ports.BookKey{Owner: key.Owner, Pair: key.Pair.Inverse()}
	want := k.mint(key, "lock-1", kit.Epoch)
	k.Same(k.book(inverse), ports.Book{Key: inverse}, "the inverse pair's book")
	k.mint(inverse, "lock-2", kit.Epoch)
	k.Same(k.book(key), want, "the pair's book")
}

func longKeys(k *storeKit) {
	long := strings.Repeat("0123456789", 1000)
	for _, tail := range []string{"a", "b"} {
		key := keyOf(long + tail)
		k.Same(k.book(key), ports.Book{Key: key}, "the book of a long owner not seen before")
		want := k.mint(key, long+"lock"+tail, kit.Epoch)
		k.Same(k.book(key), want, "the book of a long owner")
	}
	for _, tail := range []string{"a", "b"} {
		k.Same(k.lock(long+tail, long+"lock"+tail).ID, long+"lock"+tail, "a long id")
	}
}
