package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"time"

	"github.com/corridor-go/corridor/adapters/connector/resilient"
	"github.com/corridor-go/corridor/adapters/keyring"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation"
)

const (
	dataKeysEnv = "CORRIDOR_DATA_KEYS" // no flag: a command line is seen by every user of the machine
	dataKeyName = "validation data key"
	dataKeySize = 32
	storeKeyID  = "store"

	maxValidationTimeout = time.Hour

	// keepSealed is how long a validation stays readable after its answer is
	// stale, where its data is sealed with keys of the installation's own.
	keepSealed = 30 * 24 * time.Hour
)

// validationSettings are the flags of serve and validate that concern account
// validation.
type validationSettings struct {
	Connectors        []string      `env:"CORRIDOR_CONNECTORS" help:"Providers of account answers, in the order of asking, out of ${connectors}." sep:","`
	ValidationTimeout time.Duration `default:"30s"             env:"CORRIDOR_VALIDATION_TIMEOUT"                                                  help:"Limit of an account lookup, 1ms to 1h."`
	ValidationTTL     time.Duration `default:"24h"             env:"CORRIDOR_VALIDATION_TTL"                                                      help:"How long a provider's answer is good; 0 keeps none." name:"validation-ttl"`
	CheckDigit        string        `default:"enforce"         enum:"enforce,advise"                                                              env:"CORRIDOR_CHECK_DIGIT"                                 help:"What a wrong check digit means: enforce (not_found) or advise (the provider decides)."`
}

var checkDigits = map[string]validation.CheckDigit{"enforce": validation.Enforce, "advise": validation.Advise}

func (v *validationSettings) policy(keepFor time.Duration) validation.Policy {
	return validation.Policy{CheckDigit: checkDigits[v.CheckDigit], AnswerTTL: v.ValidationTTL, KeepFor: keepFor}
}

// check refuses a limit that is none, for zero means the default further down,
// and what the policy's bounds refuse.
func (v *validationSettings) check() error {
	if v.ValidationTimeout < time.Millisecond || v.ValidationTimeout > maxValidationTimeout {
		return fmt.Errorf("--validation-timeout must be 1ms to %s, not %s", maxValidationTimeout, v.ValidationTimeout)
	}
	if err := v.policy(0).Check(); err != nil {
		return fmt.Errorf("--validation-ttl %s: %w", v.ValidationTTL, err)
	}
	return nil
}

// accounts is what account validation needs, but for a store: what is refused
// here has touched none.
type accounts struct {
	settings   *validationSettings
	connectors []ports.AccountConnector
	keys       []keyring.Key // none: the store keeps one
	count      *counters
}

// open opens the connectors and reads the keys.
func (v *validationSettings) open(inSandbox bool, env getenv, count *counters, log *slog.Logger) (*accounts, error) {
	connectors, err := openConnectors(v.Connectors, inSandbox, env, func(change resilient.StateChange) {
		count.breakerChanged(change)
		log.Warn("a connector's circuit breaker has changed", "connector", change.Connector, "from", string(change.From), "to", string(change.To))
	})
	if err != nil {
		return nil, err
	}
	count.breakers(connectors)
	a := &accounts{settings: v, connectors: connectors, count: count}
	if text := env(dataKeysEnv); text != "" {
		if a.keys, err = keyring.Parse(text); err != nil {
			return nil, fmt.Errorf("%s: %w", dataKeysEnv, err)
		}
	}
	return a, nil
}

// service makes the validations on a store.
func (a *accounts) service(ctx context.Context, s *store, log *slog.Logger) (*validation.Service, error) {
	sealer, keepFor, err := a.sealer(ctx, s)
	if err != nil {
		return nil, err
	}
	return validation.New(validation.Ports{
		Validations: s.Validations(), Answers: s.Answers(), Work: s.Work(), Sealer: sealer,
	}, a.connectors, a.settings.policy(keepFor), &validation.Config{
		Logger: log, Hooks: a.count.validationHooks(), Timeout: a.settings.ValidationTimeout,
	})
}

// sealer makes the keyring. Where no key is set, one is made once and kept in the
// store, which protects what leaves without the store; what it seals is kept no
// longer than it is of use.
func (a *accounts) sealer(ctx context.Context, s *store) (ports.Sealer, time.Duration, error) {
	if len(a.keys) > 0 {
		ring, err := keyring.New(a.keys, nil)
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
