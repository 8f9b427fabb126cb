package sandbox_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/connector/sandbox"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/ports/portstest/connectortest"
)

var morning = time.Date(2026, time.November, 20, 9, 0, 0, 0, time.UTC)

func open(tb testing.TB, cfg *sandbox.Config) *sandbox.Connector {
	tb.Helper()
	c, err := sandbox.New(cfg)
	require.NoError(tb, err)
	return c
}

func account(identifier string) ports.AccountLookup {
	return ports.AccountLookup{Account: ports.Account{
		Market:     ports.Market{Country: "GHA", Type: ports.BankAccount},
		Identifier: identifier, BankCode: "040",
	}}
}

func TestConforms(t *testing.T) {
	for _, standby := range []bool{false, true} {
		t.Run(fmt.Sprintf("standby %t", standby), func(t *testing.T) {
			connectortest.AccountConnector(t, connectortest.Harness{
				Scenarios: os.DirFS("testdata"), NoUpstream: true,
				New: func(tb testing.TB, up connectortest.Upstream) ports.AccountConnector {
					return open(tb, &sandbox.Config{Clock: up.Clock, Standby: standby})
				},
			})
		})
	}
}

func TestTheLastDigitsDecideTheAnswer(t *testing.T) {
	for end, want := range map[string]struct{ first, standby ports.Outcome }{
		"0000": {ports.OutcomeNotFound, ports.OutcomeNotFound},
		"0001": {ports.OutcomeFailed, ports.OutcomeFailed},
		"0004": {ports.OutcomeTryLater, ports.OutcomeFound},
		"0005": {ports.OutcomeFound, ports.OutcomeFound},
		"1000": {ports.OutcomeFound, ports.OutcomeFound},
		"000":  {ports.OutcomeFound, ports.OutcomeFound},
	} {
		for standby, kind := range map[bool]ports.Outcome{false: want.first, true: want.standby} {
			a, err := open(t, &sandbox.Config{Standby: standby}).Lookup(t.Context(), account("12345"+end))
			require.NoError(t, err)
			assert.Equal(t, kind, a.Kind, "%s, standby %t", end, standby)
		}
	}
}

func TestAFailureHasACodeAndAMessage(t *testing.T) {
	a, err := open(t, nil).Lookup(t.Context(), account("1230001"))
	require.NoError(t, err)
	assert.NotEmpty(t, a.Code)
	assert.NotEmpty(t, a.Message)
}

func TestTryLaterHasAWait(t *testing.T) {
	a, err := open(t, nil).Lookup(t.Context(), account("1230004"))
	require.NoError(t, err)
	assert.Equal(t, sandbox.TryLaterAfter, a.After)
}

func TestTheSlowAnswerTakesThreeSecondsByTheClock(t *testing.T) {
	clock := portstest.NewClock(morning)
	c := open(t, &sandbox.Config{Clock: clock})
	got := make(chan ports.Answer, 1)
	go func() {
		a, err := c.Lookup(t.Context(), account("1230002"))
		assert.NoError(t, err)
		got <- a
	}()
	clock.BlockUntil(1)
	clock.Advance(sandbox.SlowAfter - 1)
	require.Equal(t, 1, clock.Waiters(), "the answer must not come before its time")
	clock.Advance(1)
	assert.Equal(t, ports.Answer{Kind: ports.OutcomeFound, HolderName: sandbox.HolderName}, <-got)
}

func TestTheSlowAnswerEndsWithTheContext(t *testing.T) {
	clock := portstest.NewClock(morning)
	ctx, cancel := context.WithCancel(t.Context())
	c := open(t, &sandbox.Config{Clock: clock})
	failed := make(chan error, 1)
	go func() {
		_, err := c.Lookup(ctx, account("1230002"))
		failed <- err
	}()
	clock.BlockUntil(1)
	cancel()
	require.ErrorIs(t, <-failed, context.Canceled)
}

func TestAnAccountWithoutAnAnswerEndsWithTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 20 * time.Second
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		_, err := open(t, nil).Lookup(ctx, account("1230003"))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, limit, time.Since(start))
	})
}

func TestAnUnknownMarketIsUnsupported(t *testing.T) {
	l := account("123")
	l.Country = "XXX"
	a, err := open(t, nil).Lookup(t.Context(), l)
	require.NoError(t, err)
	assert.Equal(t, ports.Answer{Kind: ports.OutcomeUnsupported}, a)
}

// TestAllOtherAccountsAreFound draws accounts of every market that are not in the
// table.
func TestAllOtherAccountsAreFound(t *testing.T) {
	c := open(t, nil)
	markets := c.Capabilities()
	require.Len(t, markets, 8)
	rapid.Check(t, func(r *rapid.T) {
		l := account(rapid.StringMatching(`[0-9A-Z]{0,30}`).Draw(r, "identifier"))
		l.Market = rapid.SampledFrom(markets).Draw(r, "market").Market
		for n := range 5 {
			if strings.HasSuffix(l.Identifier, fmt.Sprintf("%04d", n)) {
				r.Skip("the account is in the table")
			}
		}
		a, err := c.Lookup(context.Background(), l)
		if err != nil || a != (ports.Answer{Kind: ports.OutcomeFound, HolderName: "AMA SERWAA MENSAH"}) {
			r.Fatalf("%+v, %v", a, err)
		}
	})
}

func TestConcurrentUse(t *testing.T) {
	c := open(t, nil)
	var wg sync.WaitGroup
	for n := range 32 {
		wg.Go(func() {
			a, err := c.Lookup(t.Context(), account(fmt.Sprintf("99%04d", n%2*7)))
			assert.NoError(t, err)
			assert.Equal(t, n%2 == 1, a.Kind == ports.OutcomeFound)
		})
	}
	wg.Wait()
}

func ExampleNew() {
	connector, err := sandbox.New(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	nigeria := ports.Market{Country: "NGA", Type: ports.BankAccount}
	for _, number := range []string{"0123456785", "0123450000"} {
		answer, err := connector.Lookup(context.Background(), ports.AccountLookup{
			Account: ports.Account{Market: nigeria, Identifier: number, BankCode: "058"},
		})
		fmt.Println(answer.Kind, answer.HolderName, err)
	}
	// Output:
	// found AMA SERWAA MENSAH <nil>
	// not_found  <nil>
}
