package validation_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/keyring"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/validation"
	"github.com/corridor-go/corridor/validation/market"
)

// I20: each row has a name and the provider's answer.
func TestTheNameDecidesTheStatus(t *testing.T) {
	for _, c := range []struct {
		what, supplied string
		answer         ports.Answer
		status         ports.ValidationStatus
		holder, rule   string
	}{
		{"no name supplied", "", found, ports.StatusVerified, "AMA SERWAA MENSAH", ""},
		{"the same name", "Ama Serwaa Mensah", found, ports.StatusVerified, "AMA SERWAA MENSAH", "*"},
		{"a different name", "Kofi Boateng", found, ports.StatusNameMismatch, "AMA SERWAA MENSAH", "*"},
		{"no name returned", "Kofi Boateng", ports.Answer{Kind: ports.OutcomeFound}, ports.StatusVerified, "", validation.RuleNotReturned},
		{"matched by the provider", "Kofi Boateng", ports.Answer{Kind: ports.OutcomeNameMatched}, ports.StatusVerified, "", validation.RuleProvider},
		{"not matched by the provider", "Kofi Boateng", ports.Answer{Kind: ports.OutcomeNameMismatched}, ports.StatusNameMismatch, "", validation.RuleProvider},
		{
			"refused by the provider, with a name like ours", "Ama Serwaa Mensah",
			ports.Answer{Kind: ports.OutcomeNameMismatched, HolderName: found.HolderName},
			ports.StatusNameMismatch, found.HolderName, validation.RuleProvider,
		},
		{
			"matched by the provider, with another name", "Kofi Boateng",
			ports.Answer{Kind: ports.OutcomeNameMatched, HolderName: found.HolderName},
			ports.StatusNameMismatch, found.HolderName, "*",
		},
		{"not matched by the provider, none supplied", "", ports.Answer{Kind: ports.OutcomeNameMismatched}, ports.StatusVerified, "", ""},
		{"a name, but no account", "Kofi Boateng", notFound, ports.StatusNotFound, "", ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			b := newBench(t, inMemory(t))
			b.first.Answer(c.answer)
			v := b.validate(named(c.supplied))
			assert.Equal(t, c.status, v.Status)
			assert.Equal(t, c.holder, v.HolderName)
			assert.Equal(t, v.Status == ports.StatusVerified, v.FailureReason == "", "a reason for all but verified")
			if c.rule == "*" {
				assert.NotEmpty(t, v.NameRule)
			} else {
				assert.Equal(t, c.rule, v.NameRule)
			}
			assert.Equal(t, v, b.get(v.ID))
		})
	}
}

// A person who is paid on a business's account learns why the name does not match.
func TestTheReasonSaysWhoseAccountItIs(t *testing.T) {
	for _, c := range []struct{ supplied, returned, reason string }{
		{"Kofi Mensah", "KOFI MENSAH BAKERY", "The account belongs to a business, not to a person of that name"},
		{"Kofi Mensah Ltd", "KOFI MENSAH", "The provider returned a different name"},
		{"Kofi Mensah", "KOFI BOATENG", "The provider returned a different name"},
	} {
		b := newBench(t, inMemory(t))
		b.first.Answer(ports.Answer{Kind: ports.OutcomeFound, HolderName: c.returned})
		v := b.validate(named(c.supplied))
		assert.Equal(t, ports.StatusNameMismatch, v.Status, c)
		assert.Equal(t, c.reason, v.FailureReason, c)
	}
}

func TestTheProvidersReasonIsPassedOn(t *testing.T) {
	b := newBench(t, inMemory(t))
	b.first.Answer(notFound)
	v := b.validate(request())
	assert.Equal(t, ports.StatusNotFound, v.Status)
	assert.Equal(t, "no such account at the bank", v.FailureReason)
	assert.Equal(t, "unknown", v.Asked[0].Code)
	assert.Equal(t, noon.Add(24*time.Hour), v.ExpiresAt)
	assert.Empty(t, b.second.Asked(), "it is definite")
}

