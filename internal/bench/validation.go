package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/maypok86/otter/v2"

	"github.com/corridor-go/corridor/adapters/keyring"
	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/validation"
)

const accounts = 1024

// request is for one of the accounts: wallets, which have no check digit.
func request(i int, name string) validation.Request {
	return validation.Request{
		MerchantID: "7f2f6f0e-4b1e-4c7e-9d58-0d5a3c1d2e3f", Country: "NGA", AccountType: "bank_account",
		AccountIdentifier: fmt.Sprintf("80%08d", i), BankCode: "100004", AccountHolderName: name,
	}
}

// validator is a service whose answers for all accounts are kept.
func validator() (*validation.Service, error) {
	store, err := memory.New(nil)
	if err != nil {
		return nil, err
	}
	keys, err := keyring.New([]keyring.Key{{ID: "k", Secret: bytes.Repeat([]byte{7}, 32)}}, nil)
	if err != nil {
		return nil, err
	}
	provider := portstest.NewScriptedConnector("provider", ports.Capabilities{
		Markets: []ports.Capability{{Market: ports.Market{Country: "NGA", Type: ports.BankAccount}, ReturnsName: true}},
	})
	provider.Answer(ports.Answer{Kind: ports.AnswerFound, HolderName: "AMA SERWAA MENSAH", Message: "Account number resolved"})
	service, err := validation.New(validation.Ports{
		Validations: store.Validations(), Answers: store.Answers(), Work: store.Work(), Sealer: keys,
	}, []ports.AccountConnector{provider}, validation.Policy{AnswerTTL: 24 * time.Hour}, nil)
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
		requests := make([]validation.Request, accounts)
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
