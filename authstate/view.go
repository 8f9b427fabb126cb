package authstate

import (
	"log/slog"

	"github.com/corridor-go/corridor/ports"
)

// View is a transaction on the wire (SPEC 2.9): one shape for the polled resource,
// the synchronous response and the webhook.
type View struct {
	TransactionID string                  `json:"transactionId"`
	Status        ports.TransactionStatus `json:"status"`
	AuthState     *ports.AuthState        `json:"authState,omitempty"` // of FAILED and ERRORED alone
}

// ViewOf returns what the wire shows of a transaction.
func ViewOf(t *ports.Transaction) View {
	v := View{TransactionID: t.ID, Status: t.Status}
	if state, failed := t.AuthState(); failed {
		v.AuthState = &state
	}
	return v
}

// LogValue is what logs show of a view: not what the provider said.
func (v View) LogValue() slog.Value {
	return slog.StringValue(v.TransactionID + " " + string(v.Status))
}
