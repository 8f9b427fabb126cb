package report

import (
	"fmt"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Trigger is what may move a report job.
type Trigger string

// The triggers.
const (
	OnCreate Trigger = "it is asked for"
	OnBeat   Trigger = "a process takes it up, or tells that it goes on"
	OnDone   Trigger = "its file is complete"
	OnFail   Trigger = "it fails for a reason that no other attempt mends, takes too long, or fails too often"
	OnCancel Trigger = "it is cancelled"
)

// Kinds of the events that transitions raise.
const (
	EventCreated   = "report.created"
	EventCompleted = "report.completed"
	EventFailed    = "report.failed"
)

// Transition is one row of the state table.
type Transition struct {
	From  ports.ReportStatus // "" before the job exists
	On    Trigger
	To    ports.ReportStatus
	Event string // raised with it; "" for none
}

// transitions is SPEC 2.6. What is not in it does not happen: an end is for good
// (I22).
var transitions = []Transition{
	{"", OnCreate, ports.ReportRunning, EventCreated},
	{ports.ReportRunning, OnBeat, ports.ReportRunning, ""},
	{ports.ReportRunning, OnDone, ports.ReportCompleted, EventCompleted},
	{ports.ReportRunning, OnFail, ports.ReportFailed, EventFailed},
	{ports.ReportRunning, OnCancel, ports.ReportFailed, EventFailed},
}

// Transitions lists the state table of a report, for documentation and tests.
func Transitions() []Transition { return append([]Transition(nil), transitions...) }

// next finds the row for a job in state from; none is errcodes.Conflict.
func next(from ports.ReportStatus, on Trigger) (Transition, error) {
	for _, t := range transitions {
		if t.From == from && t.On == on {
			return t, nil
		}
	}
	return Transition{}, errcodes.New(errcodes.Conflict, fmt.Sprintf("A report that is %s stays so", from))
}
