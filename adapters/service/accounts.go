package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/corridor-go/corridor/adapters/httpserver"
	"github.com/corridor-go/corridor/adapters/keyring"
	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation"
)

const (
	dataKeysEnv = "CORRIDOR_DATA_KEYS" // not a flag: command lines are visible to every user of the machine
	dataKeyName = "validation data key"
	storeKeyID  = "store"

	maxValidationTimeout = time.Hour

	// keepSealed is how long a validation can be read after its answer has become stale
	// if its data is sealed with configured keys.
	keepSealed = 30 * 24 * time.Hour
)

// AccountSettings are the settings for account validation. They are separate for commands
// that only validate accounts.
type AccountSettings struct {
	Connectors        []string      `complete:"connectors" env:"CORRIDOR_CONNECTORS" help:"Providers that look accounts up, in the order in which they are asked: any of ${connectors}." placeholder:"CONNECTOR" sep:","`
	ValidationTimeout time.Duration `default:"30s"             env:"CORRIDOR_VALIDATION_TIMEOUT"                                                                    help:"Time limit of an account lookup, 1ms to 1h."`
	ValidationTTL     time.Duration `default:"24h"             env:"CORRIDOR_VALIDATION_TTL"                                                                        help:"How long a provider's answer is used again; 0 means not at all." name:"validation-ttl"`
	CheckDigit        string        `default:"enforce"         enum:"enforce,advise"                                                                                env:"CORRIDOR_CHECK_DIGIT"                                    help:"If a check digit is wrong: enforce (the result is not_found) or advise (the provider decides)."`
}

var checkDigits = map[string]validation.CheckDigit{"enforce": validation.Enforce, "advise": validation.Advise}

func (v *AccountSettings) policy(keepFor time.Duration) validation.Policy {
	return validation.Policy{CheckDigit: checkDigits[v.CheckDigit], AnswerTTL: v.ValidationTTL, KeepFor: keepFor}
}

// Validate rejects a zero timeout, which would mean the default, and values outside the
// bounds of the policy.
func (v *AccountSettings) Validate() error {
	if v.ValidationTimeout < time.Millisecond || v.ValidationTimeout > maxValidationTimeout {
		return fmt.Errorf("--validation-timeout must be 1ms to %s, not %s", maxValidationTimeout, v.ValidationTimeout)
	}
	if err := v.policy(0).Check(); err != nil {
		return fmt.Errorf("--validation-ttl %s: %w", v.ValidationTTL, err)
	}
	return nil
}

// accounts is the part of account validation that needs no store. If opening it fails, no
// store has been touched.
type accounts struct {
	connectors []ports.AccountConnector
	keys       []keyring.Key // none configured: empty until sealer sets it to the store's own
}

// openAccounts opens the connectors and reads the keys.
func (b *builder) openAccounts() (*accounts, error) {
	connectors, err := b.openConnectors()
	if err != nil {
		return nil, err
	}
	b.count.breakers(connectors)
	a := &accounts{connectors: connectors}
	if text := os.Getenv(dataKeysEnv); text != "" {
		if a.keys, err = keyring.Parse(text); err != nil {
			return nil, fmt.Errorf("%s: %w", dataKeysEnv, err)
		}
	}
	return a, nil
}

// validations returns the validation service on the store.
func (b *builder) validations(a *accounts) (*validation.Service, error) {
	sealer, keepFor, err := b.sealer(a)
	if err != nil {
		return nil, err
	}
	settings := &b.settings.Accounts
	return validation.New(validation.Ports{
		Validations: b.store.Validations(), Answers: b.store.Answers(), Work: b.store.Work(), Sealer: sealer,
		Connectors: a.connectors,
	}, settings.policy(keepFor), &validation.Config{
		Logger: b.log, Hooks: b.count.validationHooks(), Timeout: settings.ValidationTimeout,
	})
}

// sealer returns the keyring and how long validations are kept. If no key is configured,
// a key is created once and stored in the store itself. That protects only data that
// leaves without the store, so sealed data is then not kept longer than needed.
func (b *builder) sealer(a *accounts) (ports.Sealer, time.Duration, error) {
	keepFor := keepSealed
	if len(a.keys) == 0 {
		secret, err := b.store.ownKey(b.ctx, dataKeyName)
		if err != nil {
			return nil, 0, err
		}
		a.keys, keepFor = []keyring.Key{{ID: storeKeyID, Secret: secret}}, 0
	}
	ring, err := keyring.New(a.keys, nil)
	return ring, keepFor, err
}

// checkKeys rejects a key that differs from the one that the store knows by its id. The
// store's own key is checked too: a configured key with its id must be a copy of it.
// Nothing seals or opens before Serve, so this comes after the other settings have been
// checked: a start that fails because of one of them leaves no check value of a key that
// was never used.
func (b *builder) checkKeys(a *accounts) error {
	if err := keyring.Check(b.ctx, b.store.Secrets(), a.keys); err != nil {
		return fmt.Errorf("%s: %w", dataKeysEnv, err)
	}
	return nil
}

// keysCheck is the readiness check of the data keys: degraded while pending validations
// wait for one that this process does not have.
func keysCheck(accounts *validation.Service) httpserver.Check {
	return httpserver.Check{Name: "data keys", Run: func(context.Context) (bool, error) { return len(accounts.MissingKeys()) > 0, nil }}
}

// Accounts is account validation without the rest of the service, on a memory store.
type Accounts struct {
	*validation.Service

	// NobodyAsked reports that there is no connector, so the rules alone decide.
	NobodyAsked bool

	release func() error
}

// OpenAccounts opens account validation as the service does. If inSandbox is set and the
// settings have no connectors, it uses those of the sandbox. Errors name the wrong
// setting.
func OpenAccounts(ctx context.Context, settings AccountSettings, inSandbox bool, parts Parts) (*Accounts, error) {
	b := newBuilder(ctx, &Settings{Accounts: settings, Sandbox: inSandbox}, parts, slog.New(slog.DiscardHandler))
	service, connectors, err := b.accountsAlone()
	if err != nil {
		return nil, errors.Join(err, b.close())
	}
	return &Accounts{service, connectors == 0, b.close}, nil
}

func (b *builder) accountsAlone() (service *validation.Service, connectors int, err error) {
	a, err := b.openAccounts()
	if err != nil {
		return nil, 0, err
	}
	memory, err := memory.New(nil)
	if err != nil {
		return nil, 0, err
	}
	b.use(&Store{StorePorts: memory})
	service, err = b.validations(a)
	return service, len(a.connectors), err
}

// Close stops the service and closes its store, which discards all answers.
func (a *Accounts) Close(ctx context.Context) error {
	return errors.Join(a.Service.Stop(ctx), a.release())
}
