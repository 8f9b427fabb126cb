package clientauth

import (
	"sync"
	"time"

	"github.com/corridor-go/corridor/ports"
)

const shards = 64

// cache contains what the stores returned for live tokens. It is split by hash to avoid
// contention.
type cache struct {
	shards  [shards]shard
	each    int // the most entries of one shard
	keepFor time.Duration
}

type shard struct {
	mu      sync.RWMutex
	entries map[[32]byte]entry
	revoked uint64 // counts revocations, so that put drops an answer that was read before one
}

type entry struct {
	client ports.Client
	until  time.Time // the end of the token or of its secret
	readAt time.Time
}

func newCache(entries int, keepFor time.Duration) *cache {
	c := &cache{each: (entries + shards - 1) / shards, keepFor: keepFor}
	for i := range c.shards {
		c.shards[i].entries = make(map[[32]byte]entry)
	}
	return c
}

func (c *cache) shard(hash [32]byte) *shard { return &c.shards[hash[0]%shards] }

// get returns a fresh entry, or the mark to pass to put after reading the stores.
func (c *cache) get(hash [32]byte, now time.Time) (e entry, mark uint64, ok bool) {
	s := c.shard(hash)
	s.mu.RLock()
	defer s.mu.RUnlock()
	e, ok = s.entries[hash]
	return e, s.revoked, ok && c.fresh(&e, now)
}

// fresh returns false if the entry's age is unknown, because the clock was set back and
// has no monotonic reading.
func (c *cache) fresh(e *entry, now time.Time) bool {
	age := now.Sub(e.readAt)
	return age >= 0 && age < c.keepFor && now.Before(e.until)
}

func (c *cache) put(hash [32]byte, e entry, mark uint64) {
	s := c.shard(hash)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.revoked != mark {
		return
	}
	if _, there := s.entries[hash]; !there && len(s.entries) >= c.each {
		c.evict(s, e.readAt)
	}
	s.entries[hash] = e
}

// evict drops a stale entry if there is one among the first few, and otherwise any entry.
// A dropped token is read from the stores again when it is next used.
func (c *cache) evict(s *shard, now time.Time) {
	const looks = 8
	var victim [32]byte
	seen := 0
	for hash, e := range s.entries {
		victim = hash
		if seen++; seen == looks || !c.fresh(&e, now) {
			break
		}
	}
	delete(s.entries, victim)
}

func (c *cache) drop(hash [32]byte) {
	s := c.shard(hash)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revoked++
	delete(s.entries, hash)
}
