package ports

import (
	"context"
	"time"
)

// BuriedEvent is an event that was set aside undelivered.
type BuriedEvent struct {
	Event
	Reason string // as [Outbox.Bury] was told
	Pos    int64  // its place in the listing, above 0
}

// DeadLetters is the operator's side of an outbox: the buried events. They
// stay until somebody replays or discards them.
type DeadLetters interface {
	// Buried lists buried events of any owner in the order of their saves, from
	// the one behind after on; 0 is the start. limit is 1 to [MaxSmallPage]. None is an
	// empty answer; another limit is errcodes.InvalidRequest.
	Buried(ctx context.Context, after int64, limit int) ([]BuriedEvent, error)

	// Replay makes buried events claimable again at now: all of the ids
	// given, or all when none is given. It tells how many. Attempt starts anew,
	// so that a replayed event is not buried at once; Claim does not, so that a
	// claim of before never matches. A replayed event comes in the order of its
	// save again, before later ones of its key that still wait.
	Replay(ctx context.Context, now time.Time, ids ...string) (int, error)

	// Discard removes buried events for good: all of the ids given, at
	// least one, else it is errcodes.InvalidRequest. It tells how many.
	Discard(ctx context.Context, ids ...string) (int, error)
}
