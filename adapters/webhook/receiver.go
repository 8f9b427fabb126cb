package webhook

import (
	"io"
	"net/http"

	"github.com/corridor-go/corridor/errcodes"
)

// Receiver receives the messages of a [Sink], or of another sender of Standard
// Webhooks. It is safe for concurrent use.
type Receiver struct {
	secrets []Secret
	cfg     ReceiverConfig
}

// NewReceiver returns a receiver of messages signed with one of the secrets. No secret,
// a zero or repeated secret, and an invalid value in config are
// [errcodes.Configuration].
func NewReceiver(secrets []Secret, config *ReceiverConfig) (*Receiver, error) {
	if err := check(secrets); err != nil {
		return nil, err
	}
	cfg, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Receiver{secrets: append([]Secret(nil), secrets...), cfg: cfg}, nil
}

// Receive reads the body and verifies the request like [Verify]. A body that is too
// long is [errcodes.PayloadTooLarge], one that breaks off [errcodes.InvalidRequest].
// Answer an error with errcodes.StatusOf; answer 2xx only once the event is stored,
// because it is not sent again then. The server's ReadTimeout limits how long the
// sender may take.
func (r *Receiver) Receive(request *http.Request) (Message, error) {
	if request.ContentLength > r.cfg.MaxBody {
		return Message{}, errcodes.New(errcodes.PayloadTooLarge, "")
	}
	if request.Body == nil { // possible in requests of clients, and in those that gateways construct
		return verify(r.secrets, request.Header, nil, r.cfg.Clock.Now(), r.cfg.Tolerance)
	}
	body, err := io.ReadAll(io.LimitReader(request.Body, r.cfg.MaxBody+1))
	switch {
	case err != nil:
		return Message{}, errcodes.New(errcodes.InvalidRequest, "The body could not be read")
	case int64(len(body)) > r.cfg.MaxBody:
		return Message{}, errcodes.New(errcodes.PayloadTooLarge, "")
	}
	return verify(r.secrets, request.Header, body, r.cfg.Clock.Now(), r.cfg.Tolerance)
}
