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

const owners = 1024 // of full pairs, so that a row is not one hot line of memory

func serviceOn(store ports.RateLockStore) (*ratelock.Service, error) {
	return ratelock.New(ratelock.Ports{Locks: store, Feed: steady{ports.NewPairSet(usdzar)}}, terms, nil)
}

// fill mints two locks for each owner.
func fill(s *ratelock.Service, names []string) error {
	for _, owner := range names {
		for range ports.MaxLiveLocks {
			if _, _, err := s.Create(context.Background(), owner, usdzar); err != nil {
				return err
			}
		}
	}
	return nil
}

func ownerNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = "client-" + string(rune('a'+i%26)) + time.Duration(i).String()
	}
	return names
}

// createAll is a closed loop of Create over the owners.
func createAll(s *ratelock.Service, names []string) step {
	ctx := context.Background()
	return func(n int) error {
		for i := range n {
			if _, _, err := s.Create(ctx, names[i%len(names)], usdzar); err != nil {
				return err
			}
		}
		return nil
	}
}

// filled is a memory store in which every owner's pair is full.
func filled() (*memory.Store, *ratelock.Service, []string, error) {
	store, err := memory.New(nil)
	if err != nil {
		return nil, nil, nil, err
	}
	s, err := serviceOn(store.RateLocks())
	if err != nil {
		return nil, nil, nil, err
	}
	names := ownerNames(owners)
	return store, s, names, fill(s, names)
}

func fullMemory() (subject, error) {
	store, s, names, err := filled()
	if err != nil {
		return subject{}, err
	}
	return subject{createAll(s, names), func() { _ = store.Close() }}, nil
}

// bareMap is what one would write without a library: 64 shards of a map under a
// mutex that holds the same record, a pair's two locks, and gives the freshest.
func bareMap() (subject, error) {
	store, _, names, err := filled()
	if err != nil {
		return subject{}, err
	}
	m := &sharded{seed: maphash.MakeSeed()}
	for _, owner := range names {
		rec, err := store.RateLocks().Book(context.Background(), ports.BookKey{Owner: owner, Pair: usdzar})
		if err != nil {
			return subject{}, err
		}
		m.put(rec)
	}
	return subject{func(n int) error {
		for i := range n {
			rec := m.get(ports.BookKey{Owner: names[i%len(names)], Pair: usdzar})
			keptLock = rec.Slots[ports.MaxLiveLocks-1]
		}
		return nil
	}, func() { _ = store.Close() }}, nil
}

var keptLock ports.RateLock

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
