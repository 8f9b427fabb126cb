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

// StorePorts is what every store offers.
type StorePorts interface { //nolint:interfacebloat // one for each port of a store
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

// Store is an open store. Name is set by those who open it by a setting; a row of
// [Parts] fills the rest.
type Store struct {
	StorePorts

	Name string // as people may see it: without a password
	// Ping is the readiness of a store that can be away; nil is always ready.
	Ping func(ctx context.Context) error
	// Alone runs fn, which reads and then writes, while no other process of a
	// shared database does. nil: no other process has the store.
	Alone func(ctx context.Context, fn func() error) error
	// Metrics shows the store; nil shows nothing.
	Metrics prometheus.Collector

	queue *river.Queue // of a shared PostgreSQL; nil elsewhere
}

// StoreOptions are what the service sets of every store.
type StoreOptions struct {
	Logger *slog.Logger

	queue func(context.Context, *pgxpool.Pool) (*river.Queue, error) // nil: a store that is opened for a tool has none
}

// OpenStore opens the store that a setting names, for a tool's own use: the
// tables of a shared database are left as they are, and no queue is opened.
// Errors name the store without its password.
func OpenStore(ctx context.Context, parts Parts, spec string) (*Store, error) {
	return parts.openStore(ctx, spec, StoreOptions{Logger: slog.New(slog.DiscardHandler)})
}

// OpenShared opens a store as a service does: its tables are made or upgraded,
// and where several processes can share it, their work has a queue.
func OpenShared(ctx context.Context, parts Parts, spec string) (*Store, error) {
	return newBuilder(ctx, &Settings{Store: spec}, parts, slog.New(slog.DiscardHandler)).openShared()
}

// openShared opens what --store names, with a queue where several processes can
// share it.
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

// storeKind returns the row of a store, or nil if the table has none.
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

// storeName is what --store names, for people: without a password, and no more
// than the kind where a password may stand in another's place.
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
	u.RawQuery = "" // it may hold a password, too
	return u.Redacted()
}

// afterColon is what a row of stores opens.
func afterColon(spec string) string {
	_, path, _ := strings.Cut(spec, ":")
	return path
}

func isWord(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < 'a' || r > 'z' })
}

// alone runs fn, which reads and then writes, while no other process of a shared
// database does.
func (s *Store) alone(ctx context.Context, fn func() error) error {
	if s.Alone == nil {
		return fn()
	}
	return s.Alone(ctx, fn)
}

// ownKeySize is the size of a key that the installation makes for itself, in bytes,
// and the least of one that is set.
const ownKeySize = 32

// ownKey returns the key of that name, made once and kept in the store.
func (s *Store) ownKey(ctx context.Context, name string) ([]byte, error) {
	fresh := make([]byte, ownKeySize)
	_, _ = rand.Read(fresh) // it never fails (crypto/rand)
	return s.Secrets().Secret(ctx, name, fresh)
}

// check is the store's readiness.
func (s *Store) check() httpserver.Check {
	if s.Ping == nil {
		return always("store")
	}
	return httpserver.Check{Name: "store", Run: func(ctx context.Context) (bool, error) { return false, s.Ping(ctx) }}
}

// always is the check of what cannot fail.
func always(name string) httpserver.Check {
	return httpserver.Check{Name: name, Run: func(context.Context) (bool, error) { return false, nil }}
}
