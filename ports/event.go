package ports

import (
	"context"
	"time"
)

// Event announces that something happened. It is stored in the same Save as the
// change that caused it (I32), and delivered at least once.
//
// If two events of a change have the same ID, Save returns [errcodes.Conflict] and
// stores nothing, see [CheckQueued]. Stores do not compare the ID with events of other
// changes: an event with the same ID is a separate event, with its own claims.
type Event struct {
	ID      string    // unique, ensured by its maker; a receiver recognises repeats by it
	Kind    string    // for example "rate_lock.minted"
	Key     string    // the id of the resource; events of one key are delivered in the order of their saves
	Owner   string    // the client concerned
	At      time.Time // when the change was decided; it does not delay the delivery
	Data    []byte    // JSON; empty Data is read back as nil
	Attempt int       // number of claims since the event was saved or replayed, this one included; set by Claim, ignored by Save
	Claim   int64     // number of claims since the event was saved, this one included, so that it identifies the claim; set by Claim, ignored by Save
}

// Replayed reports whether a claimed event was buried and replayed before: somebody
// wants it to be sent now.
func (e Event) Replayed() bool { return e.Claim > int64(e.Attempt) }

// Outbox hands out stored events for delivery, in order for each Key: while an event
// is neither acknowledged nor buried, no later event of its key can be claimed.
type Outbox interface {
	// Claim leases up to n events (1 to [MaxClaim]) that are due at now, in the order
	// of their saves, at most one of each key. Nobody else can claim them before
	// now + lease, even if now jumps back. Claim returns an empty slice if no event
	// is due.
	Claim(ctx context.Context, now time.Time, lease time.Duration, n int) ([]Event, error)

	// Ack removes a delivered event. A claim is settled once, by Ack, Retry or Bury,
	// with the event as Claim returned it. All three return [errcodes.Conflict] if
	// the claim was settled or is not the latest, judged by ID, Key and Claim.
	Ack(ctx context.Context, e Event) error

	// Retry ends the claim; the event can be claimed again from at on.
	Retry(ctx context.Context, e Event, at time.Time) error

	// Bury sets the event aside with a reason of at most [MaxReason] bytes, so that
	// the next event of its key can be claimed. See [DeadLetters].
	Bury(ctx context.Context, e Event, reason string) error
}

// EventSink receives events: a webhook, a broker, a log.
type EventSink interface {
	// Deliver delivers one event. It returns nil once the receiver has stored it.
	// The same event may be delivered again. Deliver must not change e.Data. A
	// RetryAfter of the error is the least time before the next attempt. If the
	// category of the error's code is not to be retried, the event is buried, with
	// the [DeliveryReason] that the error wraps, or else with its code.
	Deliver(ctx context.Context, e Event) error
}

// DeliveryReason is the cause of an error of [EventSink.Deliver] in words, for example
// "410 Gone". Unlike the text of other errors it is logged and stored with a buried
// event, so it must not contain anything personal or secret.
type DeliveryReason string

// Error returns the reason.
func (r DeliveryReason) Error() string { return string(r) }

// BuriedEvent is an event that could not be delivered.
type BuriedEvent struct {
	Event
	Reason string // as passed to [Outbox.Bury]
	Pos    int64  // its position in the listing, above 0
}

// DeadLetters is the operator's view of an outbox: the buried events. They stay until
// an operator replays or discards them.
type DeadLetters interface {
	// Buried lists buried events of all owners in the order of their saves, beginning
	// after the position after, or at the start if after is 0. limit is 1 to
	// [MaxSmallPage], otherwise Buried returns [errcodes.InvalidRequest].
	Buried(ctx context.Context, after int64, limit int) ([]BuriedEvent, error)

	// Replay makes the buried events with the ids, or all if there are no ids,
	// claimable at now, and returns their number. It resets Attempt, so that a
	// replayed event is not buried at once, but not Claim, so that an earlier claim
	// never matches and [Event.Replayed] is true. Replayed events take their old place
	// in the order of saves, before later events of their key.
	//
	// For each replayed event it stores the audit row, with the event's ID as Object
	// and the event's Owner, in no particular order. It returns the errors of
	// [AuditRow.Check].
	Replay(ctx context.Context, now time.Time, audit AuditRow, ids ...string) (int, error)

	// Discard removes the buried events with the ids, and returns their number. It
	// returns [errcodes.InvalidRequest] without ids, and stores audit rows as Replay
	// does.
	Discard(ctx context.Context, audit AuditRow, ids ...string) (int, error)
}
