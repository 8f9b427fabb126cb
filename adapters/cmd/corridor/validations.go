package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/corridor-go/corridor/adapters/keyring"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation"
)

const (
	dataKeysEnv = "CORRIDOR_DATA_KEYS" // no flag: a command line is seen by every user of the machine
	dataKeyName = "validation data key"
	dataKeySize = 32
	storeKeyID  = "store"
	// keepSealed is how long a validation stays readable after its answer is
	// stale, where its data is sealed with keys of the installation's own.
	keepSealed = 30 * 24 * time.Hour
)

// validationSettings are the flags of serve and validate that concern account
// validation.
type validationSettings struct {
	Connectors        []string      `env:"CORRIDOR_CONNECTORS" help:"Providers of account answers, in the order of asking: sandbox, paystack, flutterwave, mtnmomo." sep:","`
	ValidationTimeout time.Duration `default:"30s"             env:"CORRIDOR_VALIDATION_TIMEOUT"                                                                     help:"Limit of an account lookup, at least 1ms."`
	ValidationTTL     time.Duration `default:"24h"             env:"CORRIDOR_VALIDATION_TTL"                                                                         help:"How long a provider's answer is good; 0 keeps none." name:"validation-ttl"`
	CheckDigit        string        `default:"enforce"         enum:"enforce,advise"                                                                                 env:"CORRIDOR_CHECK_DIGIT"                                 help:"What a wrong check digit means: enforce (not_found) or advise (the provider decides)."`
}

var checkDigits = map[string]validation.CheckDigit{"enforce": validation.Enforce, "advise": validation.Advise}

func (v *validationSettings) policy(keepFor time.Duration) validation.Policy {
	return validation.Policy{CheckDigit: checkDigits[v.CheckDigit], AnswerTTL: v.ValidationTTL, KeepFor: keepFor}
}

// check refuses a limit that is none: zero means the default further down.
func (v *validationSettings) check() error {
	if v.ValidationTimeout < time.Millisecond {
		return fmt.Errorf("--validation-timeout must be at least 1ms, not %s", v.ValidationTimeout)
	}
	return nil
}

// service makes the validations on a store.
func (v *validationSettings) service(ctx context.Context, s *store, inSandbox bool, count *counters, log *slog.Logger) (*validation.Service, error) {
	connectors, err := openConnectors(v.Connectors, inSandbox, os.Getenv, count.breakerChanged)
	if err != nil {
		return nil, err
	}
	count.breakers(connectors)
	sealer, keepFor, err := openSealer(ctx, s)
	if err != nil {
		return nil, err
	}
	return validation.New(validation.Ports{
		Validations: s.Validations(), Answers: s.Answers(), Work: s.Work(), Sealer: sealer,
	}, connectors, v.policy(keepFor), &validation.Config{
		Logger: log, Hooks: count.validationHooks(), Timeout: v.ValidationTimeout,
	})
}

// openSealer makes the keyring of CORRIDOR_DATA_KEYS. Without that, a key is
// made once and kept in the store, which protects what leaves without the store;
// what it seals is kept no longer than it is of use.
func openSealer(ctx context.Context, s *store) (ports.Sealer, time.Duration, error) {
	if text := os.Getenv(dataKeysEnv); text != "" {
		keys, err := keyring.Parse(text)
		if err != nil {
			return nil, 0, fmt.Errorf("%s: %w", dataKeysEnv, err)
		}
		ring, err := keyring.New(keys, nil)
		return ring, keepSealed, err
	}
	fresh := make([]byte, dataKeySize)
	if _, err := rand.Read(fresh); err != nil {
		return nil, 0, err
	}
	secret, err := s.Secrets().Secret(ctx, dataKeyName, fresh)
	if err != nil {
		return nil, 0, err
	}
	ring, err := keyring.New([]keyring.Key{{ID: storeKeyID, Secret: secret}}, nil)
	return ring, 0, err
}
