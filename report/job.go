package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// job is a checked record that changes only by the state table.
type job struct{ rec ports.ReportJob }

// restored returns a stored record as a job, or [errcodes.CorruptRecord] if no report can
// have such a record.
func restored(rec ports.ReportJob) (job, error) {
	if reason := impossible(&rec); reason != "" {
		return job{}, errcodes.Wrap(errcodes.CorruptRecord, "", errors.New("report: "+reason))
	}
	return job{rec}, nil
}

// impossible returns what is impossible about the record, or "".
func impossible(r *ports.ReportJob) string {
	switch {
	case r.Status != ports.ReportRunning && r.Status != ports.ReportCompleted && r.Status != ports.ReportFailed:
		return fmt.Sprintf("unknown status %q", r.Status)
	case r.Kind != ports.ReportTransactions && r.Kind != ports.ReportUnmatched:
		return fmt.Sprintf("unknown kind %q", r.Kind)
	case r.Status.Terminal() == r.EndedAt.IsZero():
		return "EndedAt does not fit status " + string(r.Status)
	case (r.Status == ports.ReportFailed) != (r.Reason != ""):
		return "Reason does not fit status " + string(r.Status)
	case (r.Status == ports.ReportCompleted) != (r.FileSHA256 != ""):
		return "FileSHA256 does not fit status " + string(r.Status)
	case r.Request.To.Before(r.Request.From) || len(r.Request.Columns) == 0:
		return "Request has no days or no columns"
	case r.Rows < 0 || r.FileSize < 0:
		return fmt.Sprintf("Rows %d or FileSize %d is negative", r.Rows, r.FileSize)
	default:
		return ""
	}
}

// move applies a row of the state table at now and returns the change to store. set fills
// in further fields.
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

// latest returns the later time, so that times stay in order when a clock jumps back.
func latest(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// eventData is the JSON of a report in its events.
type eventData struct {
	ID     string             `json:"id"`
	Type   ports.ReportKind   `json:"type"`
	Name   string             `json:"name"`
	Status ports.ReportStatus `json:"status"`
	Rows   int64              `json:"rows,omitempty"`
	Reason string             `json:"reason,omitempty"`
}

// event returns the event for the state that the job has just entered. Its id is unique
// because a job enters each state only once.
func event(rec *ports.ReportJob, kind string) (ports.Event, error) {
	data, err := json.Marshal(eventData{rec.ID, rec.Kind, rec.Request.Name, rec.Status, rec.Rows, rec.Reason})
	if err != nil {
		return ports.Event{}, errcodes.Wrap(errcodes.Internal, "", err)
	}
	return ports.Event{
		ID: rec.ID + "." + string(rec.Status), Kind: kind, Key: rec.ID, Owner: rec.Owner, At: rec.UpdatedAt, Data: data,
	}, nil
}
