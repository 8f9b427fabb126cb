package authstate_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// declined is a transaction that a provider declined.
func declined() ports.Transaction {
	return ports.Transaction{
		ID: "tx_1", Owner: "shop", Direction: errcodes.Payin, Status: ports.TransactionFailed, Code: errcodes.FailurePayinInsufficientFunds,
		Raw: ports.RawFailure{Code: "51", Message: "Not sufficient funds"}, EndedAt: noon.Add(1500 * time.Millisecond),
	}
}

func viewed(tb testing.TB, tx *ports.Transaction) string {
	tb.Helper()
	data, err := json.Marshal(authstate.ViewOf(tx))
	require.NoError(tb, err)
	return string(data)
}

func TestAViewMarshalsAsInSPEC(t *testing.T) {
	for status, want := range map[ports.TransactionStatus]string{
		ports.TransactionPending:   `{"transactionId":"tx_1","status":"PENDING"}`,
		ports.TransactionSucceeded: `{"transactionId":"tx_1","status":"SUCCEEDED"}`,
		ports.TransactionErrored: `{"transactionId":"tx_1","status":"ERRORED","authState":{"state":"error",` +
			`"message":"` + errcodes.ErrorDownstream.Row().Message + `","code":"downstreamError","connectorFailureCode":"51",` +
			`"connectorFailureMessage":"Not sufficient funds","transitionedAt":"2026-11-20T12:00:01.500Z"}}`,
		ports.TransactionFailed: `{"transactionId":"tx_1","status":"FAILED","authState":{"state":"failed",` +
			`"message":"The payer has insufficient funds","code":"payinInsufficientFunds","connectorFailureCode":"51",` +
			`"connectorFailureMessage":"Not sufficient funds","transitionedAt":"2026-11-20T12:00:01.500Z"}}`,
	} {
		tx := declined()
		tx.Status = status
		if status == ports.TransactionErrored {
			tx.Code = errcodes.ErrorDownstream
		}
		require.Equal(t, want, viewed(t, &tx))
	}
}

// I27.
func TestALatePaymentDoesNotChangeTheView(t *testing.T) {
	tx := declined()
	before := viewed(t, &tx)
	tx.LateAt, tx.LateRaw = noon.Add(time.Hour), ports.RawFailure{Code: "00", Message: "landed"}
	require.Equal(t, before, viewed(t, &tx))
}

func ExampleViewOf() {
	tx := ports.Transaction{
		ID: "tx_1", Owner: "shop", Direction: errcodes.Payin, Status: ports.TransactionFailed,
		Code: errcodes.FailurePayinInsufficientFunds, Raw: ports.RawFailure{Code: "51"}, EndedAt: noon,
	}
	data, err := json.MarshalIndent(authstate.ViewOf(&tx), "", "  ")
	fmt.Println(string(data), err)
	// Output:
	// {
	//   "transactionId": "tx_1",
	//   "status": "FAILED",
	//   "authState": {
	//     "state": "failed",
	//     "message": "The payer has insufficient funds",
	//     "code": "payinInsufficientFunds",
	//     "connectorFailureCode": "51",
	//     "transitionedAt": "2026-11-20T12:00:00.000Z"
	//   }
	// } <nil>
}
