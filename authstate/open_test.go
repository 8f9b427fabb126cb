package authstate_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

func TestOpenStoresAPendingTransaction(t *testing.T) {
	r := newRig(t)
	cairo := time.FixedZone("EET", 2*3600)
	r.clock.Set(noon.Add(1700 * time.Microsecond).In(cairo))
	got := r.open(authstate.Opening{ID: "t", Direction: errcodes.Payout, RespondBy: noon.Add(time.Minute + 900*time.Microsecond).In(cairo)})
	want := ports.Transaction{
		ID: "t", Owner: owner, Version: 1, Direction: errcodes.Payout, Status: ports.TransactionPending,
		CreatedAt: noon.Add(time.Millisecond), RespondBy: noon.Add(time.Minute),
	}
	assert.Equal(t, want, got)
	assert.Equal(t, want, r.stored("t"))
	assert.Equal(t, want, r.get("t"))
	due := r.due(noon.Add(time.Minute))
	require.Len(t, due, 1)
	assert.Equal(t, want.RespondBy, due[0].DueAt)
	assert.Empty(t, r.due(noon.Add(time.Minute-time.Millisecond)))
	assert.Empty(t, r.effects, "no outcome was applied")
}

func TestATransactionWithoutRespondByNeverTimesOut(t *testing.T) {
	r := newRig(t)
	r.open(authstate.Opening{ID: "t", Direction: errcodes.Payin})
	r.clock.Set(noon.AddDate(500, 0, 0))
	require.NoError(t, r.service.Tick(t.Context(), r.clock.Now()))
	assert.Equal(t, ports.TransactionPending, r.get("t").Status)
	assert.Empty(t, r.due(r.clock.Now()))
}

func TestOpenRejectsInvalidFields(t *testing.T) {
	payin := func(id string) authstate.Opening { return authstate.Opening{ID: id, Direction: errcodes.Payin} }
	by := func(at time.Time) authstate.Opening { o := payin("t"); o.RespondBy = at; return o }
	const (
		badID   = "id must be 1 to 128 bytes of text without control characters"
		tooLate = "respondBy must not be after the year 9999; zero means no timeout"
	)
	past := func(at string) string { return "respondBy must be in the future, not " + at }
	for name, c := range map[string]struct {
		owner   string
		o       authstate.Opening
		message string
	}{
		"no owner":                      {"", payin("t"), "owner is required"},
		"no id":                         {owner, payin(""), badID},
		"an id of 129 bytes":            {owner, payin(strings.Repeat("x", 129)), badID},
		"an id with NUL":                {owner, payin("a\x00b"), badID},
		"an id with a line break":       {owner, payin("a\nb"), badID},
		"an id with DEL":                {owner, payin("a\x7f"), badID},
		"an id with a C1 control":       {owner, payin("a\u0085b"), badID},
		"an id that is not UTF-8":       {owner, payin("a\xff"), badID},
		"no direction":                  {owner, authstate.Opening{ID: "t"}, `direction must be payin or payout, not ""`},
		"an unknown direction":          {owner, authstate.Opening{ID: "t", Direction: "sideways"}, `direction must be payin or payout, not "sideways"`},
		"the current time":              {owner, by(noon), past("2026-11-20T12:00:00.000Z")},
		"a time in the past":            {owner, by(noon.Add(-time.Hour)), past("2026-11-20T11:00:00.000Z")},
		"a time after the year 9999":    {owner, by(time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)), tooLate},
		"the latest time of Go":         {owner, by(time.Unix(1<<63-62135596801, 999_999_999)), tooLate},
		"a time within the millisecond": {owner, by(noon.Add(999 * time.Microsecond)), past("2026-11-20T12:00:00.000Z")},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			_, err := r.service.Open(t.Context(), c.owner, c.o)
			require.ErrorIs(t, err, errcodes.InvalidRequest)
			var details errcodes.FieldDetails
			require.ErrorAs(t, err, &details)
			require.Len(t, details.Fields, 1)
			assert.Equal(t, c.message, errcodes.MessageOf(err))
			assert.Equal(t, c.message, details.Fields[0].Name+" "+details.Fields[0].Reason)
			assert.Empty(t, r.events())
		})
	}
	r := newRig(t)
	last := time.Date(9999, 12, 31, 23, 59, 59, 999_000_000, time.UTC)
	assert.Equal(t, last, r.open(by(last)).RespondBy)
	for _, id := range []string{strings.Repeat("x", 128), "é/ ~", "½ ₦"} {
		assert.Equal(t, id, r.open(payin(id)).ID)
	}
}

