package storetest

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// answerClaimChecks check claims, which decide who may ask about an account, and purges.
var answerClaimChecks = []storeCheck{
	{"a claim excludes every other holder", func(k *storeKit) {
		a, b, until := answerKey("a"), answerKey("b"), kit.Epoch.Add(lease)
		k.claims(a, "one", kit.Epoch, until, true)
		for range 2 {
			k.claims(a, "two", kit.Epoch, until, false)
			k.claims(a, "three", kit.Epoch.Add(time.Second), until.Add(time.Hour), false)
		}
		k.claims(b, "two", kit.Epoch, until, true)
		k.claims(b, "one", kit.Epoch, until, false)
	}},
	{"a holder may renew its claim", func(k *storeKit) {
		key := answerKey("a")
		k.claims(key, "one", kit.Epoch, kit.Epoch.Add(lease), true)
		k.claims(key, "one", kit.Epoch.Add(time.Second), kit.Epoch.Add(2*lease), true)
		k.claims(key, "two", kit.Epoch.Add(lease), kit.Epoch.Add(3*lease), false)
		k.claims(key, "one", kit.Epoch.Add(2*lease-time.Millisecond), kit.Epoch.Add(3*lease), true)
		k.claims(key, "two", kit.Epoch.Add(3*lease-time.Millisecond), kit.Epoch.Add(4*lease), false)
		k.claims(key, "one", kit.Epoch.Add(4*lease), kit.Epoch.Add(5*lease), true) // it had ended and was not claimed since
		k.claims(key, "two", kit.Epoch.Add(4*lease), kit.Epoch.Add(5*lease), false)
	}},
	{"a claim ends at its time, not before", func(k *storeKit) {
		key, until := answerKey("a"), kit.Epoch.Add(lease)
		k.claims(key, "one", kit.Epoch, until, true)
		k.claims(key, "two", until.Add(-time.Millisecond), until.Add(lease), false)
		k.claims(key, "two", until, until.Add(lease), true)
		k.claims(key, "one", until, until.Add(lease), false)
		k.claims(key, "three", until.Add(10*lease), until.Add(11*lease), true)
	}},
	{"a claim holds if another caller's clock is behind", func(k *storeKit) {
		key := answerKey("a")
		k.claims(key, "one", kit.Epoch, kit.Epoch.Add(lease), true)
		k.claims(key, "two", kit.Epoch.Add(-24*time.Hour), kit.Epoch.Add(24*time.Hour), false)
		k.claims(key, "two", kit.Epoch.Add(-24*time.Hour), kit.Epoch.Add(-23*time.Hour), false)
		k.claims(key, "one", kit.Epoch.Add(-time.Second), kit.Epoch.Add(lease), true)
		k.claims(key, "two", kit.Epoch.Add(lease), kit.Epoch.Add(2*lease), true)
	}},
	{"holders that look alike are different holders", holdersApart},
	{"a release ends only the holder's own claim", func(k *storeKit) {
		a, b, until := answerKey("a"), answerKey("b"), kit.Epoch.Add(lease)
		k.release(a, "nobody")
		k.claims(a, "one", kit.Epoch, until, true)
		k.claims(b, "one", kit.Epoch, until, true)
		k.release(a, "two")
		k.claims(a, "two", kit.Epoch, until, false)
		k.release(a, "one")
		k.release(a, "one")
		k.claims(b, "two", kit.Epoch, until, false)
		k.claims(a, "two", kit.Epoch, until, true)
		k.release(a, "one") // a late release has no effect
		k.claims(a, "three", kit.Epoch, until, false)
	}},
	{"a released key can be claimed at once", func(k *storeKit) {
		key := answerKey("a")
		for i := range 4 {
			holder := fmt.Sprint("holder-", i)
			k.claims(key, holder, kit.Epoch, kit.Epoch.Add(lease), true)
			k.release(key, holder)
		}
	}},
	{"claims and answers do not affect each other", claimsBesideAnswers},
	{"of many concurrent claims of one key one succeeds", claimRacers},
	{"claims of different keys do not conflict", claimsApart},
	{"a purge removes what expired by the time, and nothing else", answerPurges.byInstant},
	{"a purge removes at most n and returns how many", answerPurges.bounded},
	{"a purge counts an answer by its latest expiry", purgedByLatest},
	{"a purge removes the claims that ended before it, and no others", func(k *storeKit) {
		past, live, until := answerKey("past"), answerKey("live"), kit.Epoch.Add(lease)
		k.claims(past, "one", kit.Epoch, until, true)
		k.claims(live, "one", kit.Epoch, until.Add(lease), true)
		answerPurges.purges(k, until.Add(-time.Millisecond), 10, 0)
		k.claims(past, "two", kit.Epoch, until, false)
		answerPurges.purges(k, until.Add(time.Millisecond), 10, 0)
		k.claims(past, "two", kit.Epoch, until, true) // visible only to a clock that is behind
		k.claims(live, "two", until, until.Add(lease), false)
	}},
}

