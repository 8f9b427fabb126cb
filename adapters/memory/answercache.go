package memory

import (
	"bytes"
	"context"
	"sync"
	"time"

	"github.com/corridor-go/corridor/ports"
)

// answerShards contain the cached answers and the claims. They have locks of their own,
// so reading the cache does not wait for a save.
type answerShards [shardCount]answerShard

type answerShard struct {
	mu      sync.Mutex
	closed  bool
	answers map[[32]byte]*ports.CachedAnswer // the pointed-to answers never change
	expiry  purgeIndex[[32]byte]
	claims  map[[32]byte]answerClaim
}

type answerClaim struct {
	holder string
	until  int64 // ms
}

func newAnswerShards() *answerShards {
	s := new(answerShards)
	for i := range s {
		s[i].answers = map[[32]byte]*ports.CachedAnswer{}
		s[i].expiry = newPurgeIndex[[32]byte]()
		s[i].claims = map[[32]byte]answerClaim{}
	}
	return s
}

// of returns the key's shard. A key is a digest, so any byte of it spreads.
func (s *answerShards) of(key [32]byte) *answerShard { return &s[key[0]%shardCount] }

func (s *answerShards) close() {
	for i := range s {
		s[i].mu.Lock()
		s[i].closed = true
		s[i].mu.Unlock()
	}
}

// using locks the shard. It fails if the store is closed or ctx is done.
func (s *answerShard) using(ctx context.Context) error {
	s.mu.Lock()
	err := ctx.Err()
	if s.closed {
		err = errClosed
	}
	if err != nil {
		s.mu.Unlock()
	}
	return err
}

// put stores an answer. It adds the key to the expiry index only if the minute of its
// expiry has changed, so repeated puts do not make the index grow.
func (s *answerShard) put(a *ports.CachedAnswer) {
	old := s.answers[a.Key]
	s.answers[a.Key] = a
	if old == nil || minute(old.ExpiresAt) != minute(a.ExpiresAt) {
		s.expiry.add(a.ExpiresAt, a.Key)
	}
}

// purge removes up to n expired answers, and all claims that have ended.
func (s *answerShard) purge(before time.Time, n int) int {
	for key, c := range s.claims {
		if c.until < before.UnixMilli() {
			delete(s.claims, key)
		}
	}
	return s.expiry.sweep(before, n, func(key [32]byte) sweepResult {
		a := s.answers[key]
		switch {
		case a == nil || minute(a.ExpiresAt) > minute(before):
			return staleEntry
		case a.ExpiresAt.After(before):
			return notDue
		default:
			delete(s.answers, key)
			return purged
		}
	})
}

// answers implements ports.AnswerCache.
type answers struct{ s *Store }

func (a answers) Answer(ctx context.Context, key [32]byte) (ports.CachedAnswer, error) {
	sh := a.s.answers.of(key)
	if err := sh.using(ctx); err != nil {
		return ports.CachedAnswer{}, err
	}
	kept := sh.answers[key]
	sh.mu.Unlock()
	if kept == nil {
		return ports.CachedAnswer{}, errNoAnswer
	}
	c := *kept
	c.Sealed.Data = bytes.Clone(c.Sealed.Data)
	return c, nil
}

func (a answers) PutAnswer(ctx context.Context, v ports.CachedAnswer) error {
	v.At, v.ExpiresAt = ports.Millis(v.At), ports.Millis(v.ExpiresAt)
	v.Sealed.Data = bytes.Clone(v.Sealed.Data)
	sh := a.s.answers.of(v.Key)
	if err := sh.using(ctx); err != nil {
		return err
	}
	defer sh.mu.Unlock()
	sh.put(&v)
	return nil
}

func (a answers) Claim(ctx context.Context, key [32]byte, holder string, now, until time.Time) (bool, error) {
	if err := ports.CheckHolder(holder); err != nil {
		return false, err
	}
	sh := a.s.answers.of(key)
	if err := sh.using(ctx); err != nil {
		return false, err
	}
	defer sh.mu.Unlock()
	if c, held := sh.claims[key]; held && c.holder != holder && c.until > now.UnixMilli() {
		return false, nil
	}
	sh.claims[key] = answerClaim{holder, until.UnixMilli()}
	return true, nil
}

func (a answers) Release(ctx context.Context, key [32]byte, holder string) error {
	if err := ports.CheckHolder(holder); err != nil {
		return err
	}
	sh := a.s.answers.of(key)
	if err := sh.using(ctx); err != nil {
		return err
	}
	defer sh.mu.Unlock()
	if sh.claims[key].holder == holder {
		delete(sh.claims, key)
	}
	return nil
}

func (a answers) PurgeAnswers(ctx context.Context, before time.Time, n int) (int, error) {
	if err := ports.CheckLimit(n, ports.MaxPage); err != nil {
		return 0, err
	}
	left := n
	for i := range a.s.answers {
		sh := &a.s.answers[i]
		if err := sh.using(ctx); err != nil {
			return n - left, err
		}
		left -= sh.purge(before, left)
		sh.mu.Unlock()
	}
	return n - left, nil
}
