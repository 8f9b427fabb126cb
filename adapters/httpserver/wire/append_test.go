package wire_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/httpserver/wire"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

var lock = ports.RateLock{
	ID: "rl_1", Owner: "acme", Base: "USD", Quote: "ZAR",
	MidRate: "18.2500", MarkupBps: 150, AllInRate: "18.52375000",
	MidSource: "ecb", MidAt: time.UnixMilli(1).UTC(), ToleranceBps: 200,
	CreatedAt: time.Date(2026, 11, 20, 15, 0, 0, 7_000_000, time.UTC),
	ExpiresAt: time.Date(2026, 11, 21, 15, 0, 0, 7_999_999, time.FixedZone("", 7200)),
	Status:    ports.LockActive,
}

func TestAppendRateLock(t *testing.T) {
	t.Run("an active lock has exactly the fields of SPEC 2.3", func(t *testing.T) {
		assert.Equal(t, `{"rateLockId":"rl_1","status":"active","base":"USD","quote":"ZAR","midRate":"18.2500","markupBps":150,`+
			`"allInRate":"18.52375000","createdAt":"2026-11-20T15:00:00.007Z","expiresAt":"2026-11-21T13:00:00.007Z"}`,
			string(wire.AppendRateLock(nil, &lock)))
	})
	t.Run("I7: there is a reason if and only if the lock is cancelled", func(t *testing.T) {
		for _, status := range []ports.LockStatus{ports.LockActive, ports.LockExpired, ports.LockCancelled} {
			l := lock
			l.Status, l.CancellationReason = status, ports.CancelledMarketDrift
			var m map[string]any
			require.NoError(t, json.Unmarshal(wire.AppendRateLock(nil, &l), &m))
			reason, ok := m["cancellationReason"]
			assert.Equal(t, status == ports.LockCancelled, ok)
			if ok {
				assert.Equal(t, "market_drift", reason)
			}
		}
	})
	t.Run("whole seconds have three decimals", func(t *testing.T) {
		l := lock
		l.CreatedAt = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		assert.Contains(t, string(wire.AppendRateLock(nil, &l)), `"createdAt":"2026-01-02T03:04:05.000Z"`)
	})
	t.Run("it appends to the buffer", func(t *testing.T) {
		assert.Equal(t, "x"+string(wire.AppendRateLock(nil, &lock)), string(wire.AppendRateLock([]byte("x"), &lock)))
	})
}

func TestAppendValidation(t *testing.T) {
	v := ports.Validation{
		ValidationRecord: ports.ValidationRecord{
			ID: "0190", Owner: "acme", Status: ports.StatusNameMismatch, Provider: "paystack", Type: ports.External,
			ExpiresAt: lock.ExpiresAt, NameRule: "x", NameScore: 7, Outcome: ports.OutcomeFound,
		},
		HolderName: "AMA \"SERWAA\" MENSAH", FailureReason: "The provider returned a different name",
		Asked: []ports.ConnectorAnswer{{Connector: "paystack", Message: "inside only"}},
	}
	assert.Equal(t, `{"id":"0190","status":"name_mismatch","provider":"paystack","accountHolderName":"AMA \"SERWAA\" MENSAH",`+
		`"validationType":"external","expiresAt":"2026-11-21T13:00:00.007Z","failureReason":"The provider returned a different name"}`,
		string(wire.AppendValidation(nil, &v)))
	pending := ports.Validation{ValidationRecord: ports.ValidationRecord{ID: "0190", Status: ports.StatusPending, Provider: "paystack"}}
	assert.Equal(t, `{"id":"0190","status":"pending","provider":"paystack"}`, string(wire.AppendValidation(nil, &pending)))
}

func TestAnyTextIsWrittenAsValidJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := lock
		l.ID = rapid.String().Draw(t, "id")
		l.MidRate = string(rapid.SliceOf(rapid.Byte()).Draw(t, "mid"))
		var m struct{ RateLockID, MidRate string }
		require.NoError(t, json.Unmarshal(wire.AppendRateLock(nil, &l), &m))
		assert.Equal(t, l.ID, m.RateLockID)
		want, err := json.Marshal(l.MidRate)
		require.NoError(t, err)
		got, err := json.Marshal(m.MidRate)
		require.NoError(t, err)
		assert.JSONEq(t, string(want), string(got))
	})
}

func TestAppendToken(t *testing.T) {
	assert.Equal(t, `{"access_token":"cor_at_x","token_type":"Bearer","expires_in":86400}`,
		string(wire.AppendToken(nil, "cor_at_x", 24*time.Hour)))
	assert.Contains(t, string(wire.AppendToken(nil, "t", 1500*time.Millisecond)), `"expires_in":1.5}`)
}

// TestEnvelopesAgreeWithErrcodes compares the hand-written bytes with the types that
// define the shapes (I29).
func TestEnvelopesAgreeWithErrcodes(t *testing.T) {
	for _, row := range errcodes.All() {
		for _, err := range []error{
			errcodes.New(row.Code, ""),
			errcodes.Wrap(row.Code, `a "message" <with> \ é`, errors.New("the cause stays inside")),
		} {
			flat, e := json.Marshal(errcodes.FlatOf(err))
			require.NoError(t, e)
			assert.JSONEq(t, string(flat), string(wire.AppendFlat(nil, err)))
			token, e := json.Marshal(errcodes.TokenOf(err))
			require.NoError(t, e)
			assert.JSONEq(t, string(token), string(wire.AppendTokenError(nil, err)))
		}
	}
	assert.Equal(t, `{"message":"Unauthorized"}`, string(wire.AppendUnauthorized(nil)))
}

func BenchmarkAppendRateLock(b *testing.B) {
	buf := make([]byte, 0, 1024)
	b.ReportAllocs()
	for b.Loop() {
		buf = wire.AppendRateLock(buf[:0], &lock)
	}
}
