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
	HeaderSignature = "Webhook-Signature" // v1,base64 of HMAC-SHA-256; one for each secret, separated by spaces
)

// sign sets the headers of an attempt at the time.
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

// Verify checks that a request was signed with one of the secrets at most
// [DefaultTolerance] before or after now. body must be as received, byte for byte. A
// missing, repeated or malformed header, a time outside the tolerance, and a wrong
// signature are [errcodes.Unauthorized], with a message that may be shown; missing or
// invalid secrets are [errcodes.Configuration]. The comparison takes the same time for
// every signature.
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
		return Message{}, unauthorized(fmt.Sprintf("The message is more than %s %s", tolerance, side(off)))
	}
	for _, s := range secrets {
		// The library only compares; the time is checked above, by the caller's clock.
		if s.kept().hook.VerifyIgnoringTimestamp(body, header) == nil {
			return m, nil
		}
	}
	return Message{}, unauthorized("The signature is wrong")
}

func side(off time.Duration) string {
	if off > 0 {
		return "old"
	}
	return "ahead of the clock"
}

// claimed parses the headers strictly, since the library reads only the first of
// several headers, and reads +1 as 1.
func claimed(header http.Header, body []byte) (Message, error) {
	for _, name := range []string{HeaderID, HeaderTimestamp, HeaderSignature} {
		switch values := header.Values(name); {
		case len(values) == 0 || values[0] == "":
			return Message{}, unauthorized("The header " + strings.ToLower(name) + " is missing")
		case len(values) > 1:
			return Message{}, unauthorized("The header " + strings.ToLower(name) + " is repeated")
		}
	}
	id, stamp := header.Get(HeaderID), header.Get(HeaderTimestamp)
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	switch {
	case !isID(id):
		return Message{}, unauthorized("The header webhook-id is malformed")
	case err != nil || seconds < 0 || strconv.FormatInt(seconds, 10) != stamp:
		return Message{}, unauthorized("The header webhook-timestamp is malformed")
	case !bytes.HasPrefix(body, []byte("{")):
		return Message{}, unauthorized("The body is not a JSON object")
	}
	return Message{ID: id, SentAt: time.Unix(seconds, 0).UTC(), Body: body}, nil
}

func unauthorized(message string) error { return errcodes.New(errcodes.Unauthorized, message) }
