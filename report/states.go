package report

import (
	"github.com/corridor-go/corridor/internal/states"
	"github.com/corridor-go/corridor/ports"
)

// Trigger is the cause of a transition.
type Trigger string

// The triggers.
const (
	OnCreate Trigger = "a client creates it"
	OnBeat   Trigger = "a process claims it, extends its lease or releases it"
	OnDone   Trigger = "its file is complete"
	OnFail   Trigger = "it fails permanently, takes too long, or fails too often"
	OnCancel Trigger = "it is cancelled"
)

// Kinds of events.
const (
	EventCreated   = "report.created"
	EventCompleted = "report.completed"
	EventFailed    = "report.failed"
)

// Transition is one row of the state table.
type Transition struct {
	From  ports.ReportStatus // "" means that the job does not exist yet
	On    Trigger
	To    ports.ReportStatus
	Event string // kind of the event that the transition raises, or ""
}

// table contains the transitions of SPEC 2.6. Terminal states are final (I22).
var table = states.New("a report", func(t Transition) (ports.ReportStatus, Trigger) { return t.From, t.On },
	Transition{"", OnCreate, ports.ReportRunning, EventCreated},
	Transition{ports.ReportRunning, OnBeat, ports.ReportRunning, ""},
	Transition{ports.ReportRunning, OnDone, ports.ReportCompleted, EventCompleted},
	Transition{ports.ReportRunning, OnFail, ports.ReportFailed, EventFailed},
	Transition{ports.ReportRunning, OnCancel, ports.ReportFailed, EventFailed},
)

// Transitions returns the state table, for documentation and tests.
func Transitions() []Transition { return table.All() }
