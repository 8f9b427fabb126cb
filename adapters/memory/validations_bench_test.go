package memory_test

import (
	"encoding/binary"
	"strconv"
	"testing"
	"time"

	"github.com/corridor-go/corridor/ports"
)

// verified returns a validation that ended at once, with its event.
func verified(id string, at time.Time) ports.ValidationChange {
	return ports.ValidationChange{
		Record: ports.ValidationRecord{
			ID: id, Owner: "acme", MerchantID: "merchant-1", Market: ports.Market{Country: "NGA", Type: ports.BankAccount},
			Status: ports.StatusVerified, Provider: "provider-1", Type: ports.External, Outcome: ports.OutcomeFound,
			CreatedAt: at, Deadline: at.Add(time.Minute), EndedAt: at, ExpiresAt: at.Add(time.Hour), PurgeAt: at.Add(24 * time.Hour),
			Sealed: ports.Sealed{KeyID: "key-1", Data: make([]byte, 120)},
		},
		Events: []ports.Event{{ID: "event of " + id, Kind: "validation.completed", Key: id, Owner: "acme", At: at, Data: make([]byte, 200)}},
	}
}

func BenchmarkSaveValidation(b *testing.B) {
	const fill = 200_000 // then a new store, since validations stay
	save, ctx := newStore(b).Validations(), b.Context()
	change := verified("", start)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if i++; i%fill == 0 {
			save = newStore(b).Validations()
		}
		change.Record.ID = strconv.Itoa(i)
		change.Events[0].ID, change.Events[0].Key = change.Record.ID, change.Record.ID
		change.Record.PurgeAt = start.Add(time.Duration(i) * 100 * time.Microsecond)
		if err := save.Save(ctx, change); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkValidation(b *testing.B) {
	store, ctx := newStore(b), b.Context()
	if err := store.Validations().Save(ctx, verified("validation-1", start)); err != nil {
		b.Fatal(err)
	}
	read := store.Validations()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := read.Validation(ctx, "acme", "validation-1"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRelay claims and acknowledges the events of earlier saves.
func BenchmarkRelay(b *testing.B) {
	store, ctx := newStore(b), b.Context()
	i := 0
	for b.Loop() {
		if i%10_000 == 0 { // validations stay
			store = newStore(b)
		}
		for range 100 {
			i++
			if err := store.Validations().Save(ctx, verified(strconv.Itoa(i), start)); err != nil {
				b.Fatal(err)
			}
		}
		events, err := store.Outbox().Claim(ctx, start, time.Minute, 100)
		if err != nil || len(events) != 100 {
			b.Fatal(len(events), err)
		}
		for _, e := range events {
			if err := store.Outbox().Ack(ctx, e); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(i), "ns/event")
}

func cachedAnswer(i int) ports.CachedAnswer {
	a := ports.CachedAnswer{Provider: "provider-1", At: start, ExpiresAt: start.Add(24 * time.Hour), Sealed: ports.Sealed{KeyID: "key-1", Data: make([]byte, 120)}}
	binary.BigEndian.PutUint64(a.Key[8:], uint64(i))
	a.Key[0] = byte(i)
	return a
}

func BenchmarkPutAnswer(b *testing.B) {
	cache, ctx := newStore(b).Answers(), b.Context()
	a := cachedAnswer(0)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i++
		a.Key[0] = byte(i)
		binary.BigEndian.PutUint64(a.Key[8:], uint64(i%200_000))
		if err := cache.PutAnswer(ctx, a); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAnswer(b *testing.B) {
	cache, ctx := newStore(b).Answers(), b.Context()
	for i := range 1000 {
		if err := cache.PutAnswer(ctx, cachedAnswer(i)); err != nil {
			b.Fatal(err)
		}
	}
	key := cachedAnswer(7).Key
	b.ReportAllocs()
	for b.Loop() {
		if _, err := cache.Answer(ctx, key); err != nil {
			b.Fatal(err)
		}
	}
}
