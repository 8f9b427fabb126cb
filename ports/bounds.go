package ports

import (
	"slices"
	"time"

	"github.com/corridor-go/corridor/errcodes"
)

// Bounds of the arguments of stores. Outside of them a store returns
// [errcodes.InvalidRequest]; every store calls the Check functions below.
const (
	MaxPage       = 10_000 // records in a page of a listing, or in one purge
	MaxSmallPage  = 1_000  // records in a page of DeadLetters.Buried and of ReportStore.ExpiredReports
	MaxClaim      = 1_000  // events or work items in one claim
	MaxReason     = 1_024  // bytes of a reason in Bury
	MaxHolder     = 64     // bytes of the holder of an AnswerCache's claim, at least 1
	MaxSecretName = 64     // bytes of a secret's name, at least 1
	MinSecret     = 16     // bytes of a secret
	MaxSecret     = 1_024  // bytes of a secret
	MaxAuditText  = 256    // bytes of an AuditRow's Act, and of each text of its Actor
)

// CheckLimit checks that the limit of a page or purge is 1 to most.
func CheckLimit(limit, most int) error { return checkRange("the limit", limit, 1, most) }

// CheckClaim checks that a claim's lease is above 0 and its n 1 to [MaxClaim].
func CheckClaim(lease time.Duration, n int) error {
	if lease <= 0 {
		return bad("the lease is %s, want above 0", lease)
	}
	return CheckLimit(n, MaxClaim)
}

// CheckReason checks the length of a reason in Bury.
func CheckReason(reason string) error {
	return checkRange("the length of the reason", len(reason), 0, MaxReason)
}

// CheckHolder checks the length of the holder of an AnswerCache's claim.
func CheckHolder(holder string) error {
	return checkRange("the length of the holder", len(holder), 1, MaxHolder)
}

// CheckSecret checks the lengths of a secret and of its name.
func CheckSecret(name string, secret []byte) error {
	if err := checkRange("the length of the secret's name", len(name), 1, MaxSecretName); err != nil {
		return err
	}
	return checkRange("the length of the secret", len(secret), MinSecret, MaxSecret)
}

// CheckRaw returns [errcodes.PayloadTooLarge] if a code or message has more than
// [MaxRaw] bytes.
func CheckRaw(said ...RawFailure) error {
	for _, r := range said {
		if max(len(r.Code), len(r.Message)) > MaxRaw {
			return errcodes.New(errcodes.PayloadTooLarge, "A provider's raw code or message has more than 64 KiB")
		}
	}
	return nil
}

func checkRange(what string, n, low, high int) error {
	if n < low || n > high {
		return bad("%s is %d, want %d to %d", what, n, low, high)
	}
	return nil
}

// CheckQueued checks what a change of any record carries; stores call it before they
// store anything. It returns [errcodes.Conflict] if two events or two work items have
// the same ID, and the errors of [AuditRow.Check].
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
		return errcodes.New(errcodes.Conflict, "two events of a change have the same ID")
	}
	ids = ids[:0]
	for i := range work {
		ids = append(ids, work[i].ID)
	}
	if twice(ids) {
		return errcodes.New(errcodes.Conflict, "two work items of a change have the same ID")
	}
	return nil
}

// twice reports whether an id occurs twice. Lists are short.
func twice(ids []string) bool {
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			return true
		}
	}
	return false
}
