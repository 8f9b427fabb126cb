package httpserver

import (
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/corridor-go/corridor/errcodes"
)

// maxLimited bounds the buckets that a limiter remembers.
const maxLimited = 65_536

// clockSlack is how far before the latest a reading of the clock may lie without
// the clock having been set back: requests overtake each other on their way here.
const clockSlack = time.Second

// limiter has a token bucket for each key. A nil limiter lets all pass.
type limiter struct {
	limit   rate.Limit
	burst   int
	mu      sync.Mutex
	buckets map[string]*bucket
}

type bucket struct {
	*rate.Limiter

	latest time.Time // that something was taken, or asked for
}

func newLimiter(limit float64, burst int) *limiter {
	return &limiter{limit: rate.Limit(limit), burst: burst, buckets: make(map[string]*bucket)}
}

// take takes one request out of the key's bucket. From an empty one it is
// [errcodes.TooManyRequests] with the time until the next (I30).
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

// until is how long a bucket takes to get what it lacks. A reservation would tell,
// too, but of those made at once not all can be taken back.
func (l *limiter) until(lacks float64) time.Duration {
	const longest = 1e9 // seconds, which a Duration holds
	seconds := min(lacks/float64(l.limit), longest)
	return max(time.Duration(seconds*float64(time.Second)), 1) // it may have got it since
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

// follow keeps to a clock that is set back. A bucket that counted from a later time
// would get nothing until the clock shows that again.
func (b *bucket) follow(now time.Time) {
	switch ahead := b.latest.Sub(now); {
	case ahead <= 0:
		b.latest = now
	case ahead > clockSlack:
		b.SetLimitAt(b.latest, b.Limit()) // it gets what it had earned,
		b.SetLimitAt(now, b.Limit())      // and counts on from here
		b.latest = now
	}
}

// evict forgets a bucket that is full again, and so as good as a new one, if
// one turns up among the first few; else any.
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
