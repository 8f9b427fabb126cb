package ports

import (
	"context"
	"time"
)

// Actor is who makes a change: a client, an operator, or the system itself, which
// is the zero Actor. Servers and commands add it to a call's context with [WithActor].
type Actor struct {
	Client  string // the client's id, or Operator
	Address string // the network address of the request
	Trace   string // the x-trace-id of the response
}

// Operator is the Client of an Actor who runs a command on the store. Such an Actor
// has no Address and no Trace, which sets it apart from a client of that id.
const Operator = "operator"

type actorKey struct{}

// WithActor returns a copy of ctx that carries the actor. Texts longer than
// [MaxAuditText] bytes are cut.
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

// AuditRow records who changed what, when and from where (I39). Stores write it in
// the same transaction as the change, and never update it. It contains no personal
// data and no secret.
type AuditRow struct {
	Seq    int64 // position in the trail, above 0; set by the store, ignored when written
	At     time.Time
	Actor  Actor
	Act    string // an event's kind such as "rate_lock.minted", or one of the acts below
	Owner  string // the client concerned
	Object string // the id of what was changed
}

// The acts without an event.
const (
	ActClientPut      = "client.put"      // Object is the client's id
	ActClientRevoked  = "client.revoked"  // all tokens of a client; Object is the client's id
	ActTokenRevoked   = "token.revoked"   // Object is the token's SHA-256 in hexadecimal
	ActEventReplayed  = "event.replayed"  // Object is the event's id
	ActEventDiscarded = "event.discarded" // Object is the event's id
)

// Audit returns a row for each event of a change, with the actor of ctx. This actor is
// also recorded for what the call only noticed, such as the expiry of a lock.
func Audit(ctx context.Context, events []Event) []AuditRow {
	actor := ActorOf(ctx)
	rows := make([]AuditRow, len(events))
	for i := range events {
		e := &events[i]
		rows[i] = AuditRow{At: e.At, Actor: actor, Act: e.Kind, Owner: e.Owner, Object: e.Key}
	}
	return rows
}

// Check returns [errcodes.InvalidRequest] if At or Act is empty, or if Act or a text of
// Actor is longer than [MaxAuditText] bytes. Stores call it before they store anything.
func (r *AuditRow) Check() error {
	if r.At.IsZero() || r.Act == "" {
		return bad("an audit row needs a time and an act")
	}
	for _, text := range [...]string{r.Act, r.Actor.Client, r.Actor.Address, r.Actor.Trace} {
		if len(text) > MaxAuditText {
			return bad("a text of an audit row has %d bytes, want at most %d", len(text), MaxAuditText)
		}
	}
	return nil
}
