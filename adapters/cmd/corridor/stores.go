package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"

	"github.com/corridor-go/corridor/adapters/httpserver"
	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/adapters/river"
	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/ports"
)

// bundle is what every store offers.
type bundle interface { //nolint:interfacebloat // one for each port of a store
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

type store struct {
	bundle
	check httpserver.Check
	pool  *pool        // of PostgreSQL; nil elsewhere
	queue *river.Queue // of a shared PostgreSQL; nil elsewhere
}

func (s *store) close() error {
	err := s.Close()
	if s.pool != nil {
		err = errors.Join(err, s.pool.close())
	}
	return err
}

// alone runs fn, which reads and then writes, while no other process of a shared
// database does.
func (s *store) alone(ctx context.Context, fn func() error) error {
	if s.pool == nil {
		return fn()
	}
	return s.pool.alone(ctx, fn)
}

// openStore opens what --store names. Errors name it without its password.
func openStore(ctx context.Context, spec string) (*store, error) {
	kind, path, _ := strings.Cut(spec, ":")
	switch kind {
	case "memory":
		if path != "" {
			return nil, fmt.Errorf("--store %s: memory: takes no path", spec)
		}
		s, err := memory.New(nil)
		return &store{bundle: s, check: always("store")}, err
	case "sqlite":
		s, err := sqlite.Open(ctx, path, nil)
		if err != nil {
			return nil, fmt.Errorf("--store %s: %w", spec, err)
		}
		return &store{bundle: s, check: pinged(s)}, nil
	case "postgres", "postgresql":
		return openPostgres(ctx, spec, nil)
	default:
		return nil, fmt.Errorf("--store %s: want memory:, sqlite:PATH or postgres://…", storeName(spec))
	}
}

// pinged is the check of a store that can be away.
func pinged(s interface {
	Ping(ctx context.Context) error
}) httpserver.Check {
	return httpserver.Check{Name: "store", Run: func(ctx context.Context) (bool, error) { return false, s.Ping(ctx) }}
}

// openShared opens what --store names, with a queue where several processes can
// share it.
func openShared(ctx context.Context, spec string, count *counters, log *slog.Logger) (*store, error) {
	kind, _, _ := strings.Cut(spec, ":")
	if kind != "postgres" && kind != "postgresql" {
		return openStore(ctx, spec)
	}
	s, err := openPostgres(ctx, spec, func(p *pool) (*river.Queue, error) { return openQueue(ctx, p, count, log) })
	if err == nil {
		count.registry.MustRegister(s.pool)
	}
	return s, err
}

// storeName is what --store names, for people: without a password, and no more
// than the kind where a password may stand in another's place.
func storeName(spec string) string {
	kind, _, found := strings.Cut(spec, ":")
	switch {
	case kind == "memory" || kind == "sqlite":
		return spec
	case !found || !isWord(kind):
		return "…"
	}
	u, err := url.Parse(spec)
	if err != nil || u.Opaque != "" || u.Fragment != "" || strings.Contains(u.Path+u.RawQuery, "@") {
		return kind + "://…"
	}
	u.RawQuery = "" // it may hold a password, too
	return u.Redacted()
}

func isWord(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < 'a' || r > 'z' })
}

// always is the check of what cannot fail.
func always(name string) httpserver.Check {
	return httpserver.Check{Name: name, Run: func(context.Context) (bool, error) { return false, nil }}
}
