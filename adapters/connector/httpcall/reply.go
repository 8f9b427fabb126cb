package httpcall

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// MaxRetryAfter is the longest wait that a provider may ask for.
const MaxRetryAfter = time.Hour

// Reply is an answer with any status except a redirect's.
type Reply struct {
	Status int
	Body   []byte
	After  time.Duration // from Retry-After; 0 if it is missing
}

// Decode parses the body as JSON. It returns [errcodes.MalformedAnswer] unless the
// whole body is JSON in UTF-8 with into's shape. A JSON null leaves into unchanged.
func (r Reply) Decode(into any) error {
	if !utf8.Valid(r.Body) {
		return errcodes.New(errcodes.MalformedAnswer, r.said()+"the answer is not UTF-8")
	}
	if json.Unmarshal(r.Body, into) != nil {
		return errcodes.New(errcodes.MalformedAnswer, r.said()+"the answer is not JSON of the documented shape")
	}
	return nil
}

// Open parses most answers: it decodes the body, unless the status says enough.
// Rejected credentials (401, 403) are [errcodes.Configuration] whatever the body. A
// body that cannot be decoded is [errcodes.Unavailable] with a 5xx, no error with a 429
// (into may then be filled in part), and [errcodes.MalformedAnswer] otherwise.
func (r Reply) Open(into any) error {
	if r.Status == http.StatusUnauthorized || r.Status == http.StatusForbidden {
		return Refused()
	}
	if err := r.Decode(into); err != nil && !r.Throttled() {
		return cmp.Or(r.down(), err)
	}
	return nil
}

// Throttled reports whether the status is 429.
func (r Reply) Throttled() bool { return r.Status == http.StatusTooManyRequests }

// Later returns the answer for a 429.
func (r Reply) Later(code, message string) ports.Answer {
	return ports.Answer{Kind: ports.OutcomeTryLater, Code: code, Message: message, After: r.After}
}

// Definite returns the answer, or [errcodes.Unavailable] if the status is a 5xx and the
// answer is [ports.OutcomeFailed], which says nothing definite.
func (r Reply) Definite(answer ports.Answer) (ports.Answer, error) {
	if down := r.down(); down != nil && answer.Kind == ports.OutcomeFailed {
		return ports.Answer{}, down
	}
	return answer, nil
}

// Unread is the error for JSON that the provider does not document:
// [errcodes.Unavailable] with a 5xx, and [errcodes.MalformedAnswer] otherwise. Both name
// the status.
func (r Reply) Unread() error {
	return cmp.Or(r.down(), error(errcodes.New(errcodes.MalformedAnswer, r.said()+"the answer is not of the documented shape")))
}

func (r Reply) down() error {
	if r.Status >= http.StatusInternalServerError {
		return errcodes.New(errcodes.Unavailable, "the provider answers "+strconv.Itoa(r.Status))
	}
	return nil
}

// said is the beginning of errors about the body.
func (r Reply) said() string { return "status " + strconv.Itoa(r.Status) + ": " }

// Refused returns the [errcodes.Configuration] for a provider that rejects the
// credentials or denies them access.
func Refused() error {
	return errcodes.New(errcodes.Configuration, "the provider rejects the credentials")
}

// RetryAfter parses a Retry-After header, seconds or a date (RFC 9110, 10.2.3), and
// returns the wait from now, at most longest. It returns 0 if the header is empty or
// invalid, and if the date has passed.
func RetryAfter(header string, now time.Time, longest time.Duration) time.Duration {
	header = strings.Trim(header, " \t")
	if isDigits(header) {
		seconds, err := strconv.ParseInt(header, 10, 64)
		if err != nil || seconds > int64(longest/time.Second) {
			return longest // digits that overflow
		}
		return time.Duration(seconds) * time.Second
	}
	at, err := http.ParseTime(header)
	if err != nil {
		return 0
	}
	return min(max(at.Sub(now), 0), longest)
}

func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}
