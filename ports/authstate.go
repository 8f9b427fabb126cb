package ports

import (
	"encoding/json"
	"log/slog"
	"time"

	"github.com/corridor-go/corridor/errcodes"
)

// AuthState is how a transaction failed: the authState of SPEC 2.9 in responses, on
// the polled resource and in webhooks. In its JSON, times are in UTC to the
// millisecond, and bytes that are not UTF-8 become U+FFFD. The fields themselves
// contain the original bytes.
type AuthState struct {
	State                   errcodes.State           `json:"state"`
	Message                 string                   `json:"message"` // for people; never a provider's text
	Code                    errcodes.TransactionCode `json:"code,omitempty"`
	ConnectorFailureCode    string                   `json:"connectorFailureCode,omitempty"`
	ConnectorFailureMessage string                   `json:"connectorFailureMessage,omitempty"`
	TransitionedAt          time.Time                `json:"transitionedAt"`
}

// MarshalJSON returns the object of SPEC 2.9.
func (a AuthState) MarshalJSON() ([]byte, error) {
	type fields AuthState
	return json.Marshal(struct {
		fields
		TransitionedAt string `json:"transitionedAt"`
	}{fields(a), FormatTime(a.TransitionedAt)})
}

// String returns state and code, without the provider's code and message.
func (a AuthState) String() string { return string(a.State) + " " + string(a.Code) }

// LogValue returns [AuthState.String].
func (a AuthState) LogValue() slog.Value { return slog.StringValue(a.String()) }
