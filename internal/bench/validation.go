package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/maypok86/otter/v2"
	"golang.org/x/sync/errgroup"

	"github.com/corridor-go/corridor/adapters/keyring"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/validation"
	"github.com/corridor-go/corridor/validation/market"
)

const accounts = 1024

// request returns a request for account i: wallets, which have no check digit.
func request(i int, name string) market.Request {
	return market.Request{
		MerchantID: "7f2f6f0e-4b1e-4c7e-9d58-0d5a3c1d2e3f", Country: "NGA", AccountType: "bank_account",
		AccountIdentifier: fmt.Sprintf("80%08d", i), BankCode: "100004", AccountHolderName: name,
	}
}

// requests returns one request per account.
func requests(name string) []market.Request {
	all := make([]market.Request, accounts)
	for i := range all {
		all[i] = request(i, name)
	}
	return all
}

// storage is the part of a store that validations need.
type storage interface {
	Validations() ports.ValidationStore
	Answers() ports.AnswerCache
	Work() ports.Work
}

// validatorOn returns a service on a store, and its provider.
func validatorOn(store storage) (*validation.Service, *fake.Connector) {
	keys := must(keyring.New([]keyring.Key{{ID: "k", Secret: bytes.Repeat([]byte{7}, 32)}}, nil))
	provider := fake.NewConnector("provider", []ports.Capability{{Market: ports.Market{Country: "NGA", Type: ports.BankAccount}, ReturnsName: true}})
	provider.Answer(ports.Answer{Kind: ports.OutcomeFound, HolderName: "AMA SERWAA MENSAH", Message: "Account number resolved"})
	return must(validation.New(validation.Ports{
		Validations: store.Validations(), Answers: store.Answers(), Work: store.Work(), Sealer: keys,
		Connectors: []ports.AccountConnector{provider},
	}, validation.Policy{AnswerTTL: 24 * time.Hour}, nil)), provider
}

// validator returns a service with cached answers for all accounts.
func validator(made *setup) *validation.Service {
	service, _ := validatorOn(openMemory(made))
	for i := range 2 * accounts { // for each account the lookup and the first hit
		must(service.Validate(context.Background(), "acme", request(i/2, "")))
	}
	return service
}

var errNotKept = errors.New("an answer is not cached")

// keptAnswer repeatedly validates accounts with cached answers: each request gets its
// result under a new id.
func keptAnswer(name string) side {
	return func(made *setup) step {
		service, ctx, requests := validator(made), context.Background(), requests(name)
		return func(n int) {
			for i := range n {
				if must(service.Validate(ctx, "acme", requests[i%accounts])).Status != ports.StatusVerified {
					check(errNotKept)
				}
			}
		}
	}
}

// firstHit validates with new names: each is judged with the cached answer, and each
// result is stored with its event.
func firstHit(made *setup) step {
	service, ctx, requests, done := validator(made), context.Background(), requests(""), 0
	return func(n int) {
		for range n {
			r := requests[done%accounts]
			r.AccountHolderName = "Mensah Ama " + strconv.Itoa(done)
			must(service.Validate(ctx, "acme", r))
			done++
		}
	}
}

// otterRecord gets a validation from a cache with a size limit and expiry.
func otterRecord(made *setup) step {
	cache := must(otter.New(&otter.Options[string, ports.Validation]{
		MaximumSize: 10 * accounts, ExpiryCalculator: otter.ExpiryWriting[string, ports.Validation](24 * time.Hour),
	}))
	service := validator(made)
	keys := make([]string, accounts)
	for i := range keys {
		keys[i] = "acme/NGA/bank_account/100004/" + request(i, "").AccountIdentifier
		cache.Set(keys[i], must(service.Validate(context.Background(), "acme", request(i, ""))))
	}
	return func(n int) {
		for i := range n {
			v, ok := cache.GetIfPresent(keys[i%accounts])
			if !ok || v.Status != ports.StatusVerified {
				check(errNotKept)
			}
		}
	}
}

const (
	crowdSize = 1000
	crowdWait = time.Second
)

// crowdOn sends a thousand simultaneous requests for one account, a different one each
// time, to a provider that takes a second. It requires exactly one lookup.
func crowdOn(open func(*setup) storage) side {
	return func(made *setup) step {
		service, provider := validatorOn(open(made))
		provider.Take(ports.SystemClock(), crowdWait)
		round := 0
		return func(n int) {
			for range n {
				round++
				atOnce(func() error {
					v, err := service.Validate(context.Background(), "acme", request(round, "Mensah Ama"))
					if err == nil && v.Status != ports.StatusVerified {
						err = fmt.Errorf("a request of the crowd was answered %s", v.Status)
					}
					return err
				})
				if asked := len(provider.Asked()); asked != round {
					check(fmt.Errorf("%d lookups for %d accounts", asked, round))
				}
			}
		}
	}
}

// crowdBare starts a thousand goroutines that wait a second.
func crowdBare(*setup) step {
	return func(n int) {
		for range n {
			atOnce(func() error { <-time.After(crowdWait); return nil })
		}
	}
}

// atOnce runs fn concurrently for each of the crowd and waits for all.
func atOnce(fn func() error) {
	var all errgroup.Group
	for range crowdSize {
		all.Go(fn)
	}
	check(all.Wait())
}

func crowdSQLite(made *setup) storage {
	store, _ := openSQLite(made)
	return store
}
