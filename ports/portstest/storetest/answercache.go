package storetest

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// AnswerCache checks a ports.AnswerCache.
func AnswerCache(t *testing.T, h Harness) {
	t.Helper()
	runStore(t, h, answerCacheChecks, "Store.Answers is nil", func(s Store) bool { return s.Answers != nil })
}

var answerCacheChecks = slices.Concat(answerChecks, answerClaimChecks)

var answerChecks = []storeCheck{
	{"an unknown key is not found", func(k *storeKit) {
		k.noAnswer(answerKey("a"), "an empty cache")
		k.putAnswer(cached("a"))
		k.noAnswer(answerKey("b"), "an unknown key")
		k.noAnswer([32]byte{}, "the zero key")
	}},
	{"an answer is returned as it was put", answerRoundTrip},
	{"a stale answer is still returned", func(k *storeKit) {
		want := cached("a")
		want.At, want.ExpiresAt = kit.Epoch.AddDate(-30, 0, 0), kit.Epoch.AddDate(-29, 0, 0)
		k.putAnswer(want)
		k.hasAnswer(want, "a stale answer")
		k.putAnswer(cached("a"))
		k.hasAnswer(cached("a"), "the new answer")
	}},
	{"an answer replaces the earlier one", answerReplaced},
	{"keys that differ in one byte are different keys", answerKeysApart},
	{"changing an answer outside the store does not change the store", func(k *storeKit) {
		in := cached("a")
		k.putAnswer(in)
		for range 2 {
			in.Sealed.Data[0]++
			in.Key[0]++
			in = kit.Got(k.Answers.Answer(k.Context(), answerKey("a"))).OK(k, "Answer")
			k.Same(in, cached("a"), "the answer after a copy was changed")
		}
	}},
	{"a done context returns its code and changes nothing", func(k *storeKit) {
		have, fresh := cached("have"), cached("fresh")
		k.putAnswer(have)
		k.claims(have.Key, "holder", kit.Epoch, kit.Epoch.Add(lease), true)
		k.doneContexts(k.answerCalls(have, fresh))
		k.hasAnswer(have, "the answer after a purge with a done context")
		k.noAnswer(fresh.Key, "a put with a done context")
		k.claims(have.Key, "other", kit.Epoch, kit.Epoch.Add(lease), false)
		k.claims(fresh.Key, "other", kit.Epoch, kit.Epoch.Add(lease), true)
	}},
	{"a closed store returns Closed", func(k *storeKit) {
		have := cached("have")
		k.putAnswer(have)
		k.closed(k.answerCalls(have, cached("fresh")))
	}},
	{"a reopened store has its answers and claims", answersReopened},
	{"arguments out of bounds are rejected", answerBounds},
}

func answerKey(text string) [32]byte {
	var key [32]byte
	copy(key[:], text)
	return key
}

func cached(text string) ports.CachedAnswer {
	return ports.CachedAnswer{
		Key: answerKey(text), Provider: "provider-1", At: kit.Epoch, ExpiresAt: kit.Epoch.AddDate(0, 0, 1),
		Sealed: ports.Sealed{KeyID: "key-1", Data: []byte("sealed answer of " + text)},
	}
}

func (k *storeKit) putAnswer(a ports.CachedAnswer) {
	k.OK(k.Answers.PutAnswer(k.Context(), a), "PutAnswer")
}

func (k *storeKit) hasAnswer(want ports.CachedAnswer, what string) {
	k.Same(kit.Got(k.Answers.Answer(k.Context(), want.Key)).OK(k, "Answer"), want, what)
}

func (k *storeKit) noAnswer(key [32]byte, what string) {
	k.Code(errOf(k.Answers.Answer(k.Context(), key)), errcodes.NotFound, "Answer of "+what)
}

func answerRoundTrip(k *storeKit) {
	for i, data := range append(kit.AnyBytes, bytes.Repeat([]byte("x"), 10_000)) {
		k.Case(kit.Name(data), func() {
			want := cached(string(rune('a' + i)))
			want.Sealed.Data = data
			k.putAnswer(want)
			k.hasAnswer(want, "an answer of any bytes")
		})
	}
	for i, at := range []time.Time{
		kit.Epoch.Add(time.Millisecond),
		time.Date(1600, 1, 1, 0, 0, 0, int(time.Millisecond), time.UTC),
		time.Date(2500, 1, 1, 0, 0, 0, int(time.Millisecond), time.UTC),
	} {
		k.Case(at.Format(time.DateOnly), func() {
			want := cached(string(rune('A' + i)))
			want.Provider, want.Sealed.KeyID = fmt.Sprint("other-", i), fmt.Sprint("other-key-", i)
			want.At, want.ExpiresAt = at, at.Add(time.Millisecond)
			k.putAnswer(want)
			k.hasAnswer(want, "an answer with distant times")
		})
	}
}

