package memory

import (
	"hash/maphash"
	"sync"

	"github.com/corridor-go/corridor/ports"
)

const shardCount = 64

// bookShards contain the books: reading one does not wait for a save of another.
type bookShards struct {
	seed  maphash.Seed
	shard [shardCount]bookShard
}

type bookShard struct {
	mu     sync.Mutex
	closed bool
	books  map[ports.BookKey]*ports.Book // the pointed-to books never change
}

func newBookShards() *bookShards {
	s := &bookShards{seed: maphash.MakeSeed()}
	for i := range s.shard {
		s.shard[i].books = map[ports.BookKey]*ports.Book{}
	}
	return s
}

// of returns the key's shard. The hash only has to spread the keys: the shard's map
// compares whole keys.
func (s *bookShards) of(key ports.BookKey) *bookShard {
	h := maphash.String(s.seed, key.Owner)
	for i := range len(key.Pair.Base) {
		h = h*31 + uint64(key.Pair.Base[i])
	}
	for i := range len(key.Pair.Quote) {
		h = h*31 + uint64(key.Pair.Quote[i])
	}
	return &s.shard[h%shardCount]
}

// get returns the book of key, nil if there is none, and whether the store is open.
func (s *bookShards) get(key ports.BookKey) (book *ports.Book, open bool) {
	sh := s.of(key)
	sh.mu.Lock()
	book, open = sh.books[key], !sh.closed
	sh.mu.Unlock()
	return book, open
}

func (s *bookShards) put(b *ports.Book) {
	sh := s.of(b.Key)
	sh.mu.Lock()
	sh.books[b.Key] = b
	sh.mu.Unlock()
}

func (s *bookShards) close() {
	for i := range s.shard {
		s.shard[i].mu.Lock()
		s.shard[i].closed = true
		s.shard[i].mu.Unlock()
	}
}
