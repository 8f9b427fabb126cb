package river_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
	"github.com/corridor-go/corridor/adapters/river"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports/portstest"
)

var bare = pgtest.NewTemplate(func(context.Context, string) error { return nil })

func TestConfigIsChecked(t *testing.T) {
	t.Parallel()
	pool := connect(t, pgtest.Database(t, tables))
	for _, c := range []struct {
		name   string
		config river.Config
		says   string
	}{
		{"a kind in capitals", river.Config{Kinds: []string{"Notify"}}, "Kinds"},
		{"a kind that is too long", river.Config{Kinds: []string{strings.Repeat("k", 59)}}, "Kinds"},
		{"an empty kind", river.Config{Kinds: []string{""}}, "Kinds"},
		{"a kind with a hyphen", river.Config{Kinds: []string{"a-b"}}, "Kinds"},
		{"a kind with two dots", river.Config{Kinds: []string{"a..b"}}, "Kinds"},
		{"a kind twice", river.Config{Kinds: []string{"a", "a"}}, "twice"},
		{"a kind of work and of events", river.Config{Kinds: []string{"a"}, Wake: map[string]string{"a": "b"}}, "both contain"},
		{"a ticker without a name", river.Config{Wake: map[string]string{"a": ""}}, "Wake"},
		{"a nil clock", river.Config{Clock: (*portstest.Clock)(nil)}, "Clock is required"},
		{"a round too often", river.Config{Every: time.Millisecond}, "Every is 1ms, want 1s to 1h0m0s"},
		{"no batch", river.Config{Batch: -1}, "want 1 to 1000"},
		{"a batch too large", river.Config{Batch: 1001}, "want 1 to 1000"},
		{"a timeout too short", river.Config{Timeout: time.Millisecond}, "want 1s to 1h0m0s"},
		{"a timeout too long", river.Config{Timeout: 2 * time.Hour}, "want 1s to 1h0m0s"},
		{"a poll too short", river.Config{Poll: time.Millisecond}, "Poll is 1ms, want 10ms to 1m0s"},
		{"dead too soon", river.Config{DeadAfter: time.Millisecond}, "DeadAfter is 1ms, want 1s to 10m0s"},
		{"a negative grace", river.Config{Grace: -1}, "Grace is -1ns, want 1ms to 10m0s"},
		{"kept too long", river.Config{Keep: 31 * 24 * time.Hour}, "Keep is 744h0m0s, want 1s to 720h0m0s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := river.New(t.Context(), pool, &c.config)
			requireCode(t, errcodes.Configuration, err)
			require.ErrorContains(t, err, c.says)
		})
	}
	longest := strings.Repeat("k", 58)
	q, err := river.New(t.Context(), pool, &river.Config{
		Kinds: []string{longest, "a.b_c"}, Wake: map[string]string{"Any Kind": longest}, Batch: 1000, Timeout: time.Hour,
		Poll: time.Minute, DeadAfter: 10 * time.Minute, Grace: 10 * time.Minute, Keep: 720 * time.Hour,
	})
	require.NoError(t, err)
	require.True(t, q.Wants(longest) && q.Wants("Any Kind"))
	require.False(t, q.Wants("other") || q.Wants(""))
	_, err = river.New(t.Context(), nil, nil)
	requireCode(t, errcodes.Configuration, err)
}

func TestJobsAreChecked(t *testing.T) {
	t.Parallel()
	p := open(t, pgtest.Database(t, tables), river.Config{})
	with := func(change func(*river.Ticker)) river.Jobs {
		bad := ticker("name")
		change(&bad)
		return river.Jobs{Tickers: []river.Ticker{bad}}
	}
	for name, jobs := range map[string]river.Jobs{
		"nothing":                     {},
		"a kind that is not enqueued": {Work: map[string]river.Tick{"other": ticker("a").Tick}},
		"a kind without a tick":       {Work: map[string]river.Tick{notify: nil}},
		"one name for two tickers":    {Tickers: []river.Ticker{ticker("a"), ticker("a")}},
		"a bad name":                  with(func(t *river.Ticker) { t.Name = "A" }),
		"no tick":                     with(func(t *river.Ticker) { t.Tick = nil }),
		"no interval":                 with(func(t *river.Ticker) { t.Every = 0 }),
		"half a second":               with(func(t *river.Ticker) { t.Every = time.Second / 2 }),
		"a timeout too long":          with(func(t *river.Ticker) { t.Timeout = 25 * time.Hour }),
		"too many at once":            with(func(t *river.Ticker) { t.AtOnce = 101 }),
	} {
		requireCode(t, errcodes.Configuration, p.queue.Run(t.Context(), jobs))
		require.NotEmpty(t, name)
	}
	p.run(river.Jobs{Tickers: []river.Ticker{ticker("a")}})
	eventually(t, "it runs", func() bool { return p.count(t, "queue_processes") == 1 })
	requireCode(t, errcodes.Configuration, p.queue.Run(t.Context(), river.Jobs{Tickers: []river.Ticker{ticker("a")}}))
}

func TestProcessesMigrateAtOnce(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t, bare)
	_, err := river.New(t.Context(), connect(t, dsn), &river.Config{SkipMigrate: true})
	requireCode(t, errcodes.Configuration, err)
	errs := make([]error, 10)
	var all sync.WaitGroup
	for i := range errs {
		pool := connect(t, dsn)
		all.Go(func() { errs[i] = river.Migrate(t.Context(), pool) })
	}
	all.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	_, err = river.New(t.Context(), connect(t, dsn), &river.Config{SkipMigrate: true})
	require.NoError(t, err)
}

func TestNewReportsAnUnusableDatabase(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t, tables)
	for name, c := range map[string]struct {
		change func(*pgxpool.Config)
		code   errcodes.Code
	}{
		"no such database":        {func(c *pgxpool.Config) { c.ConnConfig.Database = "missing" }, errcodes.Configuration},
		"no such role":            {func(c *pgxpool.Config) { c.ConnConfig.User = "nobody_here" }, errcodes.Configuration},
		"too few connections":     {func(c *pgxpool.Config) { c.MaxConns = 3 }, errcodes.Configuration},
		"no server at the socket": {func(c *pgxpool.Config) { c.ConnConfig.Host = "/nowhere" }, errcodes.StorageUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config, err := pgxpool.ParseConfig(dsn)
			require.NoError(t, err)
			config.ConnConfig.Fallbacks = nil
			c.change(config)
			pool, err := pgxpool.NewWithConfig(t.Context(), config)
			require.NoError(t, err)
			defer pool.Close()
			_, err = river.New(t.Context(), pool, nil)
			requireCode(t, c.code, err)
			require.NotContains(t, fmt.Sprint(err), "nobody_here")
			require.NotContains(t, fmt.Sprint(err), "/nowhere")
		})
	}
}

// TestASilentServerIsUnavailable: what pgx says of it names the role, the
// database and the address.
func TestASilentServerIsUnavailable(t *testing.T) {
	t.Parallel()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0") // no connection is accepted
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	pool, err := pgxpool.New(t.Context(), "postgres://canaryrole@"+l.Addr().String()+"/canarydb?sslmode=disable&connect_timeout=1&pool_max_conns=4")
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	err = river.Migrate(t.Context(), pool)
	require.Equal(t, errcodes.StorageUnavailable, errcodes.Of(err))
	require.NotContains(t, err.Error(), "canary")
}
