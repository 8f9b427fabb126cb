package ports

import (
	"context"
	"time"
)

// WorkItem is a piece of background work, stored in the same Save as the change that
// requires it. It runs at least once, so that handlers must be idempotent.
//
// If two items of a change have the same ID, or one has the ID of a stored item, Save
// returns [errcodes.Conflict] and stores nothing. The ID of a finished item may be used
// again, that of a buried item may not.
type WorkItem struct {
	ID      string    // unique
	Kind    string    // selects the handler
	DueAt   time.Time // the item can be claimed from this instant on
	Payload []byte    // an empty Payload is read back as nil
	Attempt int       // number of claims, this one included; set by Claim, ignored by Save
	Claim   int64     // identifies this claim among all claims of the item; set by Claim, ignored by Save
}

// Work hands out stored work items.
type Work interface {
	// Claim leases up to n items (1 to [MaxClaim]) of the kind that are due at now,
	// earliest first. Nobody else can claim them before now + lease, even if now
	// jumps back. Claim returns an empty slice if no item is due.
	Claim(ctx context.Context, kind string, now time.Time, lease time.Duration, n int) ([]WorkItem, error)

	// Done removes a finished item. A claim is settled once, by Done, Retry or Bury,
	// with the item as Claim returned it. All three return [errcodes.Conflict] if the
	// claim was settled or is not the latest, judged by ID and Claim.
	Done(ctx context.Context, w WorkItem) error

	// Retry ends the claim; the item can be claimed again from at on.
	Retry(ctx context.Context, w WorkItem, at time.Time) error

	// Bury sets the item aside with a reason of at most [MaxReason] bytes. It is never
	// claimed again.
	Bury(ctx context.Context, w WorkItem, reason string) error
}
