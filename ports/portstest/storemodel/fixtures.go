package storemodel

import (
	"time"

	"github.com/corridor-go/corridor/ports"
)

var (
	// Epoch is when every record begins.
	Epoch = time.Date(2026, time.November, 20, 15, 0, 0, 0, time.UTC)
	// USDZAR is the pair of every lock.
	USDZAR = ports.Pair{Base: "USD", Quote: "ZAR"}
)

// ActiveLock makes a lock of a day that was never saved.
func ActiveLock(owner, id string, created time.Time) ports.RateLock {
	return ports.RateLock{
		ID: id, Owner: owner, Base: USDZAR.Base, Quote: USDZAR.Quote,
		MidRate: "18.2500", MarkupBps: 150, AllInRate: "18.52375",
		MidSource: "ecb", MidAt: created.Add(-time.Minute), ToleranceBps: 200,
		CreatedAt: created, ExpiresAt: created.Add(24 * time.Hour), Status: ports.LockActive,
	}
}

// Mint adds a lock to its book, with an event.
func Mint(b ports.Book, l ports.RateLock) ports.RateLockChange {
	b.HighWater = l.CreatedAt
	b.Slots[len(b.Live())] = l
	return ports.RateLockChange{Book: b, Minted: &l, Events: []ports.Event{MintedEvent(l)}}
}

// MintedEvent is the event of a lock that was minted.
func MintedEvent(l ports.RateLock) ports.Event {
	return ports.Event{
		ID: "ev_" + l.ID, Kind: "rate_lock.minted", Key: l.ID, Owner: l.Owner, At: l.CreatedAt,
		Data: []byte(`{"rateLockId":"` + l.ID + `"}`),
	}
}

// KeyOf is the key of the owner's book of USDZAR.
func KeyOf(owner string) ports.BookKey { return ports.BookKey{Owner: owner, Pair: USDZAR} }

// AuditRow is a row for writes whose audit row does not matter.
var AuditRow = ports.AuditRow{At: Epoch, Act: "test.write"}
