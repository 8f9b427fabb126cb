package ports

import (
	"fmt"
	"slices"
	"time"

	"github.com/corridor-go/corridor/errcodes"
)

// Bounds of what a store is asked for. What lies outside is
// [errcodes.InvalidRequest]; the Check functions below are what every store calls.
const (
	MaxPage       = 10_000 // records of a page of a listing, or of one purge
	MaxSmallPage  = 1_000  // records of a page of DeadLetters.Buried and of ReportStore.ExpiredReports
	MaxClaim      = 1_000  // events or work items of one claim
	MaxReason     = 1_024  // bytes of a reason to bury
	MaxHolder     = 64     // bytes of the holder of an AnswerCache's claim, at least 1
	MaxSecretName = 64     // bytes of a secret's name, at least 1
	MinSecret     = 16     // bytes of a secret
	MaxSecret     = 1_024  // bytes of a secret
	MaxAuditText  = 256    // bytes of an AuditRow's Act, and of each text of its Actor
)

// CheckLimit checks the limit of a page or purge, which is 1 to most.
func CheckLimit(limit, most int) error { return checkRange("the number asked for", limit, 1, most) }

// CheckClaim checks a claim's lease, which is above 0, and its n.
func CheckClaim(lease time.Duration, n int) error {
	if lease <= 0 {
		return bad("a lease is above 0")
	}
	return CheckLimit(n, MaxClaim)
}

// CheckReason checks the length of a reason to bury.
func CheckReason(reason string) error {
	return checkRange("the length of a reason", len(reason), 0, MaxReason)
}

// CheckHolder checks the length of the holder of an AnswerCache's claim.
func CheckHolder(holder string) error {
	return checkRange("the length of a holder", len(holder), 1, MaxHolder)
}

// CheckSecret checks the lengths of a secret and its name.
func CheckSecret(name string, secret []byte) error {
	if err := checkRange("the length of a secret's name", len(name), 1, MaxSecretName); err != nil {
		return err
	}
	return checkRange("the length of a secret", len(secret), MinSecret, MaxSecret)
}

// CheckRaw returns [errcodes.PayloadTooLarge] if a code or message has more than
// [MaxRaw] bytes.
func CheckRaw(said ...RawFailure) error {
	for _, r := range said {
		if max(len(r.Code), len(r.Message)) > MaxRaw {
			return errcodes.New(errcodes.PayloadTooLarge, "A provider's raw code or message is too long")
		}
	}
	return nil
}

func checkRange(what string, n, low, high int) error {
	if n < low || n > high {
		return bad(fmt.Sprintf("%s is %d to %d, not %d", what, low, high, n))
	}
	return nil
}

// CheckQueued returns [errcodes.Conflict] if the same ID comes twice in events, or
// twice in work, and what [AuditRow.Check] finds. Stores call it for what a change
// of any record carries, before they store anything.
func CheckQueued(events []Event, work []WorkItem, audit []AuditRow) error {
	for i := range audit {
		if err := audit[i].Check(); err != nil {
			return err
		}
	}
	ids := make([]string, 0, 16)
	for i := range events {
		ids = append(ids, events[i].ID)
	}
	if twice(ids) {
		return errcodes.New(errcodes.Conflict, "A change names the same event twice")
	}
	ids = ids[:0]
	for i := range work {
		ids = append(ids, work[i].ID)
	}
	if twice(ids) {
		return errcodes.New(errcodes.Conflict, "A change names the same work item twice")
	}
	return nil
}

// twice reports whether an id comes twice. There are few.
func twice(ids []string) bool {
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			return true
		}
	}
	return false
}
