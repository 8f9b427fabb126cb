package webhook

import (
	"io"
	"net/http"

	"github.com/corridor-go/corridor/errcodes"
)

// Receiver takes what a [Sink], or another sender of Standard Webhooks, sends.
// It is safe for concurrent use.
type Receiver struct {
	secrets []Secret
	cfg     ReceiverConfig
}

// NewReceiver returns a receiver of messages that are signed with one of the
// secrets. No secret, a zero secret and a bad value in config are
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

// Receive reads the body and verifies the request, as [Verify] does. A body that
// is too long is [errcodes.PayloadTooLarge], one that breaks off
// [errcodes.InvalidRequest]. Answer with errcodes.StatusOf of the error, and
// with 2xx only once the event is kept: after that it does not come again. How
// long a sender may take over the body is for the server's ReadTimeout.
func (r *Receiver) Receive(request *http.Request) (Message, error) {
	if request.ContentLength > r.cfg.MaxBody {
		return Message{}, errcodes.New(errcodes.PayloadTooLarge, "")
	}
	if request.Body == nil { // as clients' requests, and those that gateways make up, may be
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
