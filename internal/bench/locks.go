package main

import (
	"context"
	"hash/maphash"
	"sync"
	"time"

	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ratelock"
)

var (
	usdzar = ports.Pair{Base: "USD", Quote: "ZAR"}
	terms  = ratelock.Terms{MarkupBps: markupBps, Validity: 24 * time.Hour, ToleranceBps: 200}
)

const owners = 1024 // of full pairs, so that a row does not contend for one cache line

func serviceOn(store ports.RateLockStore) *ratelock.Service {
	return must(ratelock.New(ratelock.Ports{Locks: store, Feed: steady{ports.NewPairSet(usdzar)}}, terms, nil))
}

// fill mints two locks for each owner.
func fill(s *ratelock.Service, names []string) {
	createAll(s, names)(ports.MaxLiveLocks * len(names))
}

func ownerNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = "client-" + string(rune('a'+i%26)) + time.Duration(i).String()
	}
	return names
}

// createAll calls Create for the owners in turn.
func createAll(s *ratelock.Service, names []string) step {
	ctx := context.Background()
	return func(n int) {
		for i := range n {
			_, _, err := s.Create(ctx, names[i%len(names)], usdzar)
			check(err)
		}
	}
}

// filled returns a memory store in which every owner's pair is full.
func filled(made *setup) (*memory.Store, *ratelock.Service, []string) {
	store := openMemory(made)
	s, names := serviceOn(store.RateLocks()), ownerNames(owners)
	fill(s, names)
	return store, s, names
}

func openMemory(made *setup) *memory.Store {
	store := must(memory.New(nil))
	made.after(func() { _ = store.Close() })
	return store
}

func fullMemory(made *setup) step {
	_, s, names := filled(made)
	return createAll(s, names)
}

// bareMap measures what one would write without a library: a map in 64 shards with
// mutexes that stores the same record, a pair's two locks, and returns the newest.
func bareMap(made *setup) step {
	store, _, names := filled(made)
	m := &sharded{seed: maphash.MakeSeed()}
	for _, owner := range names {
		m.put(must(store.RateLocks().Book(context.Background(), ports.BookKey{Owner: owner, Pair: usdzar})))
	}
	return func(n int) {
		for i := range n {
			rec := m.get(ports.BookKey{Owner: names[i%len(names)], Pair: usdzar})
			keptLock = rec.Slots[ports.MaxLiveLocks-1]
		}
	}
}

var keptLock ports.RateLock //nolint:unused // keeps the compiler from eliminating the work

type sharded struct {
	seed   maphash.Seed
	shards [64]struct {
		mu sync.Mutex
		m  map[ports.BookKey]ports.Book
	}
}

func (s *sharded) put(rec ports.Book) {
	shard := &s.shards[maphash.Comparable(s.seed, rec.Key)%64]
	shard.mu.Lock()
	defer shard.mu.Unlock()
	if shard.m == nil {
		shard.m = map[ports.BookKey]ports.Book{}
	}
	shard.m[rec.Key] = rec
}

func (s *sharded) get(key ports.BookKey) ports.Book {
	shard := &s.shards[maphash.Comparable(s.seed, key)%64]
	shard.mu.Lock()
	defer shard.mu.Unlock()
	return shard.m[key]
}