func TestOpenReturnsATransactionThatWasOpenedBefore(t *testing.T) {
	r := newRig(t)
	first := r.open(minute("t"))
	r.clock.Advance(time.Second)
	assert.Equal(t, first, r.open(minute("t")))
	finer := minute("t")
	finer.RespondBy = finer.RespondBy.Add(time.Microsecond)
	assert.Equal(t, first, r.open(finer), "times are stored to the millisecond")
	for name, o := range map[string]authstate.Opening{
		"another direction": {ID: "t", Direction: errcodes.Payout, RespondBy: first.RespondBy},
		"another time":      {ID: "t", Direction: errcodes.Payin, RespondBy: first.RespondBy.Add(time.Second)},
		"without a time":    {ID: "t", Direction: errcodes.Payin},
	} {
		_, err := r.service.Open(t.Context(), owner, o)
		require.ErrorIs(t, err, errcodes.Conflict, name)
		assert.Equal(t, "A transaction with this id exists", errcodes.MessageOf(err), name)
	}
	other, err := r.service.Open(t.Context(), "other", minute("t"))
	require.NoError(t, err, "an id is unique for its owner only (I31)")
	assert.Equal(t, "other", other.Owner)
	r.record("t", failures.Success)
	assert.Equal(t, ports.TransactionSucceeded, r.open(minute("t")).Status, "its current state")
	assert.Len(t, r.events(), 3)
	assert.Len(t, r.due(noon.Add(time.Minute)), 2)
}

// A caller that did not receive the result of Open repeats the call after RespondBy.
func TestOpenReturnsAnOpenedTransactionAfterRespondBy(t *testing.T) {
	r := newRig(t)
	r.open(minute("t"))
	r.clock.Set(noon.Add(time.Hour))
	got := r.open(minute("t"))
	assert.Equal(t, ports.TransactionFailed, got.Status)
	assert.Equal(t, errcodes.FailureTimeout, got.Code)
	other := minute("t")
	other.RespondBy = noon.Add(time.Second)
	_, err := r.service.Open(t.Context(), owner, other)
	require.ErrorIs(t, err, errcodes.Conflict)
	_, err = r.service.Open(t.Context(), owner, minute("u"))
	require.ErrorIs(t, err, errcodes.InvalidRequest, "a new transaction")
	assert.Equal(t, "respondBy must be in the future, not 2026-11-20T12:01:00.000Z", errcodes.MessageOf(err))
}

func TestOpenOfACorruptTransactionFails(t *testing.T) {
	r := newRig(t)
	bad := ports.Transaction{ID: "t", Owner: owner, Direction: errcodes.Payin, Status: "GONE", CreatedAt: noon}
	require.NoError(t, r.store.Transactions().Save(t.Context(), ports.TransactionChange{Transaction: bad}))
	_, err := r.service.Open(t.Context(), owner, minute("t"))
	require.ErrorIs(t, err, errcodes.CorruptRecord)
}

func TestConcurrentOpensStoreOneTransaction(t *testing.T) {
	r := newRig(t)
	got := make([]ports.Transaction, 16)
	var all sync.WaitGroup
	for i := range got {
		all.Go(func() { got[i] = r.open(minute("t")) })
	}
	all.Wait()
	for _, g := range got {
		assert.Equal(t, r.stored("t"), g)
	}
	assert.Equal(t, []string{authstate.EventOpened}, kinds(r.events()))
	assert.Len(t, r.due(noon.Add(time.Minute)), 1)
}
