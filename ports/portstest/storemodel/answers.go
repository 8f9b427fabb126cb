package storemodel

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Answers compares the stores' answer caches with two maps. The callers' clocks
// differ and jump.
func Answers(t *testing.T, fresh Fresh) {
	rapid.Check(t, func(rt *rapid.T) {
		m := &answersModel{answers: map[[32]byte]ports.CachedAnswer{}, claims: map[[32]byte]modelClaim{}}
		for _, store := range fresh() {
			m.caches = append(m.caches, store.Answers())
		}
		rt.Repeat(map[string]func(*rapid.T){
			"put": m.put, "claim": m.claim, "release": m.release, "purge": m.purge, "": m.compare,
		})
	})
}

type modelClaim struct {
	holder string
	until  time.Time
}

type answersModel struct {
	caches    []ports.AnswerCache
	answers   map[[32]byte]ports.CachedAnswer
	claims    map[[32]byte]modelClaim
	puts      int
	strangers int
}

func (m *answersModel) any(t *rapid.T) ports.AnswerCache {
	return rapid.SampledFrom(m.caches).Draw(t, "cache")
}

func (m *answersModel) put(t *rapid.T) {
	m.puts++
	a := ports.CachedAnswer{
		Key: fewKeys.Draw(t, "key"), Provider: strconv.Itoa(m.puts), At: fewTimes.Draw(t, "at"), ExpiresAt: fewTimes.Draw(t, "expires"),
		Sealed: ports.Sealed{KeyID: "k", Data: anySealed.Draw(t, "sealed")},
	}
	require.NoError(t, m.any(t).PutAnswer(context.Background(), a))
	m.answers[a.Key] = a
}

func (m *answersModel) claim(t *rapid.T) {
	key, holder := fewKeys.Draw(t, "key"), fewHolders.Draw(t, "holder")
	now, until := fewTimes.Draw(t, "now"), fewTimes.Draw(t, "until")
	old, claimed := m.claims[key]
	want := !claimed || old.holder == holder || !old.until.After(now)
	got, err := m.any(t).Claim(context.Background(), key, holder, now, until)
	require.NoError(t, err)
	require.Equal(t, want, got)
	if want {
		m.claims[key] = modelClaim{holder, until}
	}
}

func (m *answersModel) release(t *rapid.T) {
	key, holder := fewKeys.Draw(t, "key"), fewHolders.Draw(t, "holder")
	require.NoError(t, m.any(t).Release(context.Background(), key, holder))
	if m.claims[key].holder == holder {
		delete(m.claims, key)
	}
}

func (m *answersModel) purge(t *rapid.T) {
	const most = 2 // of three keys
	before := fewTimes.Draw(t, "before")
	var gone [][32]byte
	for key, a := range m.answers {
		if !a.ExpiresAt.After(before) {
			gone = append(gone, key)
		}
	}
	got, err := m.any(t).PurgeAnswers(context.Background(), before, most)
	require.NoError(t, err)
	require.Equal(t, min(most, len(gone)), got)
	for _, key := range gone { // the store chooses the order of answers that expire together
		if _, err := m.caches[0].Answer(context.Background(), key); errcodes.Of(err) == errcodes.NotFound {
			for _, other := range gone {
				kept, err := m.caches[1].Answer(context.Background(), other)
				require.False(t, err == nil && kept.ExpiresAt.Before(m.answers[key].ExpiresAt), "answers that expired earlier must be purged first")
			}
			got--
		}
	}
	require.Zero(t, got)
	for _, key := range gone {
		if _, err := m.caches[0].Answer(context.Background(), key); errcodes.Of(err) == errcodes.NotFound {
			delete(m.answers, key)
		}
	}
	m.purgeClaims(t, before, most)
}

// purgeClaims tries to claim each ended key at a time before the claim's end: a
// stranger succeeds if the claim was purged.
func (m *answersModel) purgeClaims(t *rapid.T, before time.Time, most int) {
	m.strangers++
	past, purged, stranger := 0, 0, "stranger "+strconv.Itoa(m.strangers)
	for key, c := range m.claims {
		ended := c.until.Before(before)
		free, err := m.caches[1].Claim(context.Background(), key, stranger, c.until.Add(-time.Millisecond), c.until)
		require.NoError(t, err)
		require.False(t, free && !ended, "a claim was purged before its end")
		if ended {
			past++
		}
		if free {
			purged++
			m.claims[key] = modelClaim{stranger, c.until}
		}
	}
	require.Equal(t, min(most, past), purged)
}

func (m *answersModel) compare(t *rapid.T) {
	key := fewKeys.Draw(t, "read")
	got, err := m.any(t).Answer(context.Background(), key)
	want, found := m.answers[key]
	if !found {
		require.Equal(t, errcodes.NotFound, errcodes.Of(err), "%v", err)
		return
	}
	require.NoError(t, err)
	require.Equal(t, want, got)
}