func TestCheckDigits(t *testing.T) {
	wrong := request()
	wrong.AccountIdentifier = "0690000031"
	t.Run("enforced", func(t *testing.T) {
		b := newBench(t, inMemory(t))
		v := b.validate(wrong)
		assert.Equal(t, ports.StatusNotFound, v.Status)
		assert.Equal(t, ports.ProviderRules, v.Provider)
		assert.Equal(t, ports.InternalRules, v.Type)
		assert.NotEmpty(t, v.FailureReason)
		assert.Empty(t, b.first.Asked())
		assert.Equal(t, v, b.get(v.ID))
	})
	t.Run("advised", func(t *testing.T) {
		b := newBench(t, inMemory(t))
		s := b.open(validation.Policy{CheckDigit: validation.Advise, AnswerTTL: time.Hour}, b.first)
		v, err := s.Validate(t.Context(), owner, wrong)
		require.NoError(t, err)
		assert.Equal(t, ports.StatusVerified, v.Status)
		assert.Len(t, b.first.Asked(), 1)
	})
	t.Run("advised, without a provider", func(t *testing.T) {
		b := newBench(t, inMemory(t))
		s := b.open(validation.Policy{CheckDigit: validation.Advise})
		v, err := s.Validate(t.Context(), owner, wrong)
		require.NoError(t, err)
		assert.Equal(t, ports.StatusNotFound, v.Status)
	})
}

// In markets without a connector only a check digit can be used.
func TestMarketsWithoutAConnectorUseTheRules(t *testing.T) {
	ask := func(country, kind, identifier, bank, name string) market.Request {
		return market.Request{
			MerchantID: merchant, Country: country, AccountType: kind, AccountIdentifier: identifier, BankCode: bank, AccountHolderName: name,
		}
	}
	for _, c := range []struct {
		req    market.Request
		status ports.ValidationStatus
	}{
		{ask("EGY", "bank_account", "EG380019000500000000263180002", "", ""), ports.StatusVerified},
		{ask("EGY", "bank_account", "EG380019000500000000263180002", "", "Ama"), ports.StatusError},
		{ask("EGY", "bank_account", "EG390019000500000000263180002", "", ""), ports.StatusNotFound},
		{ask("NGA", "bank_account", "0690000032", "044", ""), ports.StatusVerified},
		{ask("NGA", "bank_account", "0690000032", "044", "Ama"), ports.StatusError},
		{ask("NGA", "bank_account", "8030000000", "100004", ""), ports.StatusError},
		{ask("ZAF", "bank_account", "62012345678", "250655", ""), ports.StatusError},
		{ask("KEN", "mobile_money", "254712345678", "", ""), ports.StatusError},
		{ask("ZWE", "institution_wallet", "263771234567", "", ""), ports.StatusError},
	} {
		t.Run(fmt.Sprint(c.req.Country, " ", c.req.AccountHolderName != "", " ", c.status), func(t *testing.T) {
			unsupported := ports.Answer{Kind: ports.OutcomeUnsupported, Message: "cannot"}
			for name, connectors := range map[string]func(b *bench) []ports.AccountConnector{
				"no connector": func(*bench) []ports.AccountConnector { return nil },
				"all connectors return unsupported": func(b *bench) []ports.AccountConnector {
					b.first.Answer(unsupported)
					b.second.Answer(unsupported)
					return []ports.AccountConnector{b.first, b.second}
				},
			} {
				b := newBench(t, inMemory(t))
				s := b.open(day, connectors(b)...)
				v, err := s.Validate(t.Context(), owner, c.req)
				require.NoError(t, err, name)
				assert.Equal(t, c.status, v.Status, name)
				assert.Equal(t, ports.ProviderRules, v.Provider, name)
				assert.Equal(t, ports.InternalRules, v.Type, name)
				if c.status == ports.StatusError {
					assert.Contains(t, v.FailureReason, "No provider serves", name)
				}
			}
		})
	}
}

