package storetest_test

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

type claimFunc = func(ctx context.Context, key [32]byte, holder string, now, until time.Time) (bool, error)

// claims replaces Claim with fn.
func claims(fn func(ctx context.Context, claim claimFunc, key [32]byte, holder string, now, until time.Time) (bool, error)) func(b *bundle) {
	return func(b *bundle) {
		claim := b.answers.claim
		b.answers.claim = func(ctx context.Context, key [32]byte, holder string, now, until time.Time) (bool, error) {
			return fn(ctx, claim, key, holder, now, until)
		}
	}
}

// ownClaims decides claims by another rule: whether a holder gets a key that
// another holder had claimed until some time.
func ownClaims(rule func(had claimed, holder string, now time.Time) bool) func(b *bundle) {
	return func(b *bundle) {
		var mu sync.Mutex
		held := map[[32]byte]claimed{}
		b.answers.claim = func(_ context.Context, key [32]byte, holder string, now, until time.Time) (bool, error) {
			mu.Lock()
			defer mu.Unlock()
			if had, ok := held[key]; ok && !rule(had, holder, now) {
				return false, nil
			}
			held[key] = claimed{holder, now, until}
			return true, nil
		}
		b.answers.release = func(_ context.Context, key [32]byte, holder string) error {
			mu.Lock()
			defer mu.Unlock()
			if held[key].holder == holder {
				delete(held, key)
			}
			return nil
		}
	}
}

type claimed struct {
	holder string
	at     time.Time
	until  time.Time
}

// mapHolders applies f to holders.
func mapHolders(b *bundle, f func(string) string) {
	claim, release := b.answers.claim, b.answers.release
	b.answers.claim = func(ctx context.Context, key [32]byte, holder string, now, until time.Time) (bool, error) {
		return claim(ctx, key, f(holder), now, until)
	}
	b.answers.release = func(ctx context.Context, key [32]byte, holder string) error {
		return release(ctx, key, f(holder))
	}
}

// releasesAll lets every holder release a claim.
func releasesAll(b *bundle) {
	var holders sync.Map
	claim, release := b.answers.claim, b.answers.release
	b.answers.claim = func(ctx context.Context, key [32]byte, holder string, now, until time.Time) (bool, error) {
		has, err := claim(ctx, key, holder, now, until)
		if has {
			holders.Store(key, holder)
		}
		return has, err
	}
	b.answers.release = func(ctx context.Context, key [32]byte, holder string) error {
		if other, ok := holders.Load(key); ok {
			holder, _ = other.(string)
		}
		return release(ctx, key, holder)
	}
}

// oncePerHolder does not grant a key to the same holder twice in a row.
func oncePerHolder(b *bundle) {
	var mu sync.Mutex
	last := map[[32]byte]string{}
	claims(func(ctx context.Context, claim claimFunc, key [32]byte, holder string, now, until time.Time) (bool, error) {
		mu.Lock()
		defer mu.Unlock()
		if last[key] == holder {
			return false, nil
		}
		has, err := claim(ctx, key, holder, now, until)
		if has {
			last[key] = holder
		}
		return has, err
	})(b)
}

const (
	exclusive      = "a claim excludes every other holder"
	renewed        = "a holder may renew its claim"
	lapses         = "a claim ends at its time, not before"
	claimBackwards = "a claim holds if another caller's clock is behind"
	holdersApart   = "holders that look alike are different holders"
	releasesOwn    = "a release ends only the holder's own claim"
	releasedFree   = "a released key can be claimed at once"
	besideAnswers  = "claims and answers do not affect each other"
)

