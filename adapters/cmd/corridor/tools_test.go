package main

import (
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/ratelock"
	"github.com/corridor-go/corridor/validation"
)

func TestDemoTellsItsStory(t *testing.T) {
	code, out, errs := command(t, "", nil, "demo")
	require.Zero(t, code, errs)
	for _, part := range []string{
		"= 16.3986445", "expired", "cancelled (market_drift)", "398 bps", "rate_lock.cancelled",
		"verified by sandbox, held by AMA SERWAA MENSAH\n", "name_mismatch by sandbox", "Lookups so far: 1.",
		"not_found by rules (The account number's check digit", "pending by sandbox\n", "validation.pending",
	} {
		require.Contains(t, out, part)
	}
}

// TestDemoFailsWhenAccountsGoAnotherWay: each chapter's checks are of use.
func TestDemoFailsWhenAccountsGoAnotherWay(t *testing.T) {
	for name, c := range map[string]struct {
		policy   validation.Policy
		chapters func(s *story) []func()
	}{
		"answers are kept no longer than an hour": {
			validation.Policy{AnswerTTL: time.Hour}, func(s *story) []func() { return []func(){s.payee} },
		},
		"the kept answer is stale": {
			validation.Policy{AnswerTTL: time.Hour}, func(s *story) []func() {
				return []func(){func() { s.validate(demoAccount, "") }, s.anotherName}
			},
		},
		"check digits do not count": {
			validation.Policy{CheckDigit: validation.Advise}, func(s *story) []func() { return []func(){s.slip} },
		},
		"the slow bank has answered before": {
			validation.Policy{AnswerTTL: time.Hour}, func(s *story) []func() {
				return []func(){func() { s.impatient(); s.clock.Add(time.Second); _, _ = s.accounts.Wait(s.ctx, shop, s.slow) }, s.slowBank}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := newStory(t.Context(), io.Discard)
			require.NoError(t, err)
			s.accounts, err = s.newAccounts(c.policy)
			require.NoError(t, err)
			require.ErrorContains(t, s.tell(c.chapters(s)...), "another way")
			require.NoError(t, s.accounts.Close(context.Background()))
		})
	}
}

func TestDemoFailsWhenTheStoryGoesAnotherWay(t *testing.T) {
	s, err := newStory(context.Background(), io.Discard)
	require.NoError(t, err)
	s.locks, err = ratelock.New(s.store.RateLocks(), s.feed, ratelock.Terms{Validity: 48 * time.Hour}, &ratelock.Config{Clock: s.clock})
	require.NoError(t, err)
	s.twoLocks()
	require.NoError(t, s.err)
	s.expiry()
	require.ErrorContains(t, s.err, "another way")
}

func TestClientNewMakesAnEntryThatServeTakes(t *testing.T) {
	code, out, errs := command(t, "", nil, "client", "new", "acme", "--merchant", "m1", "--merchant", "m2", "--not-after", "2027-01-01T00:00:00Z")
	require.Zero(t, code)
	var made entry
	require.NoError(t, json.Unmarshal([]byte(out), &made))
	require.Equal(t, "acme", made.ID)
	require.Equal(t, []string{"m1", "m2"}, made.Merchants)
	fields := strings.Fields(errs)
	secret := fields[len(fields)-1]
	require.NotContains(t, out, secret)

	code, hashed, _ := command(t, secret+"\n", nil, "client", "hash")
	require.Zero(t, code)
	require.Contains(t, hashed, made.Secrets[0].SHA256, "the same secret has the same hash")
}

func TestClientRejects(t *testing.T) {
	for name, c := range map[string]struct {
		stdin string
		args  []string
	}{
		"no secret":             {"", []string{"client", "hash"}},
		"a secret too short":    {"hunter2\n", []string{"client", "hash"}},
		"a client without name": {"", []string{"client", "new", ""}},
		"a window that is none": {"", []string{"client", "new", "a", "--not-before", "2027-01-01T00:00:00Z", "--not-after", "2026-01-01T00:00:00Z"}},
		"no command":            {"", nil},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := command(t, c.stdin, nil, c.args...)
			require.Equal(t, exitRejected, code)
			require.Empty(t, out)
			require.NotContains(t, errs, "hunter2")
		})
	}
}

func TestMigrate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "corridor.db")
	for range 2 {
		code, out, errs := command(t, "", nil, "migrate", "--store", "sqlite:"+path)
		require.Zero(t, code, errs)
		require.Contains(t, out, "up to date")
	}
	code, _, _ := command(t, "", nil, "migrate", "--store", "sqlite:"+path+"/below")
	require.Equal(t, exitRejected, code)
}