func TestOtherRequestsAreNotCacheHits(t *testing.T) {
	bank := func(code, number string) market.Request {
		r := request()
		r.BankCode, r.AccountIdentifier = code, number
		return r
	}
	withID := request()
	withID.Identity = ports.Identity{Kind: ports.PersonalAccount, Document: ports.Passport, Number: "A1"}
	for name, again := range map[string]func(b *bench) (ports.Validation, error){
		"another owner": func(b *bench) (ports.Validation, error) { return b.service.Validate(b.Context(), "other", request()) },
		"another account": func(b *bench) (ports.Validation, error) {
			return b.service.Validate(b.Context(), owner, bank("044", "1234567895"))
		},
		"another bank": func(b *bench) (ports.Validation, error) {
			return b.service.Validate(b.Context(), owner, bank("033", "0690000032"))
		},
		"an identity": func(b *bench) (ports.Validation, error) { return b.service.Validate(b.Context(), owner, withID) },
	} {
		b := newBench(t, inMemory(t))
		b.validate(request())
		v, err := again(b)
		require.NoError(t, err, name)
		assert.False(t, v.Cached, name)
		assert.Len(t, b.first.Asked(), 2, name)
	}
}

func TestTheSameAccountInAnotherFormIsACacheHit(t *testing.T) {
	b := newBench(t, inMemory(t))
	r := request()
	r.Country, r.BankCode, r.AccountIdentifier = "EGY", "", "EG380019000500000000263180002"
	b.validate(r)
	r.BankCode, r.AccountIdentifier = "ignored", "eg38 0019 0005 0000 0000 2631 8000 2"
	assert.True(t, b.validate(r).Cached)
	assert.Equal(t, "EG380019000500000000263180002", b.first.Asked()[0].Identifier)
}

func TestWait(t *testing.T) { synctest.Test(t, wait) }

func wait(t *testing.T) {
	b := newBench(t, inMemory(t))
	release := b.first.Hold()
	v := b.pending(request())
	waited := make(chan result, 1)
	go func() {
		v, err := b.service.Wait(context.Background(), owner, v.ID)
		waited <- result{v, err}
	}()
	release()
	r := <-waited
	require.NoError(t, r.err)
	assert.Equal(t, ports.StatusVerified, r.v.Status)

	again, err := b.service.Wait(t.Context(), owner, v.ID)
	require.NoError(t, err)
	assert.Equal(t, r.v, again)

	_, err = b.service.Wait(t.Context(), owner, "nobody")
	requireCode(t, errcodes.NotFound, err)

	b.first.Hold()
	w := request()
	w.AccountIdentifier = "1234567895"
	slow := b.pending(w)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = b.service.Wait(ctx, owner, slow.ID)
	requireCode(t, errcodes.Canceled, err)
}

// afterRead calls a function once, after the next read of a validation.
type afterRead struct {
	ports.ValidationStore
	call atomic.Pointer[func()]
}

func (s *afterRead) Validation(ctx context.Context, owner, id string) (ports.ValidationRecord, error) {
	rec, err := s.ValidationStore.Validation(ctx, owner, id)
	if call := s.call.Swap(nil); call != nil {
		(*call)()
	}
	return rec, err
}

// releases sends the key of each released claim.
type releases struct {
	ports.AnswerCache
	keys chan [32]byte
}

func (c releases) Release(ctx context.Context, k [32]byte, holder string) error {
	defer func() { c.keys <- k }()
	return c.AnswerCache.Release(ctx, k, holder)
}

// The lookup ends after Wait has read the validation and before it waits. The clock does
// not move, so only the end itself can wake Wait.
func TestWaitNoticesAnEndAfterItsRead(t *testing.T) { synctest.Test(t, waitNoticesAnEndAfterItsRead) }

