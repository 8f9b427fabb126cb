package storetest

import (
	"time"

	"github.com/corridor-go/corridor/ports"
)

// lease is how long the checks claim for.
const lease = time.Minute

// kind is the kind of the checks' work.
const kind = "notify"

// claimEvents claims up to n events at now.
func (k *storeKit) claimEvents(now time.Time, n int) []ports.Event {
	k.Helper()
	got, err := k.Outbox.Claim(k.Context(), now, lease, n)
	k.OK(err, "Claim")
	return got
}

// claimWork claims up to n work items at now.
func (k *storeKit) claimWork(now time.Time, n int) []ports.WorkItem {
	k.Helper()
	got, err := k.Work.Claim(k.Context(), kind, now, lease, n)
	k.OK(err, "Claim")
	return got
}
