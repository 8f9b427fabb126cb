package authstate_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

func TestNewRejectsMissingPortsAndBadValues(t *testing.T) {
	r := newRig(t)
	full := authstate.Ports{Transactions: r.store.Transactions(), Work: r.store.Work()}
	for want, c := range map[string]struct {
		ports  authstate.Ports
		config authstate.Config
	}{
		"Ports.Transactions is required":        {ports: authstate.Ports{Work: full.Work}},
		"Ports.Work is required":                {ports: authstate.Ports{Transactions: full.Transactions, Work: (*settler)(nil)}},
		"Every is 999.999µs, want at least 1ms": {full, authstate.Config{Every: time.Millisecond - 1}},
		"Every is -1s, want at least 1ms":       {full, authstate.Config{Every: -time.Second}},
	} {
		s, err := authstate.New(c.ports, authstate.Policy{}, &c.config)
		require.ErrorIs(t, err, errcodes.Configuration, want)
		assert.Equal(t, want, errcodes.MessageOf(err))
		assert.Nil(t, s, want)
	}
	_, err := authstate.New(full, authstate.Policy{}, &authstate.Config{Every: time.Millisecond})
	require.NoError(t, err)
}

func TestThePolicysNormaliserReplacesTheShippedTables(t *testing.T) {
	r := newRig(t)
	own := normaliser(t, &failures.Config{Overrides: map[failures.Scheme][]failures.Row{
		"house": {{Code: "X1", Meaning: "down", Payin: failures.Answer(errcodes.ErrorDownstream), Confidence: failures.Sure}},
	}})
	s, err := authstate.New(authstate.Ports{Transactions: r.store.Transactions(), Work: r.store.Work()}, authstate.Policy{Normaliser: own}, nil)
	require.NoError(t, err)
	r.open(authstate.Opening{ID: "t", Direction: errcodes.Payin})
	house := authstate.Report{Scheme: "house", Code: "X1"}
	_, err = r.service.Record(t.Context(), owner, "t", house)
	require.ErrorIs(t, err, errcodes.InvalidRequest, "a scheme that no shipped table has")
	a, err := s.Record(t.Context(), owner, "t", house)
	require.NoError(t, err)
	assert.Equal(t, ports.TransactionErrored, a.Transaction.Status)
}

// calls are the methods that take an owner.
func calls(ctx context.Context, s *authstate.Service, owner string) map[string]func() (any, error) {
	return map[string]func() (any, error){
		"Open":    func() (any, error) { return s.Open(ctx, owner, authstate.Opening{ID: "t", Direction: errcodes.Payin}) },
		"Get":     func() (any, error) { return s.Get(ctx, owner, "t") },
		"Record":  func() (any, error) { return s.Record(ctx, owner, "t", said[failures.Failed]) },
		"Fail":    func() (any, error) { return s.Fail(ctx, owner, "t", errcodes.FailureDeclined) },
		"Succeed": func() (any, error) { return s.Succeed(ctx, owner, "t") },
	}
}

func TestAnOwnerIsRequired(t *testing.T) {
	r := newRig(t)
	for name, call := range calls(t.Context(), r.service, "") {
		_, err := call()
		require.ErrorIs(t, err, errcodes.InvalidRequest, name)
		var details errcodes.FieldDetails
		require.ErrorAs(t, err, &details, name)
		assert.Equal(t, "owner", details.Fields[0].Name, name)
		assert.Equal(t, "owner is required", errcodes.MessageOf(err), name)
	}
}

