package report

import (
	"github.com/corridor-go/corridor/internal/states"
	"github.com/corridor-go/corridor/ports"
)

// Trigger is what may move a report job.
type Trigger string

// The triggers.
const (
	OnCreate Trigger = "it is asked for"
	OnBeat   Trigger = "a process claims it, extends its lease or gives it up"
	OnDone   Trigger = "its file is complete"
	OnFail   Trigger = "it fails for a reason that no other attempt can mend, takes too long, or fails too often"
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

// table is SPEC 2.6. Terminal states are final (I22).
var table = states.New("a report", func(t Transition) (ports.ReportStatus, Trigger) { return t.From, t.On },
	Transition{"", OnCreate, ports.ReportRunning, EventCreated},
	Transition{ports.ReportRunning, OnBeat, ports.ReportRunning, ""},
	Transition{ports.ReportRunning, OnDone, ports.ReportCompleted, EventCompleted},
	Transition{ports.ReportRunning, OnFail, ports.ReportFailed, EventFailed},
	Transition{ports.ReportRunning, OnCancel, ports.ReportFailed, EventFailed},
)

// Transitions returns the state table of a report, for documentation and tests.
func Transitions() []Transition { return table.All() }
