package webhook

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/corridor-go/corridor/errcodes"
)

// The headers of Standard Webhooks.
const (
	HeaderID        = "Webhook-Id"        // the event's id
	HeaderTimestamp = "Webhook-Timestamp" // of the attempt, in seconds since 1970
	HeaderSignature = "Webhook-Signature" // v1,base64 of HMAC-SHA-256; one for each secret, with blanks between
)

// sign sets the headers of an attempt at that time.
func sign(secrets []Secret, header http.Header, id string, at time.Time, body []byte) error {
	signatures := make([]string, 0, len(secrets))
	for _, s := range secrets {
		signature, err := s.kept().hook.Sign(id, at, body)
		if err != nil {
			return errcodes.New(errcodes.Internal, "")
		}
		signatures = append(signatures, signature)
	}
	header.Set(HeaderID, id)
	header.Set(HeaderTimestamp, strconv.FormatInt(at.Unix(), 10))
	header.Set(HeaderSignature, strings.Join(signatures, " "))
	return nil
}

// Verify checks that a request was signed with one of the secrets, not more than
// [DefaultTolerance] before or after now. body is as it was received, byte for
// byte. A header that is missing, doubled or malformed, a time too far off and a
// signature that is not right are [errcodes.Unauthorized], with a message that
// says which and may be shown; secrets that are none are
// [errcodes.Configuration]. Comparisons take the same time for every signature.
func Verify(secrets []Secret, header http.Header, body []byte, now time.Time) (Message, error) {
	if err := check(secrets); err != nil {
		return Message{}, err
	}
	return verify(secrets, header, body, now, DefaultTolerance)
}

func verify(secrets []Secret, header http.Header, body []byte, now time.Time, tolerance time.Duration) (Message, error) {
	m, err := claimed(header, body)
	if err != nil {
		return Message{}, err
	}
	if off := now.Sub(m.SentAt); off.Abs() > tolerance {
		return Message{}, refuse(fmt.Sprintf("The message is more than %s %s", tolerance, side(off)))
	}
	for _, s := range secrets {
		// The library compares; the time is checked above, by the caller's clock.
		if s.kept().hook.VerifyIgnoringTimestamp(body, header) == nil {
			return m, nil
		}
	}
	return Message{}, refuse("The signature is not right")
}

func side(off time.Duration) string {
	if off > 0 {
		return "old"
	}
	return "ahead of the clock"
}

// claimed reads what a request says of itself. The library reads the first of
// several headers, and +1 as 1: each must be there once, as it is written.
func claimed(header http.Header, body []byte) (Message, error) {
	for _, name := range []string{HeaderID, HeaderTimestamp, HeaderSignature} {
		switch values := header.Values(name); {
		case len(values) == 0 || values[0] == "":
			return Message{}, refuse("The header " + strings.ToLower(name) + " is missing")
		case len(values) > 1:
			return Message{}, refuse("The header " + strings.ToLower(name) + " comes more than once")
		}
	}
	id, stamp := header.Get(HeaderID), header.Get(HeaderTimestamp)
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	switch {
	case !isID(id):
		return Message{}, refuse("The header webhook-id is malformed")
	case err != nil || seconds < 0 || strconv.FormatInt(seconds, 10) != stamp:
		return Message{}, refuse("The header webhook-timestamp is malformed")
	case !bytes.HasPrefix(body, []byte("{")):
		return Message{}, refuse("The body is no object in JSON")
	}
	return Message{ID: id, SentAt: time.Unix(seconds, 0).UTC(), Body: body}, nil
}

func refuse(message string) error { return errcodes.New(errcodes.Unauthorized, message) }