// errors.Is agrees with errcodes.Of.
func TestACancelledContextIsCanceled(t *testing.T) {
	r := newRig(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	all := calls(ctx, r.service, owner)
	all["Tick"] = func() (any, error) { return nil, r.service.Tick(ctx, noon) }
	all["Run"] = func() (any, error) { return nil, r.service.Run(ctx) }
	for name, call := range all {
		_, err := call()
		require.ErrorIs(t, err, context.Canceled, name)
		require.ErrorIs(t, err, errcodes.Canceled, name)
		assert.Equal(t, errcodes.Canceled, errcodes.Of(err), name)
	}
}

// both is a store that returns a transaction together with an error.
type both struct{ ports.TransactionStore }

func (b both) Transaction(ctx context.Context, owner, id string) (ports.Transaction, error) {
	t, _ := b.TransactionStore.Transaction(ctx, owner, id)
	return t, errcodes.New(errcodes.StorageUnavailable, "")
}

// full is a store that rejects every save.
type full struct{ ports.TransactionStore }

func (full) Save(context.Context, ports.TransactionChange) error {
	return errcodes.New(errcodes.StorageUnavailable, "")
}

func TestAnErrorComesWithoutAResult(t *testing.T) {
	r := newRig(t)
	r.open(authstate.Opening{ID: "t", Direction: errcodes.Payin})
	for _, store := range []ports.TransactionStore{both{r.store.Transactions()}, full{r.store.Transactions()}} {
		for name, call := range calls(t.Context(), r.on(store, r.store.Work(), r.clock), owner) {
			got, err := call()
			if name == "Get" && err == nil {
				continue // Get does not save here
			}
			require.ErrorIs(t, err, errcodes.StorageUnavailable, name)
			assert.Zero(t, got, name)
		}
	}
}

func TestAServiceWithoutAConfigUsesTheSystemClock(t *testing.T) {
	r := newRig(t)
	s, err := authstate.New(authstate.Ports{Transactions: r.store.Transactions(), Work: r.store.Work()}, authstate.Policy{}, nil)
	require.NoError(t, err)
	before := time.Now().Truncate(time.Millisecond)
	got, err := s.Open(t.Context(), owner, authstate.Opening{ID: "t", Direction: errcodes.Payin, RespondBy: before.Add(time.Hour)})
	require.NoError(t, err)
	assert.False(t, got.CreatedAt.Before(before))
	a, err := s.Succeed(t.Context(), owner, "t")
	require.NoError(t, err)
	assert.Equal(t, authstate.Moved, a.Effect)
	require.NoError(t, s.Tick(t.Context(), before.Add(2*time.Hour)))
}

// in returns a transaction with a status.
func (r *rig) in(status ports.TransactionStatus) ports.Transaction {
	r.t.Helper()
	t := r.open(authstate.Opening{ID: "t", Direction: errcodes.Payin})
	for _, row := range authstate.Transitions() {
		if row.Effect == authstate.Moved && row.To == status {
			t = r.record("t", row.On).Transaction
		}
	}
	require.Equal(r.t, status, t.Status)
	r.events()
	r.clock.Advance(time.Second)
	return t
}

// The test makes each transition by a report, and by Succeed or Fail (I27, I32).
func TestEachTransitionHasItsEffect(t *testing.T) {
	ways := map[string]func(r *rig, o failures.Outcome) (authstate.Applied, bool){
		"reported": func(r *rig, o failures.Outcome) (authstate.Applied, bool) { return r.record("t", o), true },
		"found": func(r *rig, o failures.Outcome) (a authstate.Applied, exists bool) {
			var err error
			switch o {
			case failures.Success:
				a, err = r.service.Succeed(r.t.Context(), owner, "t")
			case failures.Failed:
				a, err = r.service.Fail(r.t.Context(), owner, "t", errcodes.FailureDeclined)
			case failures.Errored:
				a, err = r.service.Fail(r.t.Context(), owner, "t", errcodes.ErrorDownstream)
			case failures.Pending:
				return a, false
			}
			require.NoError(r.t, err)
			return a, true
		},
	}
	for _, row := range authstate.Transitions() {
		for how, apply := range ways {
			t.Run(string(row.From)+" "+how+" "+string(row.On), func(t *testing.T) {
				r := newRig(t)
				before := r.in(row.From)
				r.effects = nil
				a, exists := apply(r, row.On)
				if !exists {
					return
				}
				assert.Equal(t, row.Effect, a.Effect)
				assert.Equal(t, []authstate.Effect{row.Effect}, r.effects)
				assert.Equal(t, row.To, a.Transaction.Status)
				assert.Equal(t, r.stored("t"), a.Transaction)
				r.judge(row, before, a)
			})
		}
	}
}

// After a timeout or a lost connection the money may still have moved.
func TestOnlyACertainFailureContradictsASuccess(t *testing.T) {
	for _, row := range errcodes.TransactionCodes() {
		if row.Deprecated || !row.Fits(errcodes.Payin) {
			continue
		}
		t.Run(string(row.Code), func(t *testing.T) {
			r := newRig(t)
			before := r.in(ports.TransactionSucceeded)
			a, err := r.service.Fail(t.Context(), owner, "t", row.Code)
			require.NoError(t, err)
			want := authstate.Contradicted
			if row.Advice == errcodes.AdviceConfirm || row.Advice == errcodes.AdviceReconcile {
				want = authstate.Unchanged
			}
			assert.Equal(t, want, a.Effect)
			assert.Equal(t, before, a.Transaction)
		})
	}
}

func (r *rig) judge(row authstate.Transition, before ports.Transaction, a authstate.Applied) {
	r.t.Helper()
	want := before
	switch row.Effect {
	case authstate.Moved:
		want = a.Transaction
		assert.Equal(r.t, r.clock.Now(), a.Transaction.EndedAt)
		assert.Equal(r.t, a.Result.Raw, a.Transaction.Raw)
		assert.Equal(r.t, string(a.Result.Scheme), a.Transaction.Scheme)
		assert.Equal(r.t, a.Result.Tables, a.Transaction.Tables)
		assert.Equal(r.t, row.To == ports.TransactionSucceeded, a.Transaction.Code == "")
	case authstate.LandedLate:
		want.Version++
		want.LateAt, want.LateRaw = r.clock.Now(), a.Result.Raw
	case authstate.Unchanged, authstate.Contradicted:
	}
	assert.Equal(r.t, want, a.Transaction, "I27")
	events := r.events()
	if row.Event == "" {
		assert.Empty(r.t, events)
		return
	}
	require.Len(r.t, events, 1, "I32")
	assert.Equal(r.t, row.Event, events[0].Kind)
	assert.Equal(r.t, r.clock.Now(), events[0].At)
}

func TestTransitionsReturnsACopy(t *testing.T) {
	authstate.Transitions()[0].To = ports.TransactionErrored
	assert.Equal(t, ports.TransactionPending, authstate.Transitions()[0].To)
}

func TestALatePaymentIsRecordedOnce(t *testing.T) {
	r := newRig(t)
	r.open(minute("t"))
	r.record("t", failures.Failed)
	r.clock.Advance(time.Second)
	first := r.record("t", failures.Success)
	assert.Equal(t, authstate.LandedLate, first.Effect)
	r.clock.Advance(time.Second)
	second, err := r.service.Succeed(t.Context(), owner, "t")
	require.NoError(t, err)
	assert.Equal(t, authstate.Unchanged, second.Effect)
	assert.Equal(t, first.Transaction, second.Transaction)
	assert.Equal(t, []string{authstate.EventOpened, authstate.EventFailed, authstate.EventLatePayment}, kinds(r.events()))
}

// I24, I25.
func TestFailRejectsCodesThatDoNotFit(t *testing.T) {
	for _, d := range []errcodes.Direction{errcodes.Payin, errcodes.Payout} {
		for _, row := range append(errcodes.TransactionCodes(), errcodes.TransactionRow{}, errcodes.TransactionRow{Code: "bogus"}) {
			r := newRig(t)
			r.open(authstate.Opening{ID: "t", Direction: d})
			a, err := r.service.Fail(t.Context(), owner, "t", row.Code)
			if row.Code.Known() && !row.Deprecated && row.Fits(d) {
				require.NoError(t, err, row.Code)
				assert.Equal(t, row.Code, a.Transaction.Code)
				assert.Equal(t, row.State, a.Transaction.Status.State())
				continue
			}
			require.ErrorIs(t, err, errcodes.InvalidRequest, "%s on a %s", row.Code, d)
			assert.Equal(t, ports.TransactionPending, r.get("t").Status)
		}
	}
}

func TestAnInvalidReportChangesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		report authstate.Report
		want   errcodes.Code
	}{
		"an unknown scheme":   {authstate.Report{Scheme: "carrier-pigeon", Code: "0"}, errcodes.InvalidRequest},
		"no scheme":           {authstate.Report{Code: "0"}, errcodes.InvalidRequest},
		"an unknown state":    {authstate.Report{Scheme: failures.Stripe, Code: "x", State: "sad"}, errcodes.InvalidRequest},
		"a code above 64 KiB": {authstate.Report{Scheme: failures.Stripe, Code: strings.Repeat("x", ports.MaxRaw+1)}, errcodes.PayloadTooLarge},
		"a text above 64 KiB": {authstate.Report{Scheme: failures.Stripe, Message: strings.Repeat("x", ports.MaxRaw+1)}, errcodes.PayloadTooLarge},
	} {
		r := newRig(t)
		r.open(minute("t"))
		a, err := r.service.Record(t.Context(), owner, "t", c.report)
		require.ErrorIs(t, err, c.want, name)
		assert.Zero(t, a, name)
		assert.Equal(t, ports.TransactionPending, r.get("t").Status, name)
		assert.Empty(t, r.effects, name)
	}
}

