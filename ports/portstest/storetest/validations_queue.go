package storetest

import (
	"fmt"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

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
	for name, err := range calls {
		k.Code(err, errcodes.InvalidRequest, name)
	}
}
