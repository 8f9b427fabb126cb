package httpserver

import (
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/corridor-go/corridor/errcodes"
)

// maxLimited bounds the buckets of a limiter.
const maxLimited = 65_536

// clockSlack is how far a reading of the clock may be before the latest one although
// the clock was not set back: requests overtake each other before they get here.
const clockSlack = time.Second

// limiter has a token bucket per key. A nil limiter has no limit.
type limiter struct {
	limit   rate.Limit
	burst   int
	mu      sync.Mutex
	buckets map[string]*bucket
}

type bucket struct {
	*rate.Limiter

	latest time.Time // the latest time at which it was used
}

func newLimiter(limit float64, burst int) *limiter {
	return &limiter{limit: rate.Limit(limit), burst: burst, buckets: make(map[string]*bucket)}
}

// take takes one request out of the key's bucket. If it is empty, take returns
// [errcodes.TooManyRequests] with the time until the next one (I30).
func (l *limiter) take(key string, now time.Time) error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.bucket(key, now)
	b.follow(now)
	if b.AllowN(now, 1) {
		return nil
	}
	return errcodes.New(errcodes.TooManyRequests, "").WithRetryAfter(l.until(1 - b.TokensAt(now)))
}

// until returns how long a bucket takes to gain the tokens that it lacks. A reservation
// of package rate would return the same, but concurrent reservations cannot all be
// canceled.
func (l *limiter) until(lacks float64) time.Duration {
	const longest = 1e9 // seconds that a Duration can represent
	seconds := min(lacks/float64(l.limit), longest)
	return max(time.Duration(seconds*float64(time.Second)), 1) // at least 1, since time has passed meanwhile
}

func (l *limiter) bucket(key string, now time.Time) *bucket {
	b, ok := l.buckets[key]
	if !ok {
		if len(l.buckets) >= maxLimited {
			l.evict(now)
		}
		b = &bucket{Limiter: rate.NewLimiter(l.limit, l.burst)}
		l.buckets[key] = b
	}
	return b
}

// follow adjusts the bucket to a clock that was set back. Otherwise it would gain
// nothing until the clock shows the later time again.
func (b *bucket) follow(now time.Time) {
	switch ahead := b.latest.Sub(now); {
	case ahead <= 0:
		b.latest = now
	case ahead > clockSlack:
		b.SetLimitAt(b.latest, b.Limit()) // adds what it has gained so far,
		b.SetLimitAt(now, b.Limit())      // and continues from now
		b.latest = now
	}
}

// evict removes a full bucket, which equals a new one, if there is one among the first
// few. Otherwise it removes any bucket.
func (l *limiter) evict(now time.Time) {
	const looks = 8
	victim, seen := "", 0
	for key, b := range l.buckets {
		victim = key
		if seen++; seen == looks || b.TokensAt(now) >= float64(l.burst) {
			break
		}
	}
	delete(l.buckets, victim)
}
