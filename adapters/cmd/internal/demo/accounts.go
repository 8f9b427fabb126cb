package demo

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/corridor-go/corridor/adapters/connector/sandbox"
	"github.com/corridor-go/corridor/adapters/keyring"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation"
	"github.com/corridor-go/corridor/validation/market"
)

func (s *story) newAccounts(policy validation.Policy) (*validation.Service, error) {
	first, err := sandbox.New(&sandbox.Config{Clock: s.clock})
	if err != nil {
		return nil, err
	}
	secret := make([]byte, demoKeySize)
	_, _ = rand.Read(secret) // never fails
	ring, err := keyring.New([]keyring.Key{{ID: "demo", Secret: secret}}, nil)
	if err != nil {
		return nil, err
	}
	return validation.New(validation.Ports{
		Validations: s.store.Validations(), Answers: s.store.Answers(), Work: s.store.Work(), Sealer: ring,
		Connectors: []ports.AccountConnector{first},
	}, policy, &validation.Config{
		Clock: s.clock,
		Hooks: validation.Hooks{Asked: func(context.Context, string, ports.Market, ports.Outcome, time.Duration) { s.lookups.Add(1) }},
	})
}

// These accounts are at Access Bank. Their last digits select the sandbox's answer.
const (
	demoMerchant = "7f2f6f0e-4b1e-4c7e-9d58-0d5a3c1d2e3f"
	demoBank     = "044"
	demoAccount  = "0690000032"
	demoTypo     = "0690000023" // demoAccount with two digits swapped
	demoSlow     = "0690030002"

	demoKeySize = 32
)

func (s *story) ask(number, name string) (ports.Validation, error) {
	return s.accounts.Validate(s.ctx, shop, market.Request{
		MerchantID: demoMerchant, Country: "NGA", AccountType: string(ports.BankAccount),
		AccountIdentifier: number, BankCode: demoBank, AccountHolderName: name,
	})
}

func (s *story) validate(number, name string) ports.Validation {
	v, err := s.ask(number, name)
	s.must(err)
	return v
}

// payee looks up an account that exists.
func (s *story) payee() {
	v := s.validate(demoAccount, "")
	s.expect("the account", v.Status, ports.StatusVerified)
	s.expect("the type", v.Type, ports.External) // it pays on nothing else
	s.expect("the holder", v.HolderName, sandbox.HolderName)
	s.expect("the provider", v.Provider, sandbox.Name)
	s.expect("the answer's expiry", v.ExpiresAt.Sub(s.clock.Now()), 24*time.Hour)
	s.expect("the lookups", s.lookups.Load(), int64(1))
	s.printf("\nThe shop pays a supplier in Nigeria. Before money leaves, it looks the account up:")
	s.printf("  %s, and the holder is %s.", v.Status, v.HolderName)
}

// anotherName compares two names with one cached answer.
func (s *story) anotherName() {
	s.clock.Add(time.Hour)
	for _, c := range []struct {
		name string
		want ports.ValidationStatus
	}{
		{"Kofi Boateng", ports.StatusNameMismatch},
		{"Mensah, Ama Serwaa", ports.StatusVerified},
	} {
		v := s.validate(demoAccount, c.name)
		s.expect("the account", v.Status, c.want)
		s.expect("the answer was cached", v.Cached, true)
		s.printf("  Is it %s? %s: %d of 100 points.", c.name, v.Status, v.NameScore)
	}
	s.expect("the lookups", s.lookups.Load(), int64(1))
	s.printf("  Lookups for these three answers: %d.", s.lookups.Load())
}

// wrongCheckDigit looks up a number with a wrong check digit.
func (s *story) wrongCheckDigit() {
	v := s.validate(demoTypo, "")
	s.expect("the account", v.Status, ports.StatusNotFound)
	s.expect("the provider", v.Provider, ports.ProviderRules)
	s.expect("the type", v.Type, ports.InternalRules)
	s.expect("the lookups", s.lookups.Load(), int64(1))
	s.printf("With two digits swapped it is %s, without a lookup:", v.Status)
	s.printf("  %s.", v.FailureReason)
}

// slowBank looks up an account for longer than a caller waits.
func (s *story) slowBank() {
	early := s.impatient()
	s.clock.Add(sandbox.SlowAfter - validation.DefaultWindow)
	v, err := s.accounts.Wait(s.ctx, shop, s.slow)
	s.must(err)
	s.expect("the account", v.Status, ports.StatusVerified)
	s.expect("the holder", v.HolderName, sandbox.HolderName)
	s.expect("the lookups", s.lookups.Load(), int64(2))
	s.printf("A bank answers after %s. Until then the result is %s; afterwards it is %s.", sandbox.SlowAfter, early.Status, v.Status)
}

// impatient asks for the slow account and moves the clock by the caller's wait after the
// bank has been asked.
func (s *story) impatient() (v ports.Validation) {
	var err error
	answered, asked := make(chan struct{}), s.clock.nextWait(sandbox.SlowAfter)
	go func() {
		defer close(answered)
		v, err = s.ask(demoSlow, "")
	}()
	select {
	case <-asked:
		s.clock.Add(validation.DefaultWindow)
	case <-answered: // too early, as expect reports
	}
	<-answered
	s.must(err)
	s.expect("the account", v.Status, ports.StatusPending)
	s.slow = v.ID
	return v
}
