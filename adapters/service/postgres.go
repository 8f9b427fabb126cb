package service

import (
	"context"
	"errors"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/adapters/river"
	"github.com/corridor-go/corridor/errcodes"
)

// Defaults for URLs that do not set them. pgxpool's default, the number of processors, is
// low for a service that mostly waits for the disk.
const (
	defaultPoolSize       = 16
	defaultConnectTimeout = 5 * time.Second
)

// These bound how long a dead network blocks a request.
const (
	pingTimeout      = 500 * time.Millisecond
	statementTimeout = 3 * time.Second
)

type pool struct{ *pgxpool.Pool }

// openPostgres opens the store of a URL, whose parameters are those of libpq and pgxpool
// (pool_max_conns, pool_max_conn_lifetime and others). Without a queue it belongs to
// another service, and its tables are not migrated.
func openPostgres(ctx context.Context, spec string, o StoreOptions) (*Store, error) {
	opened, err := connect(ctx, spec)
	if err != nil {
		return nil, err
	}
	s, err := openTables(ctx, opened, o.queue)
	if err != nil {
		opened.Close()
		return nil, err
	}
	s.Unverified = unverified(&opened.Config().ConnConfig.Config)
	return s, nil
}

// unverified reports whether another machine may take the part of the database: the server
// is not on this one, and its certificate is not checked (sslmode below verify-ca).
func unverified(c *pgconn.Config) bool {
	ip := net.ParseIP(c.Host)
	here := strings.HasPrefix(c.Host, "/") || c.Host == "localhost" || ip.IsLoopback()
	checked := c.TLSConfig != nil && (!c.TLSConfig.InsecureSkipVerify || c.TLSConfig.VerifyPeerCertificate != nil)
	return !here && !checked
}

func openTables(ctx context.Context, opened *pool, queued func(context.Context, *pgxpool.Pool) (*river.Queue, error)) (*Store, error) {
	config := &postgres.Config{SkipMigrate: true, Timeout: statementTimeout}
	var queue *river.Queue
	if queued != nil {
		// The store's tables come first, because their errors are clearer.
		if err := postgres.Migrate(ctx, opened.Pool); err != nil {
			return nil, err
		}
		var err error
		if queue, err = queued(ctx, opened.Pool); err != nil {
			return nil, err
		}
		config.Hook = queue
	}
	s, err := postgres.New(ctx, opened.Pool, config)
	if err != nil {
		return nil, err
	}
	return &Store{StorePorts: &pooled{s, opened}, Ping: s.Ping, Alone: opened.alone, Metrics: opened, queue: queue}, nil
}

// pooled is a PostgreSQL store with its pool.
type pooled struct {
	*postgres.Store

	pool *pool
}

// Close closes the store, then its pool.
func (p *pooled) Close() error {
	err := p.Store.Close()
	p.pool.close()
	return err
}

// connect creates the pool. It does not connect yet; the first use does.
func connect(ctx context.Context, spec string) (*pool, error) {
	config, err := poolConfig(spec)
	if err != nil {
		return nil, err
	}
	opened, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, errUnreadableURL
	}
	return &pool{opened}, nil
}

// poolConfig returns the settings of a URL, or of libpq's environment and service file,
// with defaults for the rest.
func poolConfig(spec string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(spec)
	if err != nil {
		return nil, errUnreadableURL // pgx's error may contain the password
	}
	if !hasParameter(spec, "pool_max_conns") {
		config.MaxConns = defaultPoolSize
	}
	zero := hasParameter(spec, "connect_timeout") || os.Getenv("PGCONNECT_TIMEOUT") != "" // an explicit zero is kept
	if config.ConnConfig.ConnectTimeout == 0 && !zero {
		config.ConnConfig.ConnectTimeout = defaultConnectTimeout
	}
	if config.ConnConfig.RuntimeParams["application_name"] == "" {
		config.ConnConfig.RuntimeParams["application_name"] = "corridor"
	}
	config.PingTimeout = pingTimeout
	return config, nil
}

// closeTimeout bounds the wait for a server that does not respond.
const closeTimeout = 500 * time.Millisecond

// close leaves connections open if the database does not respond: they end with the
// process, and everything that was acknowledged is stored.
func (p *pool) close() {
	closed := make(chan struct{})
	go func() { p.Close(); close(closed) }()
	select {
	case <-closed:
	case <-time.After(closeTimeout):
	}
}

// startLock serialises processes that start at the same time: "corrstrt".
const startLock = 0x636f727273747274

// alone runs fn under a lock of the server that only one process has at a time; it ends
// with its holder. alone returns [errcodes.StorageUnavailable] if it cannot lock, and
// errors of fn unchanged.
func (p *pool) alone(ctx context.Context, fn func() error) error {
	var failed error
	err := pgx.BeginFunc(ctx, p.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", startLock); err != nil {
			return err
		}
		failed = fn()
		return failed
	})
	switch {
	case err == nil || failed != nil:
		return failed
	case ctx.Err() != nil:
		return ctx.Err()
	default:
		return errcodes.Wrap(errcodes.StorageUnavailable, "The database is unavailable; retry later", wordless{err})
	}
}

// wordless hides the text of an error of pgx, which contains names and addresses.
type wordless struct{ cause error }

func (w wordless) Unwrap() error { return w.cause }

func (wordless) Error() string { return "cannot take the start lock" }

var errUnreadableURL = errors.New("not a valid PostgreSQL URL, want postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=…")

func hasParameter(spec, name string) bool {
	u, err := url.Parse(spec)
	return err == nil && u.Query().Has(name)
}

// Describe implements prometheus.Collector.
func (p *pool) Describe(out chan<- *prometheus.Desc) {
	for _, m := range poolMetrics {
		out <- m.desc
	}
}

// Collect implements prometheus.Collector.
func (p *pool) Collect(out chan<- prometheus.Metric) {
	stat := p.Stat()
	for _, m := range poolMetrics {
		out <- prometheus.MustNewConstMetric(m.desc, m.kind, m.read(stat))
	}
}

type poolMetric struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	read func(*pgxpool.Stat) float64
}

func describe(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("corridor_store_"+name, help, nil, nil)
}

// poolMetrics are the metrics of the pool. If waits rise while all connections are in
// use, the pool is the bottleneck.
var poolMetrics = []poolMetric{
	{describe("connections_max", "Maximum number of connections of the pool."), prometheus.GaugeValue,
		func(s *pgxpool.Stat) float64 { return float64(s.MaxConns()) }},
	{describe("connections_open", "Open connections."), prometheus.GaugeValue,
		func(s *pgxpool.Stat) float64 { return float64(s.TotalConns()) }},
	{describe("connections_in_use", "Connections in use."), prometheus.GaugeValue,
		func(s *pgxpool.Stat) float64 { return float64(s.AcquiredConns()) }},
	{describe("acquires_total", "Connections acquired from the pool."), prometheus.CounterValue,
		func(s *pgxpool.Stat) float64 { return float64(s.AcquireCount()) }},
	{describe("acquires_waited_total", "Connections acquired after a wait."), prometheus.CounterValue,
		func(s *pgxpool.Stat) float64 { return float64(s.EmptyAcquireCount()) }},
	{describe("acquires_failed_total", "Abandoned waits for a connection."), prometheus.CounterValue,
		func(s *pgxpool.Stat) float64 { return float64(s.CanceledAcquireCount()) }},
	{describe("acquire_wait_seconds_total", "Time spent waiting for connections."), prometheus.CounterValue,
		func(s *pgxpool.Stat) float64 { return s.EmptyAcquireWaitTime().Seconds() }},
}
