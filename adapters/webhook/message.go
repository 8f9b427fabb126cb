package webhook

import (
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// maxID bounds an event's id in bytes.
const maxID = 256

// envelope is the body, but for the data, which go out byte for byte.
type envelope struct {
	ID        string `json:"id"`
	Type      string `json:"type"`
	Timestamp string `json:"timestamp"`
	ClientID  string `json:"clientId"`
}

// bodyOf returns the body of an event: the same bytes at every attempt. What can
// never be sent is errcodes.InvalidRequest.
func bodyOf(e *ports.Event) ([]byte, error) {
	switch {
	case !isID(e.ID):
		return nil, errcodes.New(errcodes.InvalidRequest, "the event's id cannot stand in a header")
	case !utf8.ValidString(e.Kind), !utf8.ValidString(e.Owner):
		return nil, errcodes.New(errcodes.InvalidRequest, "the event's kind or owner is not UTF-8")
	case !utf8.Valid(e.Data) || !json.Valid(e.Data):
		return nil, errcodes.New(errcodes.InvalidRequest, "the event's data are not JSON")
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

// isID reports an id that a header can carry. What is signed is id.time.body,
// and ids have full stops: it can be read in one way only since an id has no
// brace, and a body begins with one.
func isID(id string) bool {
	odd := func(r rune) bool { return r <= ' ' || r > '~' || r == '{' }
	return id != "" && len(id) <= maxID && !strings.ContainsFunc(id, odd)
}

// Message is a request whose signature was right.
type Message struct {
	ID     string    // the event's; the same at every attempt
	SentAt time.Time // of this attempt, to the second, UTC
	Body   []byte    // as it was signed; an object in JSON, unless the sender signs something else
}

// Event reads the body as a sink of this package writes it: ID, Kind, Owner, At
// (UTC, to the millisecond) and Data are set; Key does not travel. A body of another shape, or one
// whose id is not the message's, is [errcodes.InvalidRequest].
func (m Message) Event() (ports.Event, error) {
	var read struct {
		envelope
		Data json.RawMessage `json:"data"`
	}
	if !utf8.Valid(m.Body) || json.Unmarshal(m.Body, &read) != nil {
		return ports.Event{}, errcodes.New(errcodes.InvalidRequest, "The message is not an event in JSON")
	}
	at, err := time.Parse(time.RFC3339, read.Timestamp)
	switch {
	case err != nil:
		return ports.Event{}, errcodes.New(errcodes.InvalidRequest, "The event's timestamp is no RFC 3339 time")
	case read.ID != m.ID:
		return ports.Event{}, errcodes.New(errcodes.InvalidRequest, "The event's id is not the message's")
	case read.Type == "", read.Data == nil:
		return ports.Event{}, errcodes.New(errcodes.InvalidRequest, "The event has no type or no data")
	}
	return ports.Event{ID: read.ID, Kind: read.Type, Owner: read.ClientID, At: at.UTC(), Data: read.Data}, nil
}
