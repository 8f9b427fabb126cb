package river_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/keyring"
	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
	"github.com/corridor-go/corridor/adapters/river"
	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/validation"
	"github.com/corridor-go/corridor/validation/market"
)

// A transaction without an answer fails in one of two processes.
func TestTransactionsTimeOut(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t, tables)
	var payments []*authstate.Service
	for range 2 {
		p := open(t, dsn, river.Config{Kinds: []string{authstate.WorkTimeout}})
		s, err := authstate.New(authstate.Ports{Transactions: p.store.Transactions(), Work: p.store.Work()}, authstate.Policy{}, nil)
		require.NoError(t, err)
		payments = append(payments, s)
		p.run(river.Jobs{Work: map[string]river.Tick{authstate.WorkTimeout: s.Tick}})
	}
	_, err := payments[0].Open(t.Context(), "shop", authstate.Opening{
		ID: "pay-1", Direction: errcodes.Payin, RespondBy: time.Now().Add(time.Second),
	})
	require.NoError(t, err)
	reader := open(t, dsn, river.Config{Kinds: []string{authstate.WorkTimeout}}).store.Transactions()
	eventually(t, "the transaction has failed", func() bool {
		stored, err := reader.Transaction(t.Context(), "shop", "pay-1") // not by the service, which would itself apply the timeout
		require.NoError(t, err)
		return stored.Status == ports.TransactionFailed
	})
}

// Another process completes what a process leaves pending (I17), whether either of them
// has a queue.
func TestAPendingValidationIsRecovered(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ goneHasQueue, staysHasQueue bool }{
		"both processes have a queue":      {true, true},
		"only the one that stays has one":  {false, true},
		"only the one that dies has one":   {true, false},
		"neither of the processes has one": {false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			recoverPending(t, c.goneHasQueue, c.staysHasQueue)
		})
	}
}

func recoverPending(t *testing.T, goneHasQueue, staysHasQueue bool) {
	t.Helper()
	dsn := pgtest.Database(t, tables)
	config := river.Config{Kinds: []string{validation.WorkRecover}}
	gone, stays := open(t, dsn, config), open(t, dsn, config)
	if !goneHasQueue {
		gone.withoutHook(t)
	}
	silent, provider := connector(), connector()
	release := silent.Hold()
	defer release()
	accounts := accountsOn(t, gone, silent)
	v, err := accounts.Validate(t.Context(), "shop", market.Request{
		MerchantID: "7f2f6f0e-4b1e-4c7e-9d58-0d5a3c1d2e3f", Country: "NGA", AccountType: "bank_account",
		AccountIdentifier: "0690000032", BankCode: "044", AccountHolderName: "Mensah, Ama",
	})
	require.NoError(t, err)
	require.Equal(t, ports.StatusPending, v.Status)
	late, cancel := context.WithCancel(t.Context())
	cancel()
	_ = accounts.Stop(late) // the process ends during its lookup

	if staysHasQueue {
		others := accountsOn(t, stays, provider)
		stays.run(river.Jobs{Work: map[string]river.Tick{validation.WorkRecover: others.Tick}})
	} else {
		stays.withoutHook(t)
		others := accountsOn(t, stays, provider)
		go func() { _ = others.Run(context.Background()) }() // until Stop
	}
	eventually(t, "the validation has ended", func() bool {
		stored, err := stays.store.Validations().Validation(t.Context(), "shop", v.ID)
		require.NoError(t, err)
		return stored.Status == ports.StatusVerified
	})
	eventually(t, "its work is done", func() bool { return stays.count(t, "work_items") == 0 })
}

func connector() *fake.Connector {
	c := fake.NewConnector("provider", []ports.Capability{{Market: ports.Market{Country: "NGA", Type: ports.BankAccount}, ReturnsName: true}})
	c.Answer(ports.Answer{Kind: ports.OutcomeFound, HolderName: "AMA SERWAA MENSAH"})
	return c
}

func accountsOn(t *testing.T, p *process, c ports.AccountConnector) *validation.Service {
	t.Helper()
	keys, err := keyring.Parse("2026-11:xsWvXAW8Qh1hBUyoEhPVkQPl7ZVqXJYYdDIBFM4TzZQ=")
	require.NoError(t, err)
	sealer, err := keyring.New(keys, nil)
	require.NoError(t, err)
	s, err := validation.New(validation.Ports{
		Validations: p.store.Validations(), Answers: p.store.Answers(), Work: p.store.Work(), Sealer: sealer,
		Connectors: []ports.AccountConnector{c},
	}, validation.Policy{AnswerTTL: 24 * time.Hour}, &validation.Config{Timeout: time.Hour})
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), within)
		defer cancel()
		_ = s.Stop(ctx)
	})
	return s
}
