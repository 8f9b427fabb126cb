package storetest_test

import (
	"bytes"
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/broken"
	"github.com/corridor-go/corridor/ports/portstest/storetest"
)

// onAnswer lets fn change what Answer returns.
func onAnswer(fn func(a *ports.CachedAnswer, err error) error) func(b *bundle) {
	return func(b *bundle) {
		answer := b.answers.answer
		b.answers.answer = func(ctx context.Context, key [32]byte) (ports.CachedAnswer, error) {
			a, err := answer(ctx, key)
			err = fn(&a, err)
			return a, err
		}
	}
}

func eachAnswer(fn func(a *ports.CachedAnswer)) func(b *bundle) {
	return onAnswer(func(a *ports.CachedAnswer, err error) error {
		fn(a)
		return err
	})
}

type putAnswerFunc = func(context.Context, ports.CachedAnswer) error

// putsAnswers replaces PutAnswer with fn.
func putsAnswers(fn func(ctx context.Context, b *bundle, put putAnswerFunc, a ports.CachedAnswer) error) func(b *bundle) {
	return func(b *bundle) {
		put := b.answers.put
		b.answers.put = func(ctx context.Context, a ports.CachedAnswer) error { return fn(ctx, b, put, a) }
	}
}

// mapAnswerKeys applies f to keys.
func mapAnswerKeys(f func(*[32]byte)) func(b *bundle) {
	return func(b *bundle) {
		inner := b.answers
		b.answers.put = func(ctx context.Context, a ports.CachedAnswer) error { f(&a.Key); return inner.put(ctx, a) }
		b.answers.answer = func(ctx context.Context, key [32]byte) (ports.CachedAnswer, error) {
			kept := key
			f(&kept)
			a, err := inner.answer(ctx, kept)
			a.Key = key
			return a, err
		}
		b.answers.claim = func(ctx context.Context, key [32]byte, holder string, now, until time.Time) (bool, error) {
			f(&key)
			return inner.claim(ctx, key, holder, now, until)
		}
	}
}

// mapClaimKeys applies f to the keys of claims, but not of answers.
func mapClaimKeys(f func(*[32]byte)) func(b *bundle) {
	return func(b *bundle) {
		claim := b.answers.claim
		b.answers.claim = func(ctx context.Context, key [32]byte, holder string, now, until time.Time) (bool, error) {
			f(&key)
			return claim(ctx, key, holder, now, until)
		}
	}
}

const (
	unknownAnswer  = "an unknown key is not found"
	answerAsPut    = "an answer is returned as it was put"
	staleGiven     = "a stale answer is still returned"
	answerReplaced = "an answer replaces the earlier one"
	keysApart      = "keys that differ in one byte are different keys"
	answerAliased  = "changing an answer outside the store does not change the store"
)

