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

// MaxRetryAfter bounds the wait that a provider may ask for.
const MaxRetryAfter = time.Hour

// Reply is an answer as it came, of any status but a redirect's.
type Reply struct {
	Status int
	Body   []byte
	After  time.Duration // of Retry-After; 0 where there is none
}

// Decode reads the body as JSON. What is not JSON in UTF-8, all of it, and of
// into's shape is [errcodes.MalformedAnswer]. A JSON null leaves into as it is.
func (r Reply) Decode(into any) error {
	if !utf8.Valid(r.Body) {
		return errcodes.New(errcodes.MalformedAnswer, "the answer is not UTF-8")
	}
	if json.Unmarshal(r.Body, into) != nil {
		return errcodes.New(errcodes.MalformedAnswer, "the answer is not the JSON that the provider documents")
	}
	return nil
}

// Open is the way into most answers: it decodes the body, unless the status says
// enough by itself. Refused credentials are [errcodes.Configuration] whatever the
// body says. A body that cannot be read is [errcodes.Unavailable] with a 5xx, and
// [errcodes.MalformedAnswer] otherwise; with a 429 it is no error, and into may
// hold a part of it.
func (r Reply) Open(into any) error {
	if r.Status == http.StatusUnauthorized || r.Status == http.StatusForbidden {
		return Refused()
	}
	if err := r.Decode(into); err != nil && !r.Throttled() {
		return cmp.Or(r.down(), err)
	}
	return nil
}

// Throttled reports a 429.
func (r Reply) Throttled() bool { return r.Status == http.StatusTooManyRequests }

// Later is the answer that a 429 means.
func (r Reply) Later(code, message string) ports.Answer {
	return ports.Answer{Kind: ports.OutcomeTryLater, Code: code, Message: message, After: r.After}
}

// Definite lets a 5xx speak only where it says something definite: with an
// answer of [ports.OutcomeFailed] it is [errcodes.Unavailable].
func (r Reply) Definite(answer ports.Answer) (ports.Answer, error) {
	if down := r.down(); down != nil && answer.Kind == ports.OutcomeFailed {
		return ports.Answer{}, down
	}
	return answer, nil
}

// Unread is the error for JSON that the provider's documents do not describe:
// [errcodes.Unavailable] with a 5xx, and [errcodes.MalformedAnswer] otherwise.
func (r Reply) Unread() error {
	return cmp.Or(r.down(), error(errcodes.New(errcodes.MalformedAnswer, "the answer is not what the provider documents")))
}

func (r Reply) down() error {
	if r.Status >= http.StatusInternalServerError {
		return errcodes.New(errcodes.Unavailable, "the provider answers "+strconv.Itoa(r.Status))
	}
	return nil
}

// Refused is the error of a provider that refuses the credentials, or the right
// to use them: [errcodes.Configuration].
func Refused() error {
	return errcodes.New(errcodes.Configuration, "the provider refuses the credentials")
}

// RetryAfter reads a Retry-After header, seconds or a date (RFC 9110, 10.2.3), as
// the wait from now: 0 for an empty header, for a date that has passed and for what
// is neither; at most longest.
func RetryAfter(header string, now time.Time, longest time.Duration) time.Duration {
	header = strings.Trim(header, " \t")
	if isDigits(header) {
		seconds, err := strconv.ParseInt(header, 10, 64)
		if err != nil || seconds > int64(longest/time.Second) {
			return longest // digits that overflow are many
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