func waitNoticesAnEndAfterItsRead(t *testing.T) {
	b := newBench(t, inMemory(t))
	store := &afterRead{ValidationStore: b.store.Validations()}
	answers := releases{b.store.Answers(), make(chan [32]byte, 10)}
	all := b.ports(b.first)
	all.Validations, all.Answers = store, answers
	var err error
	b.service, err = validation.New(all, day, b.config())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.service.Stop(context.Background())) })

	release := b.first.Hold()
	v := b.pending(request())
	end := func() {
		release()
		<-answers.keys // the lookup is over for all its callers
	}
	store.call.Store(&end)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	v, err = b.service.Wait(ctx, owner, v.ID)
	require.NoError(t, err)
	assert.Equal(t, ports.StatusVerified, v.Status)
}

func TestWaitNoticesAnEndByAnotherProcess(t *testing.T) {
	synctest.Test(t, waitNoticesAnEndByAnotherProcess)
}

func waitNoticesAnEndByAnotherProcess(t *testing.T) {
	b := newBench(t, inMemory(t))
	release := b.first.Hold()
	v := b.pending(request())
	other := b.open(day, b.first)
	waited := make(chan result, 1)
	go func() {
		v, err := other.Wait(context.Background(), owner, v.ID)
		waited <- result{v, err}
	}()
	release()
	b.advanceUntil(func() bool { return len(waited) > 0 }, time.Second)
	assert.Equal(t, ports.StatusVerified, (<-waited).v.Status)
}

func TestOwnersCannotReadEachOthersValidations(t *testing.T) {
	b := newBench(t, inMemory(t))
	v := b.validate(request())
	for _, c := range [][2]string{{"other", v.ID}, {owner, v.ID + "x"}, {owner, ""}, {"ACME", v.ID}} {
		_, err := b.service.Get(t.Context(), c[0], c[1])
		requireCode(t, errcodes.NotFound, err)
	}
}

// A thousand simultaneous callers share one lookup, and all get its answer.
func TestAThousandCallersShareOneLookup(t *testing.T) {
	b := newBench(t, inMemory(t))
	b.first.Take(b.clock, time.Second)
	const callers = 1000
	var all sync.WaitGroup
	results := make(chan result, callers)
	for i := range callers {
		all.Go(func() {
			r := request()
			if i%2 == 1 {
				r.AccountHolderName = "Kofi Boateng"
			}
			v, err := b.service.Validate(t.Context(), owner, r)
			results <- result{v, err}
		})
	}
	b.first.WaitAsked(1)
	b.clock.BlockUntil(callers + 3)
	b.clock.Advance(time.Second)
	all.Wait()
	close(results)
	ids, verified, mismatched := map[string]bool{}, 0, 0
	for r := range results {
		require.NoError(t, r.err)
		ids[r.v.ID] = true
		switch r.v.Status {
		case ports.StatusVerified:
			verified++
		case ports.StatusNameMismatch:
			mismatched++
		case ports.StatusPending, ports.StatusNotFound, ports.StatusError:
			t.Error("got", r.v.Status)
		}
	}
	assert.Len(t, b.first.Asked(), 1, "exactly one upstream call")
	assert.Len(t, ids, callers)
	assert.Equal(t, callers/2, verified)
	assert.Equal(t, callers/2, mismatched)
}

func TestACancelledCallerDoesNotStopTheLookup(t *testing.T) {
	synctest.Test(t, aCallerWhoLeavesDoesNotStopTheLookup)
}

func aCallerWhoLeavesDoesNotStopTheLookup(t *testing.T) {
	b := newBench(t, inMemory(t))
	release := b.first.Hold()
	ctx, leave := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := b.service.Validate(ctx, owner, request())
		done <- err
	}()
	b.first.WaitAsked(1)
	leave()
	requireCode(t, errcodes.Canceled, <-done)
	release()
	require.Eventually(t, func() bool { return b.validate(request()).Cached }, time.Minute, time.Millisecond)
	assert.Len(t, b.first.Asked(), 1)
}

