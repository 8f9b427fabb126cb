package storetest_test

import (
	"context"
	"sync"
	"time"

	"github.com/corridor-go/corridor/ports"
)

type purgeAnswersFunc = func(ctx context.Context, before time.Time, n int) (int, error)

// purgesAnswers replaces PurgeAnswers with fn.
func purgesAnswers(fn func(ctx context.Context, purge purgeAnswersFunc, before time.Time, n int) (int, error)) func(b *bundle) {
	return func(b *bundle) {
		purge := b.answers.purge
		b.answers.purge = func(ctx context.Context, before time.Time, n int) (int, error) { return fn(ctx, purge, before, n) }
	}
}

func purgesAnswersAt(by time.Duration) func(b *bundle) {
	return purgesAnswers(func(ctx context.Context, purge purgeAnswersFunc, before time.Time, n int) (int, error) {
		return purge(ctx, before.Add(by), n)
	})
}

// replaysClaims stores claims where no purge finds them.
func replaysClaims(b *bundle) {
	claim := b.answers.claim
	var held sync.Map
	b.answers.claim = func(ctx context.Context, key [32]byte, holder string, now, until time.Time) (bool, error) {
		if other, ok := held.Load(key); ok && other != holder {
			return false, nil
		}
		has, err := claim(ctx, key, holder, now, until)
		if has {
			held.Store(key, holder)
		}
		return has, err
	}
}

// expiresOnce stores an answer under one of the expiries that it has had.
func expiresOnce(pick func(had, has time.Time) bool) func(b *bundle) {
	return func(b *bundle) {
		filed, given := map[[32]byte]time.Time{}, map[[32]byte]ports.CachedAnswer{}
		putsAnswers(func(ctx context.Context, _ *bundle, put putAnswerFunc, a ports.CachedAnswer) error {
			given[a.Key] = a
			if had, ok := filed[a.Key]; ok && pick(had, a.ExpiresAt) {
				a.ExpiresAt = had
			}
			filed[a.Key] = a.ExpiresAt
			return put(ctx, a)
		})(b)
		onAnswer(func(a *ports.CachedAnswer, err error) error {
			if err == nil {
				*a = given[a.Key]
			}
			return err
		})(b)
	}
}

const latestExpiry = "a purge counts an answer by its latest expiry"

var answerPurgeFlaws = []flawedStore{
	{"excludes the time of a purge", purged, purgesAnswersAt(-time.Millisecond)},
	{"purges too much", purged, purgesAnswersAt(time.Millisecond)},
	{"purges more than n", bounded, purgesAnswers(func(ctx context.Context, purge purgeAnswersFunc, before time.Time, n int) (int, error) {
		return purge(ctx, before, n+1)
	})},
	{"removes more than it returns", bounded, purgesAnswers(func(ctx context.Context, purge purgeAnswersFunc, before time.Time, n int) (int, error) {
		got, err := purge(ctx, before, n+1)
		return min(got, n), err
	})},
	{"returns n whatever it purged", bounded, purgesAnswers(func(ctx context.Context, purge purgeAnswersFunc, before time.Time, n int) (int, error) {
		_, err := purge(ctx, before, n)
		return n, err
	})},
	{"purges by the first expiry", latestExpiry, expiresOnce(func(_, _ time.Time) bool { return true })},
	{"purges by the earliest expiry", latestExpiry, expiresOnce(func(had, has time.Time) bool { return had.Before(has) })},
	{"purges by the latest expiry", latestExpiry, expiresOnce(func(had, has time.Time) bool { return had.After(has) })},
	{"keeps ended claims", "a purge removes the claims that ended before it, and no others", replaysClaims},
	{"purges every claim", "a purge removes the claims that ended before it, and no others", func(b *bundle) {
		purge, claim, release := b.answers.purge, b.answers.claim, b.answers.release
		holders := map[[32]byte]string{}
		b.answers.claim = func(ctx context.Context, key [32]byte, holder string, now, until time.Time) (bool, error) {
			has, err := claim(ctx, key, holder, now, until)
			if has {
				holders[key] = holder
			}
			return has, err
		}
		b.answers.purge = func(ctx context.Context, before time.Time, n int) (int, error) {
			for key, holder := range holders {
				_ = release(ctx, key, holder)
			}
			return purge(ctx, before, n)
		}
	}},
}
