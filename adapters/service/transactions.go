package service

import (
	"github.com/corridor-go/corridor/adapters/httpserver"
	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/ports"
)

// payments is the transactions service with the sandbox's simulation.
type payments struct {
	service *authstate.Service
	reader  httpserver.Transactions
	sandbox *sandboxTransactions // may be nil
}

// payments returns the service for the states of transactions. In the sandbox they are
// read through the plays.
func (b *builder) payments() (*payments, error) {
	normaliser, err := failures.New(&failures.Config{Unmapped: b.count.unmappedCode})
	if err != nil {
		return nil, err
	}
	service, err := authstate.New(authstate.Ports{Transactions: b.store.Transactions(), Work: b.store.Work()},
		authstate.Policy{Normaliser: normaliser}, &authstate.Config{Logger: b.log, Hooks: b.count.transactionHooks()})
	if err != nil || !b.settings.Sandbox {
		return &payments{service: service, reader: service}, err
	}
	sandbox := newSandboxTransactions(service, ports.SystemClock(), b.log)
	return &payments{service, sandbox, sandbox}, nil
}
