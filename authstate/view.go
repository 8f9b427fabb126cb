package authstate

import (
	"log/slog"

	"github.com/corridor-go/corridor/ports"
)

// View is a transaction on the wire (SPEC 2.9): on the polled resource, in the
// synchronous response and in webhooks.
type View struct {
	TransactionID string                  `json:"transactionId"`
	Status        ports.TransactionStatus `json:"status"`
	AuthState     *ports.AuthState        `json:"authState,omitempty"` // only of FAILED and ERRORED
}

// ViewOf returns a transaction as a View.
func ViewOf(t *ports.Transaction) View {
	v := View{TransactionID: t.ID, Status: t.Status}
	if state, failed := t.AuthState(); failed {
		v.AuthState = &state
	}
	return v
}

// LogValue returns id and status, without the provider's code and message.
func (v View) LogValue() slog.Value {
	return slog.StringValue(v.TransactionID + " " + string(v.Status))
}