func (k *storeKit) claims(key [32]byte, holder string, now, until time.Time, want bool) {
	k.Same(kit.Got(k.Answers.Claim(k.Context(), key, holder, now, until)).OK(k, "Claim"), want, fmt.Sprintf("the claim of %.40q", holder))
}

func (k *storeKit) release(key [32]byte, holder string) {
	k.OK(k.Answers.Release(k.Context(), key, holder), "Release")
}

func holdersApart(k *storeKit) {
	for i, holder := range kit.Distinct {
		k.Case(kit.Name(holder), func() {
			if holder == "" {
				return
			}
			key := answerKey(strconv.Itoa(i))
			k.claims(key, holder, kit.Epoch, kit.Epoch.Add(lease), true)
			for _, other := range kit.Distinct {
				if other != holder && other != "" {
					k.claims(key, other, kit.Epoch, kit.Epoch.Add(lease), false)
					k.release(key, other)
				}
			}
			k.claims(key, holder, kit.Epoch, kit.Epoch.Add(lease), true)
		})
	}
}

func claimsBesideAnswers(k *storeKit) {
	a, until := cached("a"), kit.Epoch.Add(lease)
	k.claims(a.Key, "one", kit.Epoch, until, true)
	k.noAnswer(a.Key, "a key that was only claimed")
	k.putAnswer(a)
	k.claims(a.Key, "two", kit.Epoch, until, false)
	k.hasAnswer(a, "the answer of a claimed key")
	k.release(a.Key, "one")
	k.hasAnswer(a, "the answer of a released key")
	k.claims(a.Key, "two", kit.Epoch, until, true)
	k.hasAnswer(a, "the answer of a key that was claimed later")
	a.Provider = "provider-2"
	k.putAnswer(a)
	k.hasAnswer(a, "an answer replaced during a claim")
	k.claims(a.Key, "one", kit.Epoch, until, false)
}

func claimRacers(k *storeKit) {
	for round := range 8 {
		key, now := answerKey("a"), kit.Epoch.Add(time.Duration(round)*lease)
		got := make([]bool, kit.Racers)
		k.RaceOK("a concurrent Claim", func(i int) (err error) {
			got[i], err = k.Answers.Claim(k.Context(), key, fmt.Sprint("holder-", i), now, now.Add(lease))
			return err
		})
		won := 0
		for i, has := range got {
			if has {
				won++
			}
			k.claims(key, fmt.Sprint("holder-", i), now, now.Add(lease), has)
		}
		k.Same(won, 1, "the number of winners")
	}
}

func claimsApart(k *storeKit) {
	k.RaceOK("one of many concurrent puts and claims of different keys", func(i int) error {
		a := cached(strconv.Itoa(i))
		if err := k.Answers.PutAnswer(k.Context(), a); err != nil {
			return err
		}
		has, err := k.Answers.Claim(k.Context(), a.Key, "holder", kit.Epoch, kit.Epoch.Add(lease))
		if err == nil && !has {
			return errcodes.New(errcodes.Internal, "a claim of a free key was rejected")
		}
		return err
	})
	for i := range kit.Racers {
		a := cached(strconv.Itoa(i))
		k.hasAnswer(a, "one of many concurrently put answers")
		k.claims(a.Key, "other", kit.Epoch, kit.Epoch.Add(lease), false)
	}
}

var answerPurges = purging[ports.CachedAnswer]{
	save: func(k *storeKit, id string, at time.Time) ports.CachedAnswer {
		a := cached(id)
		a.ExpiresAt = at
		k.putAnswer(a)
		return a
	},
	purge: func(ctx context.Context, s Store, before time.Time, n int) (int, error) {
		return s.Answers.PurgeAnswers(ctx, before, n)
	},
	read: func(k *storeKit, a ports.CachedAnswer) error { return errOf(k.Answers.Answer(k.Context(), a.Key)) },
	has:  (*storeKit).hasAnswer,
}

// purgedByLatest replaces answers by ones that expire later, earlier, later and
// earlier in turn.
func purgedByLatest(k *storeKit) {
	put := func(text string, hours ...int) ports.CachedAnswer {
		a := cached(text)
		for _, h := range hours {
			a.ExpiresAt = kit.Epoch.Add(time.Duration(h) * time.Hour)
			k.putAnswer(a)
		}
		return a
	}
	kept := put("kept", 1, 9)
	put("gone", 9, 1)
	put("gone too", 1, 9, 1)
	keptToo := put("kept too", 1, 9, 1, 9)
	answerPurges.purges(k, kit.Epoch.Add(2*time.Hour), 10, 2)
	k.hasAnswer(kept, "an answer that was replaced")
	k.hasAnswer(keptToo, "an answer that was replaced twice")
	k.noAnswer(answerKey("gone"), "a purged key")
	put("gone", 9)
	answerPurges.purges(k, kit.Epoch.Add(8*time.Hour), 10, 0)
	answerPurges.purges(k, kit.Epoch.Add(9*time.Hour), 10, 3)
	answerPurges.purges(k, kit.Epoch.Add(99*time.Hour), 10, 0)
}