// A callback that was cut short, or that is about something else, must not end a payment.
func TestAReportNeedsACodeAStateOrAKnownMessage(t *testing.T) {
	const unknown, known = "see the attachment", "The balance is insufficient for the transaction"
	for _, code := range []string{"", " ", "\t\n", "9999999"} {
		for _, text := range []string{"", " ", unknown, known} {
			for _, state := range []errcodes.State{"", errcodes.StateFailed, errcodes.StateError} {
				report := authstate.Report{Scheme: failures.MpesaDaraja, Code: code, Message: text, State: state}
				name := fmt.Sprintf("code %q, message %q, state %q", code, text, state)
				says := code == "9999999" || state != "" || code == "" && text == known
				r := newRig(t)
				r.open(minute("t"))
				a, err := r.service.Record(t.Context(), owner, "t", report)
				if says {
					require.NoError(t, err, name)
					assert.Equal(t, authstate.Moved, a.Effect, name)
					continue
				}
				require.ErrorIs(t, err, errcodes.InvalidRequest, name)
				assert.Equal(t, "code is required, unless the state is set or a table knows the message", errcodes.MessageOf(err))
				assert.Zero(t, a, name)
				assert.Equal(t, ports.TransactionPending, r.get("t").Status, name)
				assert.Equal(t, []string{authstate.EventOpened}, kinds(r.events()))
			}
		}
	}
}

