package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/maypok86/otter/v2"

	"github.com/corridor-go/corridor/adapters/keyring"
	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/validation"
	"github.com/corridor-go/corridor/validation/market"
)

const accounts = 1024

// request is for one of the accounts: wallets, which have no check digit.
func request(i int, name string) market.Request {
	return market.Request{
		MerchantID: "7f2f6f0e-4b1e-4c7e-9d58-0d5a3c1d2e3f", Country: "NGA", AccountType: "bank_account",
		AccountIdentifier: fmt.Sprintf("80%08d", i), BankCode: "100004", AccountHolderName: name,
	}
}

// storage is what validations need of a store.
type storage interface {
	Validations() ports.ValidationStore
	Answers() ports.AnswerCache
	Work() ports.Work
}

// validatorOn is a service on a store, and the provider that it asks.
func validatorOn(store storage) (*validation.Service, *fake.Connector, error) {
	keys, err := keyring.New([]keyring.Key{{ID: "k", Secret: bytes.Repeat([]byte{7}, 32)}}, nil)
	if err != nil {
		return nil, nil, err
	}
	provider := fake.NewConnector("provider", ports.Capabilities{
		Markets: []ports.Capability{{Market: ports.Market{Country: "NGA", Type: ports.BankAccount}, ReturnsName: true}},
	})
	provider.Answer(ports.Answer{Kind: ports.AnswerFound, HolderName: "AMA SERWAA MENSAH", Message: "Account number resolved"})
	service, err := validation.New(validation.Ports{
		Validations: store.Validations(), Answers: store.Answers(), Work: store.Work(), Sealer: keys,
		Connectors: []ports.AccountConnector{provider},
	}, validation.Policy{AnswerTTL: 24 * time.Hour}, nil)
	return service, provider, err
}

// validator is a service whose answers for all accounts are kept.
func validator() (*validation.Service, error) {
	store, err := memory.New(nil)
	if err != nil {
		return nil, err
	}
	service, _, err := validatorOn(store)
	if err != nil {
		return nil, err
	}
	for i := range accounts { // twice: the lookup, and the first hit
		for range 2 {
			if _, err := service.Validate(context.Background(), "acme", request(i, "")); err != nil {
				return nil, err
			}
		}
	}
	return service, nil
}

var errNotKept = errors.New("an answer was not kept")

// keptAnswer validates accounts whose answers are kept, again and again: each
// request gets its result under an id of its own.
func keptAnswer(name string) func() (subject, error) {
	return func() (subject, error) {
		service, err := validator()
		if err != nil {
			return subject{}, err
		}
		requests := make([]market.Request, accounts)
		for i := range requests {
			requests[i] = request(i, name)
		}
		ctx := context.Background()
		return subject{func(n int) error {
			for i := range n {
				v, err := service.Validate(ctx, "acme", requests[i%accounts])
				if err != nil || v.Status != ports.StatusVerified {
					return errors.Join(errNotKept, err)
				}
			}
			return nil
		}, noClose}, nil
	}
}

// firstHit validates with names that were not asked before: the answer is
// judged anew, and each result is stored with its event.
func firstHit() (subject, error) {
	service, err := validator()
	if err != nil {
		return subject{}, err
	}
	ctx, done := context.Background(), 0
	return subject{func(n int) error {
		for range n {
			r := request(done%accounts, fmt.Sprintf("Mensah Ama %d", done))
			done++
			if _, err := service.Validate(ctx, "acme", r); err != nil {
				return err
			}
		}
		return nil
	}, noClose}, nil
}

// otterRecord gets a validation from a cache with a bound and a life.
func otterRecord() (subject, error) {
	cache, err := otter.New(&otter.Options[string, ports.Validation]{
		MaximumSize: 10 * accounts, ExpiryCalculator: otter.ExpiryWriting[string, ports.Validation](24 * time.Hour),
	})
	if err != nil {
		return subject{}, err
	}
	service, err := validator()
	if err != nil {
		return subject{}, err
	}
	keys := make([]string, accounts)
	for i := range keys {
		v, err := service.Validate(context.Background(), "acme", request(i, ""))
		if err != nil {
			return subject{}, err
		}
		keys[i] = "acme/NGA/bank_account/100004/" + request(i, "").AccountIdentifier
		cache.Set(keys[i], v)
	}
	return subject{func(n int) error {
		for i := range n {
			v, ok := cache.GetIfPresent(keys[i%accounts])
			if !ok || v.Status != ports.StatusVerified {
				return errNotKept
			}
		}
		return nil
	}, noClose}, nil
}

const (
	crowdSize = 1000
	crowdWait = time.Second
)

// crowdOn sends a thousand requests for one account at once, each time for
// another, to a provider that takes a second, and holds it to one lookup.
func crowdOn(open func() (storage, func(), error)) func() (subject, error) {
	return func() (subject, error) {
		store, closeStore, err := open()
		if err != nil {
			return subject{}, err
		}
		service, provider, err := validatorOn(store)
		if err != nil {
			return subject{}, err
		}
		provider.Take(ports.SystemClock(), crowdWait)
		round := 0
		return subject{func(n int) error {
			for range n {
				round++
				err := atOnce(func() error {
					v, err := service.Validate(context.Background(), "acme", request(round, "Mensah Ama"))
					if err == nil && v.Status != ports.StatusVerified {
						err = fmt.Errorf("a request of the crowd was answered %s", v.Status)
					}
					return err
				})
				if asked := len(provider.Asked()); asked != round {
					err = errors.Join(err, fmt.Errorf("%d lookups for %d accounts", asked, round))
				}
				if err != nil {
					return err
				}
			}
			return nil
		}, closeStore}, nil
	}
}

// crowdBare is a thousand who wait a second.
func crowdBare() (subject, error) {
	return subject{func(n int) error {
		for range n {
			if err := atOnce(func() error { <-time.After(crowdWait); return nil }); err != nil {
				return err
			}
		}
		return nil
	}, noClose}, nil
}

// atOnce runs fn for each of the crowd, and waits for all.
func atOnce(fn func() error) error {
	var all sync.WaitGroup
	errs := make([]error, crowdSize)
	for i := range errs {
		all.Go(func() { errs[i] = fn() })
	}
	all.Wait()
	return errors.Join(errs...)
}

func crowdMemory() (storage, func(), error) {
	store, err := memory.New(nil)
	return store, noClose, err
}

func crowdSQLite() (storage, func(), error) {
	dir, err := os.MkdirTemp("", "corridor-bench")
	if err != nil {
		return nil, nil, err
	}
	store, err := sqlite.Open(context.Background(), filepath.Join(dir, "validations.db"), nil)
	if err != nil {
		return nil, nil, err
	}
	return store, func() {
		_ = store.Close() // nothing is left to lose
		_ = os.RemoveAll(dir)
	}, nil
}
