package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/corridor-go/corridor/adapters/keyring"
	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation"
)

const (
	dataKeysEnv = "CORRIDOR_DATA_KEYS" // no flag: a command line is seen by every user of the machine
	dataKeyName = "validation data key"
	storeKeyID  = "store"

	maxValidationTimeout = time.Hour

	// keepSealed is how long a validation stays readable after its answer is
	// stale, where its data is sealed with keys of the installation's own.
	keepSealed = 30 * 24 * time.Hour
)

// AccountSettings are the settings that concern account validation. They stand
// alone for a command that does nothing else.
type AccountSettings struct {
	Connectors        []string      `env:"CORRIDOR_CONNECTORS" help:"Providers of account answers, in the order of asking, out of ${connectors}." sep:","`
	ValidationTimeout time.Duration `default:"30s"             env:"CORRIDOR_VALIDATION_TIMEOUT"                                                  help:"Limit of an account lookup, 1ms to 1h."`
	ValidationTTL     time.Duration `default:"24h"             env:"CORRIDOR_VALIDATION_TTL"                                                      help:"How long a provider's answer is good; 0 keeps none." name:"validation-ttl"`
	CheckDigit        string        `default:"enforce"         enum:"enforce,advise"                                                              env:"CORRIDOR_CHECK_DIGIT"                                 help:"What a wrong check digit means: enforce (not_found) or advise (the provider decides)."`
}

var checkDigits = map[string]validation.CheckDigit{"enforce": validation.Enforce, "advise": validation.Advise}

func (v *AccountSettings) policy(keepFor time.Duration) validation.Policy {
	return validation.Policy{CheckDigit: checkDigits[v.CheckDigit], AnswerTTL: v.ValidationTTL, KeepFor: keepFor}
}

// Validate rejects a timeout of zero, which means the default further down, and
// values outside the bounds of the policy.
func (v *AccountSettings) Validate() error {
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
	connectors []ports.AccountConnector
	keys       []keyring.Key // none: the store keeps one
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

// validations makes the validations on the store.
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

// sealer makes the keyring. Where no key is set, one is made once and kept in the
// store, which protects what leaves without the store; what it seals is kept no
// longer than it is of use.
func (b *builder) sealer(a *accounts) (ports.Sealer, time.Duration, error) {
	if len(a.keys) > 0 {
		ring, err := keyring.New(a.keys, nil)
		return ring, keepSealed, err
	}
	secret, err := b.store.ownKey(b.ctx, dataKeyName)
	if err != nil {
		return nil, 0, err
	}
	ring, err := keyring.New([]keyring.Key{{ID: storeKeyID, Secret: secret}}, nil)
	return ring, 0, err
}

// Accounts is account validation without the rest of the service, on a store in
// memory.
type Accounts struct {
	*validation.Service

	// NobodyAsked reports that there is no connector: rules alone decide.
	NobodyAsked bool

	release func() error
}

// OpenAccounts makes account validation as the service does, with the sandbox's
// connectors if inSandbox is set and the settings name no others. An error names
// the setting that is wrong.
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

// Close stops the service and closes its store, which forgets what was answered.
func (a *Accounts) Close(ctx context.Context) error {
	return errors.Join(a.Service.Stop(ctx), a.release())
}
