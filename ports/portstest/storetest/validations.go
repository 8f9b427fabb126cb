package storetest

import (
	"slices"
	"testing"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// ValidationStore checks a ports.ValidationStore.
func ValidationStore(t *testing.T, h Harness) {
	t.Helper()
	runStore(t, h, validationChecks, func(s Store) string {
		if s.Validations == nil {
			return "the store keeps no validations"
		}
		return ""
	})
}

var validationChecks = slices.Concat(
	validationRecordChecks,
	validationKeyChecks,
	validationVersionChecks,
	validationQueueChecks,
	overdueChecks,
	validationPurgeChecks,
	validationOutcomeChecks,
)

// terminals are the ends of a validation.
var terminals = []ports.ValidationStatus{
	ports.StatusVerified, ports.StatusNameMismatch, ports.StatusNotFound, ports.StatusError,
}

// pendingValidation makes a validation that is being asked about, and has ended
// five minutes later.
func pendingValidation(owner, id string) ports.ValidationRecord {
	return ports.ValidationRecord{
		ID: id, Owner: owner, MerchantID: "merchant-1",
		Market: ports.Market{Country: "NGA", Type: ports.BankAccount}, BankCode: "058",
		Status: ports.StatusPending, Provider: "provider-1", Tables: "2026-03-01",
		CreatedAt: kit.Epoch, Deadline: kit.Epoch.Add(5 * time.Minute), PurgeAt: kit.Epoch.Add(24 * time.Hour),
		Sealed: ports.Sealed{KeyID: "key-1", Data: []byte("sealed of " + id)},
	}
}

// endedAs gives a pending validation its end.
func endedAs(v ports.ValidationRecord, status ports.ValidationStatus) ports.ValidationRecord {
	v.Status, v.Type, v.EndedAt = status, ports.External, v.CreatedAt.Add(1234*time.Millisecond)
	v.Outcome, v.ExpiresAt = ports.OutcomeFound, v.CreatedAt.Add(time.Hour)
	switch status {
	case ports.StatusVerified:
		v.Match = ports.NameMatch{Rule: "same", Score: 100}
	case ports.StatusNameMismatch:
		v.Match = ports.NameMatch{Rule: "token_overlap", Score: 37}
	case ports.StatusNotFound:
		v.Outcome = ports.OutcomeNotFound
	case ports.StatusError, ports.StatusPending:
		v.Outcome, v.ExpiresAt = ports.OutcomeTimeout, time.Time{}
	}
	v.Sealed = ports.Sealed{KeyID: "key-1", Data: []byte("sealed end of " + v.ID)}
	return v
}

// saveValidation stores the record and gives it as it should be now.
func (k *storeKit) saveValidation(v ports.ValidationRecord) ports.ValidationRecord {
	k.Helper()
	k.OK(k.Validations.Save(k.Context(), ports.ValidationChange{Record: v}), "Save")
	v.Version++
	return v
}

// hasValidation reads the record and compares it.
func (k *storeKit) hasValidation(want ports.ValidationRecord, what string) {
	k.Helper()
	got, err := k.Validations.Validation(k.Context(), want.Owner, want.ID)
	k.OK(err, "Validation")
	k.Same(got, want, what)
}

// noValidation checks that the owner has no validation of the id.
func (k *storeKit) noValidation(owner, id, what string) {
	k.Helper()
	_, err := k.Validations.Validation(k.Context(), owner, id)
	k.Code(err, errcodes.NotFound, "Validation of "+what)
}

// refusedValidation checks that the change is a conflict and leaves no trace.
func (k *storeKit) refusedValidation(v ports.ValidationRecord, what string) {
	k.Helper()
	change := ports.ValidationChange{
		Record: v,
		Events: []ports.Event{validationEvent("stray-event", "stray")},
		Work:   []ports.WorkItem{job("stray-work", kit.Epoch)},
	}
	k.Code(k.Validations.Save(k.Context(), change), errcodes.Conflict, what)
	k.nothingQueued("after a conflict")
}

// validationEvent makes an event of a validation.
func validationEvent(id, validation string) ports.Event {
	e := kit.Event(id, validation)
	e.Kind = "validation.completed"
	return e
}

func validationIDs(records []ports.ValidationRecord) []string {
	out := []string{}
	for i := range records {
		out = append(out, records[i].ID)
	}
	return out
}
