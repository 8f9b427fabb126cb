package storetest

import (
	"context"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

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
	k.doneContexts(k.validationCalls(queued(pendingValidation("acme", "fresh")), done))
	k.doneContexts(k.validationCalls(queued(endedAs(pending, ports.StatusVerified)), pending))
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
