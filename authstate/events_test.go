package authstate_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
)

func TestEventDataIsTheView(t *testing.T) {
	r := newRig(t)
	r.open(minute("pay/1"))
	r.clock.Advance(1500 * time.Millisecond)
	_, err := r.service.Record(t.Context(), owner, "pay/1", authstate.Report{
		Scheme: failures.MpesaDaraja, Code: "1037", Message: "DS \"timeout\" \xff",
	})
	require.NoError(t, err)
	r.clock.Advance(2 * time.Hour)
	r.record("pay/1", failures.Success)
	const failed = `"transactionId":"pay/1","status":"FAILED","authState":{"state":"failed",` +
		`"message":"No response came in time","code":"timeout","connectorFailureCode":"1037",` +
		`"connectorFailureMessage":"DS \"timeout\" \ufffd","transitionedAt":"2026-11-20T12:00:01.500Z"}`
	want := []struct {
		kind, data string
		at         time.Time
	}{
		{"transaction.opened", `{"transactionId":"pay/1","status":"PENDING"}`, noon},
		{"transaction.failed", `{` + failed + `}`, noon.Add(1500 * time.Millisecond)},
		{
			"transaction.late_payment", `{` + failed + `,"latePayment":{"landedAt":"2026-11-20T14:00:01.500Z"}}`,
			noon.Add(2*time.Hour + 1500*time.Millisecond),
		},
	}
	got := r.events()
	require.Len(t, got, len(want))
	ids := map[string]bool{}
	for i, e := range got {
		assert.Equal(t, want[i].kind, e.Kind)
		assert.Equal(t, want[i].data, string(e.Data))
		assert.Equal(t, want[i].at, e.At)
		assert.Equal(t, owner, e.Owner)
		assert.Equal(t, "shop\x00pay/1", e.Key)
		assert.Regexp(t, `^evt_[0-9a-f]{32}$`, e.ID)
		ids[e.ID] = true
	}
	assert.Len(t, ids, len(want))
	shown := r.get("pay/1")
	assert.Equal(t, want[1].data, viewed(t, &shown))
}

func TestEventDataOfSucceededAndErrored(t *testing.T) {
	r := newRig(t)
	r.open(minute("s"))
	r.record("s", failures.Success)
	r.open(authstate.Opening{ID: "e", Direction: errcodes.Payout})
	_, err := r.service.Fail(t.Context(), owner, "e", errcodes.ErrorNetwork)
	require.NoError(t, err)
	var data []string
	for _, e := range r.events() {
		if e.Kind != authstate.EventOpened {
			data = append(data, e.Kind+" "+string(e.Data))
		}
	}
	assert.Equal(t, []string{
		`transaction.succeeded {"transactionId":"s","status":"SUCCEEDED"}`,
		`transaction.errored {"transactionId":"e","status":"ERRORED","authState":{"state":"error","message":"` +
			errcodes.ErrorNetwork.Row().Message + `","code":"networkError","transitionedAt":"2026-11-20T12:00:00.000Z"}}`,
	}, data)
}

func TestEventIDsAreUniqueAcrossOwnersTransactionsAndKinds(t *testing.T) {
	r := newRig(t)
	ids := map[string]string{}
	for _, who := range []string{"a", "ab", "a\x00b", "a\x00", "\xff"} {
		for _, id := range []string{"b", "bc", "c", "x"} {
			_, err := r.service.Open(t.Context(), who, minute(id))
			require.NoError(t, err)
			_, err = r.service.Succeed(t.Context(), who, id)
			require.NoError(t, err)
		}
	}
	for _, e := range r.events() {
		assert.Empty(t, ids[e.ID], "%q is also the id of an event of %q", e.ID, e.Key)
		ids[e.ID] = e.Key + e.Kind
	}
	assert.Len(t, ids, 5*4*2)
	assert.Len(t, r.due(noon.Add(time.Minute)), 5*4)
}
