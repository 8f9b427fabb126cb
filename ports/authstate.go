package ports

import (
	"encoding/json"
	"log/slog"
	"time"

	"github.com/corridor-go/corridor/errcodes"
)

// AuthState is how a transaction failed, as SPEC 2.9 puts it on the wire: in
// responses, on the polled resource and in webhooks. Its JSON is exactly that,
// with times in UTC to the millisecond; bytes that are no UTF-8 become U+FFFD
// there, and nowhere else.
type AuthState struct {
	State                   errcodes.State           `json:"state"`
	Message                 string                   `json:"message"` // for people; never a provider's text
	Code                    errcodes.TransactionCode `json:"code,omitempty"`
	ConnectorFailureCode    string                   `json:"connectorFailureCode,omitempty"`
	ConnectorFailureMessage string                   `json:"connectorFailureMessage,omitempty"`
	TransitionedAt          time.Time                `json:"transitionedAt"`
}

// MarshalJSON gives the object of SPEC 2.9.
func (a AuthState) MarshalJSON() ([]byte, error) {
	type fields AuthState
	return json.Marshal(struct {
		fields
		TransitionedAt string `json:"transitionedAt"`
	}{fields(a), FormatTime(a.TransitionedAt)})
}

// String shows an authState without what the provider said.
func (a AuthState) String() string { return string(a.State) + " " + string(a.Code) }

// LogValue is what logs show of it.
func (a AuthState) LogValue() slog.Value { return slog.StringValue(a.String()) }