func TestTooManyLookupsAreRejected(t *testing.T) {
	b := newBench(t, inMemory(t))
	cfg := b.config()
	cfg.MaxLookups = 1
	s, err := validation.New(b.ports(b.first), day, cfg)
	require.NoError(t, err)
	release := b.first.Hold()
	done := b.asking(s, request())
	b.first.WaitAsked(1)
	other := request()
	other.AccountIdentifier = "1234567895"
	_, err = s.Validate(t.Context(), owner, other)
	requireCode(t, errcodes.Unavailable, err)
	assert.Positive(t, errcodes.RetryAfterOf(err))
	joined := b.asking(s, request())
	release()
	require.NoError(t, (<-done).err)
	require.NoError(t, (<-joined).err, "who asks the same needs no lookup")
	require.NoError(t, s.Stop(t.Context()))
	_, err = s.Validate(t.Context(), owner, other)
	requireCode(t, errcodes.Closed, err)
}

func TestWrongConfigurationIsRejected(t *testing.T) {
	b := newBench(t, inMemory(t))
	connector := func(name string) ports.AccountConnector { return fake.NewConnector(name, reaching) }
	type arguments struct {
		ports  validation.Ports
		policy validation.Policy
		config validation.Config
	}
	for name, spoil := range map[string]func(a *arguments){
		"no store":                   func(a *arguments) { a.ports.Validations = nil },
		"no cache":                   func(a *arguments) { a.ports.Answers = nil },
		"no work":                    func(a *arguments) { a.ports.Work = nil },
		"no sealer":                  func(a *arguments) { a.ports.Sealer = nil },
		"a typed nil":                func(a *arguments) { a.ports.Sealer = (*keyring.Keyring)(nil) },
		"a nil connector":            func(a *arguments) { a.ports.Connectors = []ports.AccountConnector{nil} },
		"a typed nil connector":      func(a *arguments) { a.ports.Connectors = []ports.AccountConnector{(*fake.Connector)(nil)} },
		"a connector twice":          func(a *arguments) { a.ports.Connectors = []ports.AccountConnector{b.first, b.first} },
		"a name in capitals":         func(a *arguments) { a.ports.Connectors = []ports.AccountConnector{connector("First")} },
		"no name":                    func(a *arguments) { a.ports.Connectors = []ports.AccountConnector{connector("")} },
		"a long name":                func(a *arguments) { a.ports.Connectors = []ports.AccountConnector{connector(strings.Repeat("a", 33))} },
		"a connector named rules":    func(a *arguments) { a.ports.Connectors = []ports.AccountConnector{connector("rules")} },
		"an unknown CheckDigit":      func(a *arguments) { a.policy.CheckDigit = 7 },
		"a negative TTL":             func(a *arguments) { a.policy.AnswerTTL = -1 },
		"a TTL that is too long":     func(a *arguments) { a.policy.AnswerTTL = 90*24*time.Hour + 1 },
		"a KeepFor that is too long": func(a *arguments) { a.policy.KeepFor = 10*365*24*time.Hour + 1 },
		"a negative KeepFor":         func(a *arguments) { a.policy.KeepFor = -1 },
		"a window below 1 ms":        func(a *arguments) { a.config.Window = time.Microsecond },
		"a negative timeout":         func(a *arguments) { a.config.Timeout = -1 },
		"a negative bound":           func(a *arguments) { a.config.MaxLookups = -1 },
		"MaxRecent below -1":         func(a *arguments) { a.config.MaxRecent = -2 },
	} {
		a := arguments{ports: b.ports(), policy: day}
		spoil(&a)
		_, err := validation.New(a.ports, a.policy, &a.config)
		requireCode(t, errcodes.Configuration, err)
		assert.NotEmpty(t, errcodes.MessageOf(err), name)
	}
}

// The bounds themselves are allowed.
func TestTheBoundsAreAllowed(t *testing.T) {
	b := newBench(t, inMemory(t))
	_, err := validation.New(b.ports(), validation.Policy{AnswerTTL: 90 * 24 * time.Hour, KeepFor: 10 * 365 * 24 * time.Hour}, &validation.Config{
		Window: time.Millisecond, Timeout: time.Millisecond, Grace: time.Millisecond, Every: time.Millisecond, MaxLookups: 1, MaxRecent: -1,
	})
	require.NoError(t, err)
}
