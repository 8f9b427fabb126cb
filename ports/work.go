package ports

import (
	"context"
	"time"
)

// WorkItem is a piece of background work, stored in the same Save as the change
// that asks for it. It runs at least once: handlers are idempotent.
//
// A change that has the same ID twice, or one that is stored, is errcodes.Conflict
// and nothing of it is stored. A finished item's ID is free again, a buried one's
// is not.
type WorkItem struct {
	ID      string    // unique
	Kind    string    // which handler
	DueAt   time.Time // not before this
	Payload []byte    // of no bytes it comes back nil
	Attempt int       // how often it was claimed, this claim included; set by Claim, ignored by Save
	Claim   int64     // names this claim among all of the item; set by Claim, ignored by Save
}

// Work hands out stored work items.
type Work interface {
	// Claim leases up to n items (1 to [MaxClaim]) of the kind that are due at now,
	// earliest first. Until now + lease nobody else gets them; after that they
	// are claimable again. If nothing is due, the answer is empty.
	Claim(ctx context.Context, kind string, now time.Time, lease time.Duration, n int) ([]WorkItem, error)

	// Done removes a finished item. Like Retry and Bury it takes the item as
	// claimed, serves once, and is errcodes.Conflict when the claim was settled
	// or is no longer the latest, judged by ID and Claim. A lease also holds when now
	// jumps back.
	Done(ctx context.Context, w WorkItem) error

	// Retry ends the claim, so that the item can be claimed from at on.
	Retry(ctx context.Context, w WorkItem, at time.Time) error

	// Bury sets the item aside, never to be claimed again, with a reason of at most [MaxReason] bytes.
	Bury(ctx context.Context, w WorkItem, reason string) error
}
