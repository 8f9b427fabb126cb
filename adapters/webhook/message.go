package webhook

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// maxID bounds the length of an event's id, in bytes.
const maxID = 256

// envelope is the body without the data, which is sent byte for byte.
type envelope struct {
	ID        string `json:"id"`
	Type      string `json:"type"`
	Timestamp string `json:"timestamp"`
	ClientID  string `json:"clientId"`
}

// bodyOf returns the body of an event, which is the same at every attempt. An event
// that can never be sent is [errcodes.InvalidRequest].
func bodyOf(e *ports.Event) ([]byte, error) {
	switch {
	case !isID(e.ID):
		return nil, errcodes.New(errcodes.InvalidRequest, "the event's id must be 1 to 256 visible ASCII characters other than {")
	case !utf8.ValidString(e.Kind), !utf8.ValidString(e.Owner):
		return nil, errcodes.New(errcodes.InvalidRequest, "the event's kind and owner must be UTF-8")
	case !utf8.Valid(e.Data) || !json.Valid(e.Data):
		return nil, errcodes.New(errcodes.InvalidRequest, "the event's data must be JSON")
	}
	head, err := json.Marshal(envelope{e.ID, e.Kind, ports.FormatTime(e.At), e.Owner})
	if err != nil {
		return nil, errcodes.Wrap(errcodes.Internal, "", err)
	}
	body := make([]byte, 0, len(head)+len(`,"data":`)+len(e.Data))
	body = append(body, head[:len(head)-1]...)
	body = append(body, `,"data":`...)
	body = append(body, e.Data...)
	return append(body, '}'), nil
}

// isID reports whether id can be in a header. id.time.body is signed, and ids may
// contain full stops: events are unambiguous because an id has no brace and their body
// starts with one. For the bodies of other senders see ambiguous.
func isID(id string) bool {
	invalid := func(r rune) bool { return r <= ' ' || r > '~' || r == '{' }
	return id != "" && len(id) <= maxID && !strings.ContainsFunc(id, invalid)
}

// Message is a request with a correct signature.
type Message struct {
	ID     string    // of the event; the same at every attempt
	SentAt time.Time // of this attempt, to the second, UTC
	Body   []byte    // as signed; a JSON object from a [Sink], anything from another sender
}

// Event parses the body of a [Sink]. It sets ID, Kind, Owner, At (UTC, to the
// millisecond) and Data; Key is not sent. A body that is not a JSON object of this shape,
// or has another id than the message, is [errcodes.InvalidRequest].
func (m Message) Event() (ports.Event, error) {
	var read struct {
		envelope
		Data json.RawMessage `json:"data"`
	}
	object := bytes.HasPrefix(bytes.TrimLeft(m.Body, " \t\r\n"), []byte("{")) // null, too, would be read without an error
	if !object || !utf8.Valid(m.Body) || json.Unmarshal(m.Body, &read) != nil {
		return ports.Event{}, errcodes.New(errcodes.InvalidRequest, "The message is not a JSON event")
	}
	at, err := time.Parse(time.RFC3339, read.Timestamp)
	switch {
	case err != nil:
		return ports.Event{}, errcodes.New(errcodes.InvalidRequest, "The event's timestamp is not an RFC 3339 time")
	case read.ID != m.ID:
		return ports.Event{}, errcodes.New(errcodes.InvalidRequest, "The event's id differs from the message's id")
	case read.Type == "", read.Data == nil:
		return ports.Event{}, errcodes.New(errcodes.InvalidRequest, "The event has no type or no data")
	}
	return ports.Event{ID: read.ID, Kind: read.Type, Owner: read.ClientID, At: at.UTC(), Data: read.Data}, nil
}
