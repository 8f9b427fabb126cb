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
//
// The body may be anything: it is for the caller to parse. The exception is a body other
// than a JSON object whose signed text id.timestamp.body is also that of another message,
// as if the id ended elsewhere: that is [errcodes.Unauthorized] too. It takes an id with
// a number after a full stop, against which Standard Webhooks warns, or a body with a
// number and a full stop in front of its first brace.
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
	seconds, ok := parseStamp(stamp)
	switch {
	case !isID(id):
		return Message{}, unauthorized("The header webhook-id is malformed")
	case !ok:
		return Message{}, unauthorized("The header webhook-timestamp is malformed")
	case ambiguous(id, stamp, body):
		return Message{}, unauthorized("The signed text has more than one meaning")
	}
	return Message{ID: id, SentAt: time.Unix(seconds, 0).UTC(), Body: body}, nil
}

// parseStamp parses a timestamp in its only form: digits without a sign or leading zeros.
func parseStamp(stamp string) (seconds int64, ok bool) {
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	return seconds, err == nil && seconds >= 0 && strconv.FormatInt(seconds, 10) == stamp
}

// ambiguous reports whether the signed text id.stamp.body is that of another message
// first. Otherwise somebody who moves the borders between its three parts could replay it
// under another id or at another time. A text belongs to the message whose body starts
// with its first brace or, if there is no such message, to the one with the shortest id.
func ambiguous(id, stamp string, body []byte) bool {
	if bytes.HasPrefix(body, []byte("{")) {
		return false // ids contain no brace
	}
	for _, part := range strings.Split(id, ".")[1:] {
		if _, ok := parseStamp(part); ok {
			return true
		}
	}
	before, _, found := strings.Cut(id+"."+stamp+"."+string(body), ".{")
	at := strings.LastIndexByte(before, '.')
	if !found || at < 0 {
		return false
	}
	_, ok := parseStamp(before[at+1:])
	return ok && isID(before[:at])
}

func unauthorized(message string) error { return errcodes.New(errcodes.Unauthorized, message) }
