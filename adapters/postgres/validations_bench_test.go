package postgres_test

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/corridor-go/corridor/adapters/keyring"
	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/validation"
	"github.com/corridor-go/corridor/validation/market"
)

// validating returns a service on the store whose provider finds every account.
func validating(tb testing.TB, store *postgres.Store, config *validation.Config) *validation.Service {
	tb.Helper()
	keys, err := keyring.New([]keyring.Key{{ID: "k", Secret: bytes.Repeat([]byte{7}, 32)}}, nil)
	require.NoError(tb, err)
	queue, err := memory.New(nil)
	require.NoError(tb, err)
	provider := fake.NewConnector("provider", []ports.Capability{{Market: ports.Market{Country: "NGA", Type: ports.BankAccount}, ReturnsName: true}})
	provider.Answer(ports.Answer{Kind: ports.OutcomeFound, HolderName: "AMA SERWAA MENSAH"})
	service, err := validation.New(validation.Ports{
		Validations: store.Validations(), Answers: store.Answers(), Work: queue.Work(), Sealer: keys,
		Connectors: []ports.AccountConnector{provider},
	}, validation.Policy{AnswerTTL: 24 * time.Hour}, config)
	require.NoError(tb, err)
	return service
}

func accountRequest(i int, name string) market.Request {
	return market.Request{
		MerchantID: "7f2f6f0e-4b1e-4c7e-9d58-0d5a3c1d2e3f", Country: "NGA", AccountType: "bank_account",
		AccountIdentifier: fmt.Sprintf("80%08d", i), BankCode: "100004", AccountHolderName: name,
	}
}

// TestACacheHitIsOneReadAndOneWrite counts the statements of a validation.
func TestACacheHitIsOneReadAndOneWrite(t *testing.T) {
	t.Parallel()
	traced := &statements{}
	store := on(t, connect(t, emptied(t), traced.trace), nil)
	service := validating(t, store, nil)
	for _, c := range []struct {
		name string
		want int
		req  market.Request
	}{
		{"an account without a cached answer", 6, accountRequest(1, "")}, // read, claim, read again, store the answer, save, release
		{"an account with a cached answer", 2, accountRequest(1, "Mensah Ama")},
		{"the same request again", 0, accountRequest(1, "Mensah Ama")},
	} {
		traced.of(t, func() error {
			v, err := service.Validate(t.Context(), "acme", c.req)
			require.Equal(t, ports.StatusVerified, v.Status)
			return err
		})
		// The claim is released concurrently.
		require.Eventually(t, func() bool { return traced.count() == c.want }, patience, time.Millisecond, c.name)
	}
	require.NoError(t, service.Stop(t.Context()))
}

// BenchmarkCacheHitToSelect1 validates accounts with cached answers, and selects 1,
// through the same pool of 8 connections.
func BenchmarkCacheHitToSelect1(b *testing.B) {
	const accounts = 256
	for _, mode := range []struct {
		name string
		asks func(i int64) string
	}{
		{"asked before", func(int64) string { return "Mensah Ama" }},
		{"another name", func(i int64) string { return "Mensah Ama " + strconv.FormatInt(i, 10) }},
	} {
		b.Run(mode.name, func(b *testing.B) {
			cluster := pgtest.New(b, &pgtest.Options{Durable: true})
			pool := connect(b, cluster.Database(b, tables), nil)
			service := validating(b, on(b, pool, nil), nil)
			for i := range accounts {
				for range 2 {
					_, err := service.Validate(b.Context(), "acme", accountRequest(i, "Mensah Ama"))
					require.NoError(b, err)
				}
			}
			var n atomic.Int64
			againstSelect1(b, pool, func() error {
				i := n.Add(1)
				_, err := service.Validate(b.Context(), "acme", accountRequest(int(i%accounts), mode.asks(i)))
				return err
			})
		})
	}
}

// BenchmarkNewValidationToInsert saves a validation that has ended, with its event, and
// inserts one plain row with the same durability.
func BenchmarkNewValidationToInsert(b *testing.B) {
	cluster := pgtest.New(b, &pgtest.Options{Durable: true})
	pool := connect(b, cluster.Database(b, tables), nil)
	store := on(b, pool, nil)
	_, err := pool.Exec(b.Context(), "CREATE TABLE plain (id text PRIMARY KEY, owner text, data bytea)")
	require.NoError(b, err)
	data := bytes.Repeat([]byte{0xa5}, 250)
	against(b, func() error {
		c := withEvent(endedWith(pendingAt("acme", rand.Text()), ports.StatusVerified))
		c.Record.Sealed.Data, c.Work = data, nil
		return store.Validations().Save(b.Context(), c)
	}, func() error {
		_, err := pool.Exec(b.Context(), "INSERT INTO plain VALUES ($1, 'acme', $2)", rand.Text(), data)
		return err
	})
}

// BenchmarkAnswerToSelect1 reads a cached answer.
func BenchmarkAnswerToSelect1(b *testing.B) {
	pool := connect(b, migrated(b), nil)
	store := on(b, pool, nil)
	a := ports.CachedAnswer{Provider: "paystack", At: epoch, ExpiresAt: epoch, Sealed: ports.Sealed{KeyID: "k1", Data: bytes.Repeat([]byte{0xa5}, 250)}}
	require.NoError(b, store.Answers().PutAnswer(b.Context(), a))
	againstSelect1(b, pool, func() error {
		_, err := store.Answers().Answer(b.Context(), a.Key)
		return err
	})
}

func againstSelect1(b *testing.B, pool *pgxpool.Pool, subject func() error) {
	b.Helper()
	against(b, subject, func() error {
		var one int
		return pool.QueryRow(b.Context(), "SELECT 1").Scan(&one)
	})
}

// against runs both in turns on 8 goroutines, and reports the median over the turns of
// how many times as fast the subject is.
func against(b *testing.B, subject, reference func() error) {
	b.Helper()
	timed := func(call func() error) float64 {
		start := time.Now()
		var g errgroup.Group
		for range 8 {
			g.Go(func() error {
				for range 50 {
					if err := call(); err != nil {
						return err
					}
				}
				return nil
			})
		}
		require.NoError(b, g.Wait())
		return float64(time.Since(start))
	}
	var ratios, each []float64
	for b.Loop() {
		took := timed(subject)
		ratios, each = append(ratios, timed(reference)/took), append(each, took/400)
	}
	slices.Sort(ratios)
	slices.Sort(each)
	b.ReportMetric(ratios[len(ratios)/2], "times_the_reference")
	b.ReportMetric(each[len(each)/2], "ns/call")
}
