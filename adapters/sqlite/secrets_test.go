package sqlite_test

import (
	"bytes"
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/errcodes"
)

func TestBoundsOfTheCacheAndSecrets(t *testing.T) {
	store := open(t, migrated(t), nil)
	fresh := bytes.Repeat([]byte{7}, 16)
	for name, ok := range map[string]bool{"": false, "n": true, strings.Repeat("\xff", 64): true, strings.Repeat("n", 65): false} {
		_, err := store.Secrets().Secret(t.Context(), name, fresh)
		require.Equal(t, ok, err == nil, "%v", err)
		won, err := store.Answers().Claim(t.Context(), [32]byte{byte(len(name))}, name, epoch, epoch.Add(1e9))
		require.Equal(t, ok, won)
		if !ok {
			requireCode(t, errcodes.InvalidRequest, err)
			requireCode(t, errcodes.InvalidRequest, store.Answers().Release(t.Context(), [32]byte{}, name))
		}
	}
	for n, ok := range map[int]bool{0: false, 15: false, 16: true, 1024: true, 1025: false} {
		name := string(rune('A' + n))
		got, err := store.Secrets().Secret(t.Context(), name, make([]byte, n))
		if !ok {
			requireCode(t, errcodes.InvalidRequest, err)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, make([]byte, n), got)
	}
}

// All racers of two stores on one file get the same secret, and one gets the claim.
func TestTwoProcessesRaceForSecretsAndClaims(t *testing.T) {
	stores := twoProcesses(t)
	const racers, rounds = 6, 25
	var got [racers][rounds]string
	var won [racers][rounds]bool
	var g errgroup.Group
	for i := range racers {
		store, holder := stores[i%2], string(rune('a'+i))
		g.Go(func() error {
			for round := range rounds {
				secret, err := store.Secrets().Secret(t.Context(), string(rune('A'+round)), []byte(rand.Text()))
				if err != nil {
					return err
				}
				got[i][round] = string(secret)
				key := [32]byte{byte(round)}
				if won[i][round], err = store.Answers().Claim(t.Context(), key, holder, epoch, epoch.Add(time.Minute)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	require.NoError(t, g.Wait())
	for round := range rounds {
		winners := 0
		for i := range racers {
			require.Equal(t, got[0][round], got[i][round])
			if won[i][round] {
				winners++
			}
		}
		require.Equal(t, 1, winners)
	}
}

// Another process has an open write transaction: a claim that cannot succeed must not
// wait for it.
func TestALostClaimDoesNotWrite(t *testing.T) {
	path := migrated(t)
	store := open(t, path, &sqlite.Config{BusyTimeout: 100 * time.Millisecond})
	until := epoch.Add(time.Minute)
	won, err := store.Answers().Claim(t.Context(), [32]byte{}, "a", epoch, until)
	require.NoError(t, err)
	require.True(t, won)
	fresh := bytes.Repeat([]byte{7}, 16)
	secret, err := store.Secrets().Secret(t.Context(), "s", fresh)
	require.NoError(t, err)

	other := raw(t, path)
	query(t, other, "BEGIN IMMEDIATE")
	won, err = store.Answers().Claim(t.Context(), [32]byte{}, "b", until.Add(-time.Millisecond), until)
	require.NoError(t, err)
	require.False(t, won)
	again, err := store.Secrets().Secret(t.Context(), "s", make([]byte, 16))
	require.NoError(t, err)
	require.Equal(t, secret, again)
	_, err = store.Answers().Claim(t.Context(), [32]byte{}, "b", until, until)
	requireCode(t, errcodes.StorageUnavailable, err)
	query(t, other, "COMMIT")
}