var answerClaimFlaws = slices.Concat(
	confuse("holders", holdersApart, looks, mapHolders),
	[]flawedStore{
		{"grants every claim", exclusive, ownClaims(func(claimed, string, time.Time) bool { return true })},
		{"grants a claim to the holder that waits longest", exclusive, claims(func(ctx context.Context, claim claimFunc, key [32]byte, holder string, now, until time.Time) (bool, error) {
			return claim(ctx, key, holder, now.Add(10*time.Minute), until)
		})},
		{"has one claim for all keys", exclusive, claims(func(ctx context.Context, claim claimFunc, _ [32]byte, holder string, now, until time.Time) (bool, error) {
			return claim(ctx, [32]byte{}, holder, now, until)
		})},
		{"calls a held claim a conflict", exclusive, claims(func(ctx context.Context, claim claimFunc, key [32]byte, holder string, now, until time.Time) (bool, error) {
			has, err := claim(ctx, key, holder, now, until)
			if err == nil && !has {
				return false, errcodes.New(errcodes.Conflict, "")
			}
			return has, err
		})},
		{"grants a holder a claim once", renewed, oncePerHolder},
		{"renews without the new end", renewed, func(b *bundle) {
			var mu sync.Mutex
			ends := map[[32]byte]claimed{}
			claims(func(ctx context.Context, claim claimFunc, key [32]byte, holder string, now, until time.Time) (bool, error) {
				mu.Lock()
				defer mu.Unlock()
				if had := ends[key]; had.holder == holder && had.until.After(now) {
					until = had.until
				}
				has, err := claim(ctx, key, holder, now, until)
				if has {
					ends[key] = claimed{holder, now, until}
				}
				return has, err
			})(b)
		}},
		{"does not renew an ended claim", renewed, ownClaims(func(had claimed, holder string, now time.Time) bool {
			return (had.holder == holder) == had.until.After(now)
		})},
		{"holds a claim at its end", lapses, ownClaims(func(had claimed, holder string, now time.Time) bool {
			return had.holder == holder || had.until.Before(now)
		})},
		{"ends a claim a millisecond early", lapses, claims(func(ctx context.Context, claim claimFunc, key [32]byte, holder string, now, until time.Time) (bool, error) {
			return claim(ctx, key, holder, now, until.Add(-time.Millisecond))
		})},
		{"never ends a claim", lapses, ownClaims(func(had claimed, holder string, _ time.Time) bool { return had.holder == holder })},
		{"grants a held claim if the clock is behind", claimBackwards, ownClaims(func(had claimed, holder string, now time.Time) bool {
			return had.holder == holder || !had.until.After(now) || now.Before(had.at)
		})},
		{"counts a claim from the caller's clock", claimBackwards, ownClaims(func(had claimed, holder string, now time.Time) bool {
			return had.holder == holder || now.Sub(had.at).Abs() >= had.until.Sub(had.at)
		})},
		{"releases any holder's claim", releasesOwn, releasesAll},
		{"calls a release without a claim not found", releasesOwn, func(b *bundle) {
			release := b.answers.release
			var had sync.Map
			claims(func(ctx context.Context, claim claimFunc, key [32]byte, holder string, now, until time.Time) (bool, error) {
				had.Store(key, true)
				return claim(ctx, key, holder, now, until)
			})(b)
			b.answers.release = func(ctx context.Context, key [32]byte, holder string) error {
				if _, ok := had.Load(key); !ok {
					return errcodes.New(errcodes.NotFound, "")
				}
				return release(ctx, key, holder)
			}
		}},
		{"releases a holder's every claim", releasesOwn, func(b *bundle) {
			release := b.answers.release
			var keys sync.Map
			claims(func(ctx context.Context, claim claimFunc, key [32]byte, holder string, now, until time.Time) (bool, error) {
				keys.Store(key, true)
				return claim(ctx, key, holder, now, until)
			})(b)
			b.answers.release = func(ctx context.Context, _ [32]byte, holder string) error {
				keys.Range(func(key, _ any) bool { _ = release(ctx, key.([32]byte), holder); return true })
				return nil
			}
		}},
		{"releases nothing", releasedFree, func(b *bundle) {
			b.answers.release = func(context.Context, [32]byte, string) error { return nil }
		}},
		{"ends a claim when the answer is put", besideAnswers, func(b *bundle) {
			release, put := b.answers.release, b.answers.put
			b.answers.put = func(ctx context.Context, a ports.CachedAnswer) error {
				for _, holder := range []string{"one", "two"} {
					_ = release(ctx, a.Key, holder)
				}
				return put(ctx, a)
			}
		}},
		{"keeps a claim as an empty answer", besideAnswers, func(b *bundle) {
			claim, put, answer := b.answers.claim, b.answers.put, b.answers.answer
			b.answers.claim = func(ctx context.Context, key [32]byte, holder string, now, until time.Time) (bool, error) {
				if _, err := answer(ctx, key); err != nil {
					_ = put(ctx, ports.CachedAnswer{Key: key})
				}
				return claim(ctx, key, holder, now, until)
			}
		}},
		{"releases the answer with the claim", besideAnswers, func(b *bundle) {
			release, purge := b.answers.release, b.answers.purge
			b.answers.release = func(ctx context.Context, key [32]byte, holder string) error {
				_, _ = purge(ctx, time.Date(3000, 1, 1, 0, 0, 0, 0, time.UTC), 10)
				return release(ctx, key, holder)
			}
		}},
		{"grants every concurrent claim", "of many concurrent claims of one key one succeeds", ownClaims(func(had claimed, _ string, now time.Time) bool { return had.at.Equal(now) || !had.until.After(now) })},
		{"grants no concurrent claim", "of many concurrent claims of one key one succeeds", ownClaims(func(claimed, string, time.Time) bool { return false })},
		{"rejects some claims", "claims of different keys do not conflict", func(b *bundle) {
			var n atomic.Int32
			claims(func(ctx context.Context, claim claimFunc, key [32]byte, holder string, now, until time.Time) (bool, error) {
				if n.Add(1)%4 == 0 {
					return false, nil
				}
				return claim(ctx, key, holder, now, until)
			})(b)
		}},
	},
)
