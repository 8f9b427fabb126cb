package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/corridor-go/corridor/adapters/httpserver"
	"github.com/corridor-go/corridor/adapters/memory"
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
}

func (s *store) close() error { return s.Close() }

// openStore opens what --store names.
func openStore(ctx context.Context, spec string) (*store, error) {
	kind, path, _ := strings.Cut(spec, ":")
	switch kind {
	case "memory":
		if path != "" {
			return nil, fmt.Errorf("--store %s: memory: takes no path", spec)
		}
		s, err := memory.New(nil)
		return &store{s, always("store")}, err
	case "sqlite":
		s, err := sqlite.Open(ctx, path, nil)
		if err != nil {
			return nil, fmt.Errorf("--store %s: %w", spec, err)
		}
		return &store{s, httpserver.Check{Name: "store", Run: func(ctx context.Context) (bool, error) {
			return false, s.Ping(ctx)
		}}}, nil
	default:
		return nil, fmt.Errorf("--store %q: want memory: or sqlite:PATH", kind+":")
	}
}

// always is the check of what cannot fail.
func always(name string) httpserver.Check {
	return httpserver.Check{Name: name, Run: func(context.Context) (bool, error) { return false, nil }}
}
