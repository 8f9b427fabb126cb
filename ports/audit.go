package ports

import (
	"context"
	"strconv"
	"time"
)

// Actor is who acts: a client, an operator, or, as the zero Actor, the system
// itself. An edge puts it into the context of a call by [WithActor].
type Actor struct {
	Client  string // the client's id, or Operator
	Address string // where the request came from
	Trace   string // the x-trace-id of its response
}

// Operator is the Client of an Actor who runs a command on the store itself.
// Such an Actor has neither an Address nor a Trace; a client of that id has both.
const Operator = "operator"

type actorKey struct{}

// WithActor returns a context of ctx that carries the actor. A text above
// [MaxAuditText] is cut.
func WithActor(ctx context.Context, a Actor) context.Context {
	for _, text := range [...]*string{&a.Client, &a.Address, &a.Trace} {
		*text = (*text)[:min(len(*text), MaxAuditText)]
	}
	return context.WithValue(ctx, actorKey{}, a)
}

// ActorOf returns the actor that ctx carries, or the zero Actor.
func ActorOf(ctx context.Context) Actor {
	a, _ := ctx.Value(actorKey{}).(Actor)
	return a
}

// AuditRow records an act: who changed what, when, from where (I39). Stores write
// it in the same transaction as the change, and never change it. It holds no
// personal data and no secret.
type AuditRow struct {
	Seq    int64 // its place in the trail, above 0; set by the store, ignored by its writes
	At     time.Time
	Actor  Actor
	Act    string // an event's kind such as "rate_lock.minted", or one of the acts below
	Owner  string // the client concerned
	Object string // the id of what was changed
}

// The acts that no event announces.
const (
	ActClientPut      = "client.put"      // Object is the client's id
	ActTokenRevoked   = "token.revoked"   // Object is the token's SHA-256 in hexadecimal
	ActEventReplayed  = "event.replayed"  // Object is the event's id
	ActEventDiscarded = "event.discarded" // likewise
)

// Audit returns a row for each event of a change: an act of ctx's actor. An act
// that a change only finds done, such as the expiry of a lock, is recorded as an
// act of whoever's call wrote it down.
func Audit(ctx context.Context, events []Event) []AuditRow {
	actor := ActorOf(ctx)
	rows := make([]AuditRow, len(events))
	for i := range events {
		e := &events[i]
		rows[i] = AuditRow{At: e.At, Actor: actor, Act: e.Kind, Owner: e.Owner, Object: e.Key}
	}
	return rows
}

// Check returns [errcodes.InvalidRequest] for a row without At or Act, and for a
// text above [MaxAuditText] in its Act or Actor. Stores ask it before they store
// anything.
func (r *AuditRow) Check() error {
	if r.At.IsZero() || r.Act == "" {
		return bad("an audit row has a time and an act")
	}
	for _, text := range [...]string{r.Act, r.Actor.Client, r.Actor.Address, r.Actor.Trace} {
		if len(text) > MaxAuditText {
			return bad("a text of an audit row has at most " + strconv.Itoa(MaxAuditText) + " bytes")
		}
	}
	return nil
}
