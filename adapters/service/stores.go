package service

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/corridor-go/corridor/adapters/httpserver"
	"github.com/corridor-go/corridor/adapters/river"
	"github.com/corridor-go/corridor/ports"
)

// StorePorts are the ports that every store has.
type StorePorts interface { //nolint:interfacebloat // one per port
	RateLocks() ports.RateLockStore
	Validations() ports.ValidationStore
	Answers() ports.AnswerCache
	Secrets() ports.SecretStore
	Work() ports.Work
	Clients() ports.ClientStore
	Tokens() ports.TokenStore
	Transactions() ports.TransactionStore
	Reports() ports.ReportStore
	Outbox() ports.Outbox
	DeadLetters() ports.DeadLetters
	Close() error
}

// Store is an open store. A row of [Parts] fills the fields except Name, which is set
// from the setting.
type Store struct {
	StorePorts

	Name string // for messages, without a password
	// Ping is the readiness check of a store on a server; nil means always ready.
	Ping func(ctx context.Context) error
	// Alone runs fn, which reads and then writes, while no other process of a shared
	// database does. nil means that no other process uses the store.
	Alone func(ctx context.Context, fn func() error) error
	// Unverified means that the store is on another machine, which does not have to prove
	// what it is.
	Unverified bool
	// Metrics are the metrics of the store; may be nil.
	Metrics prometheus.Collector

	queue *river.Queue // of a shared PostgreSQL database, else nil
}

// StoreOptions are the options that the service sets for every store.
type StoreOptions struct {
	Logger *slog.Logger

	queue func(context.Context, *pgxpool.Pool) (*river.Queue, error) // nil for stores that commands open
}

// OpenStore opens the store of a setting for a command. It does not migrate the tables of
// a shared database and opens no queue. Errors contain the store's name without its
// password.
func OpenStore(ctx context.Context, parts Parts, spec string) (*Store, error) {
	return parts.openStore(ctx, spec, StoreOptions{Logger: slog.New(slog.DiscardHandler)})
}

// OpenShared opens a store as the service does: it creates or upgrades its tables and, if
// several processes can share the store, opens the queue of their work.
func OpenShared(ctx context.Context, parts Parts, spec string) (*Store, error) {
	return newBuilder(ctx, &Settings{Store: spec}, parts, slog.New(slog.DiscardHandler)).openShared()
}

// openShared opens the store of --store, with a queue if several processes can share it.
func (b *builder) openShared() (*Store, error) {
	s, err := b.parts.openStore(b.ctx, b.settings.Store, StoreOptions{Logger: b.log, queue: b.openQueue})
	if err == nil && s.Metrics != nil {
		b.count.registry.MustRegister(s.Metrics)
	}
	return s, err
}

func (p Parts) openStore(ctx context.Context, spec string, o StoreOptions) (*Store, error) {
	kind := p.storeKind(spec)
	if kind == nil {
		return nil, fmt.Errorf("--store %s: want %s", p.storeName(spec), p.storeForms())
	}
	s, err := kind.Open(ctx, spec, o)
	if err != nil {
		return nil, fmt.Errorf("--store %s: %w", p.storeName(spec), err)
	}
	s.Name = p.storeName(spec)
	return s, nil
}

// storeKind returns the row of a store, or nil if it is unknown.
func (p Parts) storeKind(spec string) *StoreKind {
	name, _, _ := strings.Cut(spec, ":")
	i := slices.IndexFunc(p.Stores, func(k StoreKind) bool { return k.Name == name })
	if i < 0 {
		return nil
	}
	return &p.Stores[i]
}

func (p Parts) storeForms() string {
	return either(p.Stores, func(k StoreKind) string { return k.Form })
}

// storeName returns a store of --store for messages: without its password, or only its
// kind if the password may be somewhere else.
func (p Parts) storeName(spec string) string {
	name, _, found := strings.Cut(spec, ":")
	row := p.storeKind(spec)
	switch {
	case row != nil && row.Plain:
		return spec
	case !found || !isWord(name):
		return "…"
	}
	u, err := url.Parse(spec)
	if err != nil || u.Opaque != "" || u.Fragment != "" || strings.Contains(u.Path+u.RawQuery, "@") {
		return name + "://…"
	}
	u.RawQuery = "" // may also contain a password
	return u.Redacted()
}

// afterColon returns the part of a setting after its name.
func afterColon(spec string) string {
	_, path, _ := strings.Cut(spec, ":")
	return path
}

func isWord(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < 'a' || r > 'z' })
}

// alone runs fn, which reads and then writes, while no other process of a shared database
// does.
func (s *Store) alone(ctx context.Context, fn func() error) error {
	if s.Alone == nil {
		return fn()
	}
	return s.Alone(ctx, fn)
}

// ownKeySize is the size of keys in the store, and the minimum of configured ones, in
// bytes.
const ownKeySize = 32

// ownKey returns the key with the name. It creates the key once and stores it in the
// store.
func (s *Store) ownKey(ctx context.Context, name string) ([]byte, error) {
	fresh := make([]byte, ownKeySize)
	_, _ = rand.Read(fresh) // never fails (crypto/rand)
	return s.Secrets().Secret(ctx, name, fresh)
}

// check is the readiness check of the store.
func (s *Store) check() httpserver.Check {
	if s.Ping == nil {
		return always("store")
	}
	return httpserver.Check{Name: "store", Run: func(ctx context.Context) (bool, error) { return false, s.Ping(ctx) }}
}

// always is the readiness check of a part that cannot fail.
func always(name string) httpserver.Check {
	return httpserver.Check{Name: name, Run: func(context.Context) (bool, error) { return false, nil }}
}
