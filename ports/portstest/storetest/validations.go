package storetest

import (
	"context"
	"fmt"
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

// validationQueueChecks: what a change asks for comes with it.
var validationQueueChecks = []storeCheck{
	{"events become claimable with their change, in its order", validationEvents},
	{"work becomes claimable with its change", validationWork},
	{"of many racers only the winner's events and work are stored", validationRacersQueue},
	{queuedTwice, validationQueuedTwice},
}

func validationEvents(k *storeKit) {
	k.Need(k.Outbox != nil, "Outbox")
	v := pendingValidation("acme", "validation-1")
	created, asked := validationEvent("created", v.ID), validationEvent("asked", "another key")
	created.Attempt, created.Claim = 7, 7 // set by Claim: what was saved does not count
	k.nothingQueued("before the save")
	k.OK(k.Validations.Save(k.Context(), ports.ValidationChange{Record: v, Events: []ports.Event{created, asked}}), "Save")
	created.Attempt, asked.Attempt = 1, 1
	got := k.claimEvents(kit.Epoch, 10)
	k.Same(eventIDs(got), []string{"created", "asked"}, "the events of a new validation")
	k.Same(got[0], created, "the first event")
	k.Same(got[1], asked, "the second event")

	v.Version++
	end := ports.ValidationChange{Record: endedAs(v, ports.StatusVerified), Events: []ports.Event{validationEvent("ended", v.ID)}}
	k.OK(k.Validations.Save(k.Context(), end), "Save")
	k.Same(len(k.claimEvents(kit.Epoch, 10)), 0, "the number of events while an earlier one of the key is out")
	k.OK(k.Outbox.Ack(k.Context(), got[0]), "Ack")
	k.Same(eventIDs(k.claimEvents(kit.Epoch, 10)), []string{"ended"}, "the event of the end")
}

func validationWork(k *storeKit) {
	k.Need(k.Work != nil, "Work")
	v := pendingValidation("acme", "validation-1")
	want := job("recheck", v.Deadline)
	k.nothingQueued("before the save")
	k.OK(k.Validations.Save(k.Context(), ports.ValidationChange{Record: v, Work: []ports.WorkItem{want, job("first", kit.Epoch)}}), "Save")
	k.Same(workIDs(k.claimWork(kit.Epoch, 10)), []string{"first"}, "the work that is due at once")
	want.Attempt = 1
	got := k.claimWork(v.Deadline.Add(-time.Millisecond), 10)
	k.Same(workIDs(got), []string{"first"}, "the work before the other is due") // its lease has ended
	got = k.claimWork(v.Deadline, 10)
	k.Same(workIDs(got), []string{"recheck"}, "the work that was due later")
	k.Same(got[0], want, "the work item")
}

func validationQueuedTwice(k *storeKit) {
	k.Need(k.Outbox != nil && k.Work != nil, "Outbox and Work")
	k.queuedTwice(func(events []ports.Event, work []ports.WorkItem) error {
		return k.Validations.Save(k.Context(), ports.ValidationChange{Record: pendingValidation("acme", "validation-1"), Events: events, Work: work})
	})
	_, err := k.Validations.Validation(k.Context(), "acme", "validation-1")
	k.Code(err, errcodes.NotFound, "reading a record whose change was refused")
}

func validationRacersQueue(k *storeKit) {
	k.Need(k.Outbox != nil && k.Work != nil, "Outbox and Work")
	id := func(i int) string { return fmt.Sprint("of racer ", i) }
	won := k.winner(kit.Race(kit.Racers, func(i int) error {
		return k.Validations.Save(k.Context(), ports.ValidationChange{
			Record: pendingValidation("acme", "validation-1"),
			Events: []ports.Event{validationEvent(id(i), id(i))},
			Work:   []ports.WorkItem{job(id(i), kit.Epoch)},
		})
	}))
	k.Same(eventIDs(k.claimEvents(kit.Epoch, 100)), []string{id(won)}, "the events after a race")
	k.Same(workIDs(k.claimWork(kit.Epoch, 100)), []string{id(won)}, "the work after a race")
}

// overdue lists the ids of what is overdue, in one page.
func (k *storeKit) overdue(by time.Time) []string {
	k.Helper()
	page, err := k.Validations.Overdue(k.Context(), by, ports.ValidationPos{}, 10_000)
	k.OK(err, "Overdue")
	return validationIDs(page)
}

// invalid checks that every call is refused as errcodes.InvalidRequest.
func (k *storeKit) invalid(calls map[string]error) {
	k.Helper()
	for name, err := range kit.ByName(calls) {
		k.Case(name, func() {
			k.Code(err, errcodes.InvalidRequest, name)
		})
	}
}

// validationOutcomeChecks: how it ends when it does not go well.
var validationOutcomeChecks = []storeCheck{
	{"a context that is done gives its own code and changes nothing", validationsCancelled},
	{"a closed store says so", validationsClosed},
	{"a lost acknowledgement is an unknown outcome, and the change whole or absent", validationLost},
	{"a full store says so, stores nothing, and goes on when there is room", validationFull},
	{"a store that is opened again has everything", validationsReopened},
}

// validationCalls makes every call of the port.
func (k *storeKit) validationCalls(change ports.ValidationChange, have ports.ValidationRecord) map[string]func(ctx context.Context) error {
	return map[string]func(ctx context.Context) error{
		"Save": func(ctx context.Context) error { return k.Validations.Save(ctx, change) },
		"Validation": func(ctx context.Context) error {
			_, err := k.Validations.Validation(ctx, have.Owner, have.ID)
			return err
		},
		"Overdue": func(ctx context.Context) error {
			_, err := k.Validations.Overdue(ctx, have.Deadline, ports.ValidationPos{}, 10)
			return err
		},
		"PurgeValidations": func(ctx context.Context) error {
			_, err := k.Validations.PurgeValidations(ctx, have.PurgeAt, 10)
			return err
		},
	}
}

// queued makes a change of the record with an event and a work item.
func queued(v ports.ValidationRecord) ports.ValidationChange {
	return ports.ValidationChange{
		Record: v,
		Events: []ports.Event{validationEvent("event", v.ID)},
		Work:   []ports.WorkItem{job("work", kit.Epoch)},
	}
}

func validationsCancelled(k *storeKit) {
	pending := k.saveValidation(pendingValidation("acme", "pending"))
	done := k.saveValidation(endedAs(pendingValidation("acme", "done"), ports.StatusVerified))
	k.Case("a new validation", func() { k.doneContexts(k.validationCalls(queued(pendingValidation("acme", "fresh")), done)) })
	k.Case("an end", func() { k.doneContexts(k.validationCalls(queued(endedAs(pending, ports.StatusVerified)), pending)) })
	k.noValidation("acme", "fresh", "a save with a context that was done")
	k.hasValidation(pending, "the validation after a change with a context that was done")
	k.hasValidation(done, "the validation after a purge with a context that was done")
	k.nothingQueued("after a save with a context that was done")
}

func validationsClosed(k *storeKit) {
	v := k.saveValidation(pendingValidation("acme", "validation-1"))
	k.closed(k.validationCalls(queued(endedAs(v, ports.StatusVerified)), v))
}

// validationLost loses the acknowledgement of a new validation and of an end.
func validationLost(k *storeKit) {
	k.Need(k.LoseNextCommit != nil, "LoseNextCommit")
	fresh := pendingValidation("acme", "fresh")
	k.loses(queued(fresh), func() { k.noValidation("acme", "fresh", "a validation without the change") })
	before := k.saveValidation(pendingValidation("acme", "changed"))
	change := queued(endedAs(before, ports.StatusVerified))
	change.Events[0].ID, change.Work[0].ID = "event of the end", "work of the end"
	k.loses(change, func() { k.hasValidation(before, "the validation without the change") })
	k.saveValidation(pendingValidation("acme", "next"))
}

// loses saves the change, whose acknowledgement is lost, and finds it whole or
// absent; then it can still be made.
func (k *storeKit) loses(change ports.ValidationChange, absent func()) {
	k.Helper()
	k.LoseNextCommit()
	k.Code(k.Validations.Save(k.Context(), change), errcodes.OutcomeUnknown, "Save that loses its acknowledgement")
	want := change.Record
	want.Version++
	now, err := k.Validations.Validation(k.Context(), want.Owner, want.ID)
	if errcodes.Of(err) == errcodes.NotFound || err == nil && now.Version == change.Record.Version {
		absent()
		k.nothingQueued("without the change")
		k.OK(k.Validations.Save(k.Context(), change), "Save of a change that was not made")
	}
	k.hasValidation(want, "the validation with the change")
	k.queuedOnce()
}

// queuedOnce checks that one event and one work item wait, and takes them.
func (k *storeKit) queuedOnce() {
	k.Helper()
	if k.Outbox != nil {
		got := k.claimEvents(kit.Epoch, 10)
		k.Same(len(got), 1, "the number of events")
		k.OK(k.Outbox.Ack(k.Context(), got[0]), "Ack")
	}
	if k.Work != nil {
		got := k.claimWork(kit.Epoch, 10)
		k.Same(len(got), 1, "the number of work items")
		k.OK(k.Work.Done(k.Context(), got[0]), "Done")
	}
}

func validationFull(k *storeKit) {
	k.Need(k.Fill != nil, "Fill")
	before := k.saveValidation(pendingValidation("acme", "changed"))
	change, fresh := queued(endedAs(before, ports.StatusVerified)), queued(pendingValidation("acme", "fresh"))
	empty := k.Fill()
	k.Code(k.Validations.Save(k.Context(), change), errcodes.StorageUnavailable, "Save of an end in a full store")
	k.Code(k.Validations.Save(k.Context(), fresh), errcodes.StorageUnavailable, "Save of a new validation in a full store")
	k.hasValidation(before, "the validation in a full store")
	k.noValidation("acme", "fresh", "a full store")
	empty()
	k.nothingQueued("after saves that found no room")
	k.OK(k.Validations.Save(k.Context(), change), "Save when there was room again")
	change.Record.Version++
	k.hasValidation(change.Record, "a validation saved when there was room again")
	k.queuedOnce()
}

func validationsReopened(k *storeKit) {
	k.Need(k.Reopen != nil, "Reopen: it is not durable")
	pending := k.saveValidation(pendingValidation("acme", "pending"))
	done := k.saveValidation(endedAs(k.saveValidation(pendingValidation("acme", "done")), ports.StatusNameMismatch))
	purged := k.purgeable("purged", ports.StatusVerified, kit.Epoch)
	k.purgeValidations(kit.Epoch, 10, 1)
	k.Store = k.Reopen()
	k.hasValidation(pending, "the pending validation after opening again")
	k.hasValidation(done, "the ended validation after opening again")
	k.noValidation(purged.Owner, purged.ID, "what was purged before")
	k.Same(k.overdue(pending.Deadline), []string{"pending"}, "Overdue after opening again")
	k.refusedValidation(done, "a change of what ended before")
	k.saveValidation(endedAs(pending, ports.StatusVerified))
	k.purgeValidations(done.PurgeAt, 10, 2)
}
