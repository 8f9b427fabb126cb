package ports_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// declined is a transaction that a provider declined.
func declined() ports.Transaction {
	return ports.Transaction{
		ID: "tx_1", Owner: "shop", Version: 2, Direction: errcodes.Payin, Status: ports.TransactionFailed,
		Code: errcodes.FailurePayinInsufficientFunds, Raw: ports.RawFailure{Code: "51", Message: "Not sufficient funds"},
		Scheme: "iso8583", Tables: "2026-11", CreatedAt: noon, EndedAt: noon.Add(1500 * time.Millisecond),
	}
}

func marshal(tb testing.TB, v any) string {
	tb.Helper()
	data, err := json.Marshal(v)
	require.NoError(tb, err)
	return string(data)
}

func TestAnAuthStateMarshalsAsInSPEC(t *testing.T) {
	const head = `{"state":"failed","message":"The payer has insufficient funds","code":"payinInsufficientFunds",`
	for name, c := range map[string]struct {
		change func(tx *ports.Transaction)
		want   string
	}{
		"a provider's code and message": {
			func(*ports.Transaction) {},
			head + `"connectorFailureCode":"51","connectorFailureMessage":"Not sufficient funds","transitionedAt":"2026-11-20T12:00:01.500Z"}`,
		},
		"nothing from a provider": {
			func(tx *ports.Transaction) { tx.Raw = ports.RawFailure{} },
			head + `"transitionedAt":"2026-11-20T12:00:01.500Z"}`,
		},
		"a code without a message": {
			func(tx *ports.Transaction) { tx.Raw.Message = "" },
			head + `"connectorFailureCode":"51","transitionedAt":"2026-11-20T12:00:01.500Z"}`,
		},
		"a message without a code": {
			func(tx *ports.Transaction) { tx.Raw.Code = "" },
			head + `"connectorFailureMessage":"Not sufficient funds","transitionedAt":"2026-11-20T12:00:01.500Z"}`,
		},
		"bytes that are not UTF-8 become U+FFFD, a NUL and blanks stay (I26)": {
			func(tx *ports.Transaction) {
				tx.Raw = ports.RawFailure{Code: "\x00 51 ", Message: "a\xff\xfeb\xc3(\xed\xa0\x80"}
			},
			head + `"connectorFailureCode":"\u0000 51 ","connectorFailureMessage":"a\ufffd\ufffdb\ufffd(\ufffd\ufffd\ufffd",` +
				`"transitionedAt":"2026-11-20T12:00:01.500Z"}`,
		},
		"an error": {
			func(tx *ports.Transaction) {
				tx.Status, tx.Code = ports.TransactionErrored, errcodes.ErrorDownstream
			},
			`{"state":"error","message":"` + errcodes.ErrorDownstream.Row().Message + `","code":"downstreamError",` +
				`"connectorFailureCode":"51","connectorFailureMessage":"Not sufficient funds","transitionedAt":"2026-11-20T12:00:01.500Z"}`,
		},
		"a time in another zone with microseconds": {
			func(tx *ports.Transaction) {
				tx.Raw, tx.EndedAt = ports.RawFailure{}, noon.Add(7*time.Millisecond+999*time.Microsecond).In(time.FixedZone("EAT", 3*3600))
			},
			head + `"transitionedAt":"2026-11-20T12:00:00.007Z"}`,
		},
		"a whole second has milliseconds too": {
			func(tx *ports.Transaction) { tx.Raw, tx.EndedAt = ports.RawFailure{}, noon },
			head + `"transitionedAt":"2026-11-20T12:00:00.000Z"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			tx := declined()
			c.change(&tx)
			state, failed := tx.AuthState()
			require.True(t, failed)
			require.Equal(t, c.want, marshal(t, state))
			require.Equal(t, c.want, marshal(t, &state), "by its address")
		})
	}
}

func TestAnAuthStateWithoutACodeLeavesItOut(t *testing.T) {
	require.Equal(t, `{"state":"failed","message":"declined","transitionedAt":"0001-01-01T00:00:00.000Z"}`,
		marshal(t, ports.AuthState{State: errcodes.StateFailed, Message: "declined"}))
}

// Each byte that JSON cannot represent is read back as one U+FFFD (I26).
func TestAnAuthStateIsReadBackFromItsJSON(t *testing.T) {
	anyBytes := rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })
	text := rapid.OneOf(rapid.String(), anyBytes)
	rapid.Check(t, func(t *rapid.T) {
		tx := declined()
		tx.Status = rapid.SampledFrom([]ports.TransactionStatus{ports.TransactionFailed, ports.TransactionErrored}).Draw(t, "status")
		tx.Raw = ports.RawFailure{Code: text.Draw(t, "code"), Message: text.Draw(t, "message")}
		tx.EndedAt = time.UnixMilli(rapid.Int64Range(0, 1<<45).Draw(t, "ended")).UTC()
		state, _ := tx.AuthState()
		require.Equal(t, tx.Raw.Code, state.ConnectorFailureCode)
		require.Equal(t, tx.Raw.Message, state.ConnectorFailureMessage)

		data, err := json.Marshal(state)
		require.NoError(t, err)
		var got ports.AuthState
		require.NoError(t, json.Unmarshal(data, &got))
		state.ConnectorFailureCode, state.ConnectorFailureMessage = repaired(tx.Raw.Code), repaired(tx.Raw.Message)
		require.Equal(t, state, got)
	})
}

// repaired replaces each byte that is not UTF-8 by U+FFFD.
func repaired(s string) string { return string([]rune(s)) }

func TestOnlyFailedAndErroredTransactionsHaveAnAuthState(t *testing.T) {
	for status, want := range map[ports.TransactionStatus]struct {
		state    errcodes.State
		terminal bool
	}{
		ports.TransactionPending:   {"", false},
		ports.TransactionSucceeded: {"", true},
		ports.TransactionFailed:    {errcodes.StateFailed, true},
		ports.TransactionErrored:   {errcodes.StateError, true},
	} {
		tx := declined()
		tx.Status = status
		state, failed := tx.AuthState()
		require.Equal(t, want.state != "", failed, status)
		require.Equal(t, want.state, state.State, status)
		require.Equal(t, want.state, status.State())
		require.Equal(t, want.terminal, status.Terminal())
	}
}

// A provider's code and message may contain personal data.
func TestLogsNeverShowAProvidersCodeOrMessage(t *testing.T) {
	const secret = "Jane Doe 0712345678"
	said := ports.RawFailure{Code: secret, Message: secret}
	tx := declined()
	tx.Raw, tx.LateAt, tx.LateRaw = said, noon, said
	state, _ := tx.AuthState()
	var out bytes.Buffer
	for _, handler := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(handler).Info("values", "transaction", tx, "raw", tx.Raw, "state", state, "address", &state, "late", tx.LateRaw,
			"change", ports.TransactionChange{Transaction: tx})
	}
	for _, v := range []any{tx, &tx, said, &said, tx.LateRaw, state, &state, ports.TransactionChange{Transaction: tx}} {
		fmt.Fprintf(&out, "%v %+v %s\n", v, v, v)
	}
	require.NotContains(t, out.String(), secret)
	require.NotContains(t, out.String(), strings.Fields(secret)[0])
	require.Contains(t, out.String(), "tx_1 payin FAILED payinInsufficientFunds")
	require.Contains(t, out.String(), "failed payinInsufficientFunds")
	require.Contains(t, out.String(), "a provider's raw answer")
}
