package ports

import (
	"context"
	"time"
)

// Event is news for the outside that something happened. It is stored in the same
// Save as the change that caused it (I32), and delivered at least once.
//
// A change that has the same ID twice is errcodes.Conflict, and nothing of it is
// stored, see [CheckQueued]. Among the events of other changes a store does not
// look for the ID: one that comes with it again is an event of its own, claimed
// and settled by itself.
type Event struct {
	ID      string    // unique: its maker ensures that; a receiver drops repeats by it
	Kind    string    // for example "rate_lock.minted"
	Key     string    // events of one key are delivered in the order of their saves: the id of the thing
	Owner   string    // the client concerned
	At      time.Time // when it was decided; it may be claimed at once, whatever At says
	Data    []byte    // JSON; of no bytes it comes back nil
	Attempt int       // how often it was claimed since it was saved or replayed, this claim included; set by Claim, ignored by Save
	Claim   int64     // names this claim among all of the event; set by Claim, ignored by Save
}

// Outbox hands out stored events for delivery. Order is kept per Key: while an
// event is neither acknowledged nor buried, no later one of its key is claimed.
type Outbox interface {
	// Claim leases up to n events (1 to [MaxClaim]) that wait at now, in the order
	// of their saves, at most one of a key. Until now + lease nobody else gets
	// them; after that they are claimable again. If none waits, the answer is empty.
	Claim(ctx context.Context, now time.Time, lease time.Duration, n int) ([]Event, error)

	// Ack removes a delivered event. Like Retry and Bury it takes the event as
	// claimed, serves once, and is errcodes.Conflict when the claim was settled
	// or is no longer the latest, judged by ID, Key and Claim. A lease also holds when
	// now jumps back.
	Ack(ctx context.Context, e Event) error

	// Retry ends the claim, so that the event can be claimed from at on.
	Retry(ctx context.Context, e Event, at time.Time) error

	// Bury sets the event aside with a reason of at most [MaxReason] bytes, and lets
	// the next of its key pass. What happens to it then is for [DeadLetters].
	Bury(ctx context.Context, e Event, reason string) error
}

// EventSink receives events: a webhook, a broker, a log.
type EventSink interface {
	// Deliver hands one event over. nil means that the receiver has it for
	// good. The same event may come again. The sink must not change e.Data.
	// An error that carries a RetryAfter asks for that much patience; one whose
	// code's category is not to be retried will never succeed, and the event is
	// buried.
	Deliver(ctx context.Context, e Event) error
}

// BuriedEvent is an event that was set aside undelivered.
type BuriedEvent struct {
	Event
	Reason string // as given to [Outbox.Bury]
	Pos    int64  // its place in the listing, above 0
}

// DeadLetters is the operator's side of an outbox: the buried events. They
// stay until somebody replays or discards them.
type DeadLetters interface {
	// Buried lists buried events of any owner in the order of their saves, from
	// the one behind after on; 0 is the start. limit is 1 to [MaxSmallPage]. None is an
	// empty answer; another limit is errcodes.InvalidRequest.
	Buried(ctx context.Context, after int64, limit int) ([]BuriedEvent, error)

	// Replay makes buried events claimable again at now: all of the ids given, or
	// all when none is given. It returns how many. Attempt starts at 0 again, so
	// that a replayed event is not buried at once; Claim does not, so that an
	// earlier claim never matches. A replayed event comes in the order of its save
	// again, before later ones of its key that still wait.
	//
	// For each event that it replays it stores the audit row, with the event's ID
	// as Object and the event's Owner, in no particular order. What
	// [AuditRow.Check] finds is its error.
	Replay(ctx context.Context, now time.Time, audit AuditRow, ids ...string) (int, error)

	// Discard removes buried events: all of the ids given, at least one, else it
	// is errcodes.InvalidRequest. It returns how many, and stores audit rows as
	// Replay does.
	Discard(ctx context.Context, audit AuditRow, ids ...string) (int, error)
}