func answerReplaced(k *storeKit) {
	other := cached("b")
	k.putAnswer(other)
	k.putAnswer(cached("a"))
	// The second is older than the first: the cache does not judge which is right.
	for i, at := range []time.Time{kit.Epoch.Add(time.Hour), kit.Epoch.Add(-time.Hour), kit.Epoch} {
		want := ports.CachedAnswer{
			Key: answerKey("a"), Provider: "provider-2", At: at, ExpiresAt: at.Add(time.Minute),
			Sealed: ports.Sealed{KeyID: "key-2", Data: bytes.Repeat([]byte{0xff}, i)},
		}
		k.putAnswer(want)
		k.hasAnswer(want, "the later answer")
	}
	k.hasAnswer(other, "the other answer")
}

func answerKeysApart(k *storeKit) {
	var all []ports.CachedAnswer
	for _, at := range []int{0, 15, 31} {
		for _, b := range []byte{0, ' ', 'a', 'A', 0xff} {
			a := cached("0123456789abcdef0123456789abcdef")
			a.Key[at] = b
			a.Sealed.Data = []byte{byte(at), b}
			k.putAnswer(a)
			all = append(all, a)
		}
	}
	for i, a := range all {
		k.claims(a.Key, string(rune('A'+i)), kit.Epoch, kit.Epoch.Add(lease), true)
	}
	for i, a := range all {
		k.hasAnswer(a, "an answer among look-alikes")
		k.claims(a.Key, string(rune('A'+(i+1)%len(all))), kit.Epoch, kit.Epoch.Add(lease), false)
	}
}

func (k *storeKit) answerCalls(have, fresh ports.CachedAnswer) map[string]func(ctx context.Context) error {
	return map[string]func(ctx context.Context) error{
		"Answer":    func(ctx context.Context) error { return errOf(k.Answers.Answer(ctx, have.Key)) },
		"PutAnswer": func(ctx context.Context) error { return k.Answers.PutAnswer(ctx, fresh) },
		"Claim": func(ctx context.Context) error {
			return errOf(k.Answers.Claim(ctx, fresh.Key, "late", kit.Epoch, kit.Epoch.Add(lease)))
		},
		"Release":      func(ctx context.Context) error { return k.Answers.Release(ctx, have.Key, "holder") },
		"PurgeAnswers": func(ctx context.Context) error { return errOf(k.Answers.PurgeAnswers(ctx, have.ExpiresAt, 10)) },
	}
}

func answersReopened(k *storeKit) {
	k.Need(k.Reopen != nil, "Reopen: it is not durable")
	have, replaced, purged := cached("have"), cached("replaced"), cached("purged")
	purged.ExpiresAt = kit.Epoch
	for _, a := range []ports.CachedAnswer{have, replaced, purged} {
		k.putAnswer(a)
	}
	replaced.Provider = "provider-2"
	k.putAnswer(replaced)
	answerPurges.purges(k, kit.Epoch, 10, 1)
	k.claims(have.Key, "holder", kit.Epoch, kit.Epoch.Add(lease), true)
	k.Store = k.Reopen()
	k.hasAnswer(have, "the answer after reopening")
	k.hasAnswer(replaced, "the later answer after reopening")
	k.noAnswer(purged.Key, "an answer purged before reopening")
	k.claims(have.Key, "other", kit.Epoch, kit.Epoch.Add(lease), false) // another process may have the claim
	k.claims(have.Key, "holder", kit.Epoch, kit.Epoch.Add(lease), true)
}

func answerBounds(k *storeKit) {
	key, until := answerKey("a"), kit.Epoch.Add(lease)
	claim := func(holder string) error {
		return errOf(k.Answers.Claim(k.Context(), key, holder, kit.Epoch, until))
	}
	purge := func(n int) error { return errOf(k.Answers.PurgeAnswers(k.Context(), kit.Epoch, n)) }
	long := strings.Repeat("\xff", 64)
	k.invalid(map[string]error{
		"a claim without a holder":   claim(""),
		"a claim of 65 bytes":        claim(long + "x"),
		"a release without a holder": k.Answers.Release(k.Context(), key, ""),
		"a release of 65 bytes":      k.Answers.Release(k.Context(), key, long+"x"),
		"a purge of 0":               purge(0),
		"a purge of -1":              purge(-1),
		"a purge of 10,001":          purge(10_001),
	})
	k.claims(key, long, kit.Epoch, until, true)
	k.release(key, long)
	k.claims(key, "h", kit.Epoch, until, true)
	answerPurges.purges(k, kit.Epoch, 1, 0)
	answerPurges.purges(k, kit.Epoch, 10_000, 0)
}