var answerFlaws = []flawedStore{
	{"returns an empty answer for an unknown key", unknownAnswer, onAnswer(func(_ *ports.CachedAnswer, err error) error {
		if errcodes.Of(err) == errcodes.NotFound {
			return nil
		}
		return err
	})},
	{"reports not found as internal", unknownAnswer, onAnswer(func(_ *ports.CachedAnswer, err error) error {
		return broken.Recode(err, errcodes.NotFound, errcodes.Internal)
	})},
	{"forgets the key", answerAsPut, eachAnswer(func(a *ports.CachedAnswer) { a.Key = [32]byte{} })},
	{"forgets the sealing key", answerAsPut, eachAnswer(func(a *ports.CachedAnswer) { a.Sealed.KeyID = "key-1" })},
	{"forgets the provider", answerAsPut, eachAnswer(func(a *ports.CachedAnswer) { a.Provider = "provider-1" })},
	{"keeps answers as text", answerAsPut, eachAnswer(func(a *ports.CachedAnswer) { a.Sealed.Data = bytes.ToValidUTF8(a.Sealed.Data, nil) })},
	{"stops answers at a NUL", answerAsPut, eachAnswer(func(a *ports.CachedAnswer) { a.Sealed.Data, _, _ = bytes.Cut(a.Sealed.Data, []byte{0}) })},
	{"keeps seconds", answerAsPut, eachAnswer(func(a *ports.CachedAnswer) { a.At = a.At.Truncate(time.Second) })},
	{"keeps nanoseconds in 64 bits", answerAsPut, eachAnswer(func(a *ports.CachedAnswer) { a.ExpiresAt = time.Unix(0, a.ExpiresAt.UnixNano()).UTC() })},
	{"does not return stale answers", staleGiven, onAnswer(func(a *ports.CachedAnswer, err error) error {
		if a.ExpiresAt.Before(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)) {
			return errcodes.New(errcodes.NotFound, "")
		}
		return err
	})},
	{"stores no stale answer", staleGiven, putsAnswers(func(ctx context.Context, _ *bundle, put putAnswerFunc, a ports.CachedAnswer) error {
		if a.ExpiresAt.Year() < 2020 {
			return nil
		}
		return put(ctx, a)
	})},
	{"keeps the first answer", answerReplaced, putsAnswers(func(ctx context.Context, b *bundle, put putAnswerFunc, a ports.CachedAnswer) error {
		if _, err := b.answers.answer(ctx, a.Key); err == nil {
			return nil
		}
		return put(ctx, a)
	})},
	{"keeps the answer of the latest time", answerReplaced, putsAnswers(func(ctx context.Context, b *bundle, put putAnswerFunc, a ports.CachedAnswer) error {
		if old, err := b.answers.answer(ctx, a.Key); err == nil && old.At.After(a.At) {
			return nil
		}
		return put(ctx, a)
	})},
	{"keeps the first provider", answerReplaced, putsAnswers(func(ctx context.Context, b *bundle, put putAnswerFunc, a ports.CachedAnswer) error {
		if old, err := b.answers.answer(ctx, a.Key); err == nil {
			a.Provider = old.Provider
		}
		return put(ctx, a)
	})},
	{"rejects an existing key", answerReplaced, putsAnswers(func(ctx context.Context, b *bundle, put putAnswerFunc, a ports.CachedAnswer) error {
		if _, err := b.answers.answer(ctx, a.Key); err == nil {
			return errcodes.New(errcodes.Conflict, "")
		}
		return put(ctx, a)
	})},
	{"compares 31 bytes of a key", keysApart, mapAnswerKeys(func(key *[32]byte) { key[31] = 0 })},
	{"compares the end of a key", keysApart, mapAnswerKeys(func(key *[32]byte) { key[0] = 0 })},
	{"folds a key's case", keysApart, mapAnswerKeys(func(key *[32]byte) { copy(key[:], bytes.ToLower(key[:])) })},
	{"compares 31 bytes of a claim's key", keysApart, mapClaimKeys(func(key *[32]byte) { key[31] = 0 })},
	{"keeps the answer passed in", answerAliased, func(b *bundle) {
		kept := map[[32]byte]ports.CachedAnswer{}
		b.answers.put = func(_ context.Context, a ports.CachedAnswer) error { kept[a.Key] = a; return nil }
		b.answers.answer = func(_ context.Context, key [32]byte) (ports.CachedAnswer, error) { return kept[key], nil }
	}},
	{"returns its stored bytes", answerAliased, func(b *bundle) {
		var kept []byte
		eachAnswer(func(a *ports.CachedAnswer) {
			if kept == nil {
				kept = a.Sealed.Data
			}
			a.Sealed.Data = kept
		})(b)
	}},
}

const answersDone = "a done context returns its code and changes nothing"

var answerOutcomeFlaws = slices.Concat(commonFlaws(answersDone), []flawedStore{
	{"claims with a done context", answersDone, func(b *bundle) {
		claim := b.answers.claim
		b.answers.claim = func(ctx context.Context, key [32]byte, holder string, now, until time.Time) (bool, error) {
			has, err := claim(context.WithoutCancel(ctx), key, holder, now, until)
			return has, broken.OrDone(ctx, err)
		}
	}},
	{"purges with a done context", answersDone, func(b *bundle) {
		purge := b.answers.purge
		b.answers.purge = func(ctx context.Context, before time.Time, n int) (int, error) {
			got, err := purge(context.WithoutCancel(ctx), before, n)
			return got, broken.OrDone(ctx, err)
		}
	}},
	{"releases with a done context", answersDone, func(b *bundle) {
		release := b.answers.release
		b.answers.release = func(ctx context.Context, key [32]byte, holder string) error {
			return broken.OrDone(ctx, release(context.WithoutCancel(ctx), key, holder))
		}
	}},
	{"forgets answers", "a reopened store has its answers and claims", forgets},
	{"forgets claims", "a reopened store has its answers and claims", func(b *bundle) {
		reopen, claim := b.reopen, b.answers.claim
		var opened atomic.Bool
		b.reopen = func() storetest.Store { opened.Store(true); return reopen() }
		b.answers.claim = func(ctx context.Context, key [32]byte, holder string, now, until time.Time) (bool, error) {
			if opened.Load() {
				return true, nil
			}
			return claim(ctx, key, holder, now, until)
		}
	}},
	{"accepts holders of any length", "arguments out of bounds are rejected", func(b *bundle) {
		claim := b.answers.claim
		b.answers.claim = func(ctx context.Context, key [32]byte, holder string, now, until time.Time) (bool, error) {
			return claim(ctx, key, (holder + "x")[:min(len(holder)+1, 64)], now, until)
		}
	}},
	{"rejects holders of 64 bytes", "arguments out of bounds are rejected", func(b *bundle) {
		claim := b.answers.claim
		b.answers.claim = func(ctx context.Context, key [32]byte, holder string, now, until time.Time) (bool, error) {
			if len(holder) > 63 {
				return false, errcodes.New(errcodes.InvalidRequest, "")
			}
			return claim(ctx, key, holder, now, until)
		}
	}},
	{"reduces n to the maximum", "arguments out of bounds are rejected", purgesAnswers(func(ctx context.Context, purge purgeAnswersFunc, before time.Time, n int) (int, error) {
		return purge(ctx, before, min(n, 10_000))
	})},
})
