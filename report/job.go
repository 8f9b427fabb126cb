package report

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// job is a record that has been checked, and moves by the state table alone.
type job struct{ rec ports.ReportJob }

// restored returns a stored record as a job, or [errcodes.CorruptRecord] if no
// report can be so.
func restored(rec ports.ReportJob) (job, error) {
	if reason := impossible(&rec); reason != "" {
		return job{}, errcodes.Wrap(errcodes.CorruptRecord, "", errors.New("a stored report: "+reason))
	}
	return job{rec}, nil
}

// impossible returns what no report can have, or "".
func impossible(r *ports.ReportJob) string {
	switch {
	case r.Status != ports.ReportRunning && r.Status != ports.ReportCompleted && r.Status != ports.ReportFailed:
		return "unknown status"
	case r.Kind != ports.ReportTransactions && r.Kind != ports.ReportUnmatched:
		return "unknown kind"
	case r.Status.Terminal() == r.EndedAt.IsZero():
		return "its end does not agree with its status"
	case (r.Status == ports.ReportFailed) != (r.Reason != ""):
		return "its reason does not agree with its status"
	case (r.Status == ports.ReportCompleted) != (r.FileSHA256 != ""):
		return "its file does not agree with its status"
	case r.Request.To.Before(r.Request.From) || len(r.Request.Columns) == 0:
		return "its request has no days or no columns"
	case r.Rows < 0 || r.FileSize < 0:
		return "a negative number of rows or bytes"
	default:
		return ""
	}
}

// move takes the job along a row of the state table at now, and returns the change
// to store. set fills in what the new state needs.
func (j job) move(on Trigger, now time.Time, set func(*ports.ReportJob)) (ports.ReportChange, error) {
	row, err := table.Next(j.rec.Status, on)
	if err != nil {
		return ports.ReportChange{}, err
	}
	rec := j.rec
	now = latest(ports.Millis(now), rec.UpdatedAt)
	rec.Status, rec.UpdatedAt = row.To, now
	if row.From == "" {
		rec.CreatedAt = now
	}
	if row.To.Terminal() {
		rec.EndedAt, rec.Holder, rec.LeaseUntil = now, "", time.Time{}
	}
	if set != nil {
		set(&rec)
	}
	change := ports.ReportChange{Job: rec}
	if row.Event != "" {
		event, err := event(&rec, row.Event)
		if err != nil {
			return ports.ReportChange{}, err
		}
		change.Events = []ports.Event{event}
	}
	return change, nil
}

// latest returns the later of a and b: it keeps times in order when a clock jumps back.
func latest(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// eventData is a report in its events.
type eventData struct {
	ID     string             `json:"id"`
	Type   ports.ReportKind   `json:"type"`
	Name   string             `json:"name"`
	Status ports.ReportStatus `json:"status"`
	Rows   int64              `json:"rows,omitempty"`
	Reason string             `json:"reason,omitempty"`
}

// event makes the event of a job that has just entered its state. Its id is
// unique: a job enters each state once.
func event(rec *ports.ReportJob, kind string) (ports.Event, error) {
	data, err := json.Marshal(eventData{rec.ID, rec.Kind, rec.Request.Name, rec.Status, rec.Rows, rec.Reason})
	if err != nil {
		return ports.Event{}, errcodes.Wrap(errcodes.Internal, "", err)
	}
	return ports.Event{
		ID: rec.ID + "." + string(rec.Status), Kind: kind, Key: rec.ID, Owner: rec.Owner, At: rec.UpdatedAt, Data: data,
	}, nil
}