// I26.
func TestRawCodeAndMessageAreStoredByteForByte(t *testing.T) {
	code, text := "\x00\xff"+strings.Repeat("é", ports.MaxRaw/2-1), strings.Repeat("\x00", ports.MaxRaw)
	require.Len(t, code, ports.MaxRaw)
	r := newRig(t)
	r.open(minute("t"))
	a, err := r.service.Record(t.Context(), owner, "t", authstate.Report{Scheme: failures.Ozow, Code: code, Message: text, State: errcodes.StateError})
	require.NoError(t, err)
	assert.Equal(t, errcodes.ErrorDownstream, a.Transaction.Code, "the caller's hint")
	for _, raw := range []ports.RawFailure{a.Result.Raw, a.Transaction.Raw, r.get("t").Raw} {
		assert.True(t, raw.Code == code && raw.Message == text)
	}
	late, err := r.service.Record(t.Context(), owner, "t", authstate.Report{Scheme: failures.MpesaDaraja, Code: "0", Message: text})
	require.NoError(t, err)
	assert.True(t, late.Transaction.LateRaw.Message == text && r.get("t").LateRaw.Message == text)
}

// Another owner's transaction is not found (I31).
func TestTheTransactionsDirectionDecidesTheCode(t *testing.T) {
	for d, want := range map[errcodes.Direction]errcodes.TransactionCode{
		errcodes.Payin: errcodes.FailurePayinInsufficientFunds, errcodes.Payout: errcodes.ErrorPayoutInsufficientFunds,
	} {
		r := newRig(t)
		r.open(authstate.Opening{ID: "t", Direction: d})
		a, err := r.service.Record(t.Context(), owner, "t", authstate.Report{Scheme: failures.MpesaDaraja, Code: "1"})
		require.NoError(t, err)
		assert.Equal(t, want, a.Transaction.Code)
		_, err = r.service.Record(t.Context(), "other", "t", authstate.Report{Scheme: failures.MpesaDaraja, Code: "1"})
		require.ErrorIs(t, err, errcodes.NotFound)
		_, err = r.service.Succeed(t.Context(), "other", "t")
		require.ErrorIs(t, err, errcodes.NotFound)
		_, err = r.service.Fail(t.Context(), owner, "u", errcodes.FailureTimeout)
		require.ErrorIs(t, err, errcodes.NotFound)
		_, err = r.service.Get(t.Context(), "other", "t")
		require.ErrorIs(t, err, errcodes.NotFound)
	}
}
