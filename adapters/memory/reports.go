package memory

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/corridor-go/corridor/ports"
)

// reportState keeps report jobs by id; each is either in running or in ended.
type reportState struct {
	byID    map[string]*ports.ReportJob // the pointed-to jobs never change
	running *sorted[*ports.ReportJob]
	ended   *sorted[*ports.ReportJob]
}

func newReportState() reportState {
	return reportState{
		byID:    map[string]*ports.ReportJob{},
		running: newSorted(byReportCreation),
		ended:   newSorted(byReportEnd),
	}
}

func byReportCreation(a, b *ports.ReportJob) int {
	return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), strings.Compare(a.ID, b.ID))
}

func byReportEnd(a, b *ports.ReportJob) int {
	return cmp.Or(a.EndedAt.Compare(b.EndedAt), strings.Compare(a.ID, b.ID))
}

// admits reports whether j may be stored: it is new and its id is unused, or its
// version and owner are those of the stored job, which has not ended (I22).
func (s *reportState) admits(j *ports.ReportJob) bool {
	old := s.byID[j.ID]
	if old == nil {
		return j.Version == 0
	}
	return old.Version == j.Version && old.Owner == j.Owner && !old.Status.Terminal()
}

// put stores an admitted job and updates running and ended.
func (s *reportState) put(j *ports.ReportJob) {
	if old := s.byID[j.ID]; old != nil {
		s.running.remove(old)
	}
	s.byID[j.ID] = j
	if j.Status.Terminal() {
		s.ended.insert(j)
	} else {
		s.running.insert(j)
	}
}

// free returns the oldest running job that has no lease at now, or nil. Leased jobs are
// few, so the walk is short.
func (s *reportState) free(now time.Time) *ports.ReportJob {
	for j := range s.running.all() {
		if !j.LeaseUntil.After(now) { // also true for the zero time: no lease
			return j
		}
	}
	return nil
}

// storedReport returns the job as the store keeps it.
func storedReport(j *ports.ReportJob) *ports.ReportJob {
	c := copyReport(j)
	c.Version++
	for _, t := range [...]*time.Time{
		&c.Request.From, &c.Request.To, &c.CreatedAt, &c.UpdatedAt, &c.EndedAt, &c.LeaseUntil, &c.StartedAt, &c.AsOf,
	} {
		*t = ports.Millis(*t)
	}
	return &c
}

// copyReport returns a deep copy of j.
func copyReport(j *ports.ReportJob) ports.ReportJob {
	c := *j
	c.Request.Columns = copyList(c.Request.Columns)
	c.Request.Filters = copyList(c.Request.Filters)
	for i := range c.Request.Filters {
		c.Request.Filters[i].OneOf = copyList(c.Request.Filters[i].OneOf)
	}
	return c
}

// reports implements ports.ReportStore.
type reports struct{ s *Store }

func (r reports) Save(ctx context.Context, change ports.ReportChange) error {
	if err := ports.CheckQueued(change.Events, change.Work, change.Audit); err != nil {
		return err
	}
	kept := storedReport(&change.Job) // copied before the lock
	if err := r.s.writing(ctx); err != nil {
		return err
	}
	defer r.s.mu.Unlock()
	if !r.s.reports.admits(&change.Job) || !r.s.admitsWork(change.Work) {
		return errReportChanged
	}
	if err := r.s.faults(BeforeCommit); err != nil {
		return err
	}
	r.s.reports.put(kept)
	r.s.enqueue(change.Events, change.Work, change.Audit)
	return r.s.faults(AfterCommit)
}

func (r reports) Report(ctx context.Context, owner, id string) (ports.ReportJob, error) {
	if err := r.s.reading(ctx); err != nil {
		return ports.ReportJob{}, err
	}
	kept := r.s.reports.byID[id]
	r.s.mu.RUnlock()
	if kept == nil || kept.Owner != owner {
		return ports.ReportJob{}, errNoReport
	}
	return copyReport(kept), nil
}

func (r reports) ClaimReport(ctx context.Context, holder string, now time.Time, lease time.Duration) (ports.ReportJob, error) {
	if err := ports.CheckClaim(lease, 1); err != nil {
		return ports.ReportJob{}, err
	}
	if err := r.s.writing(ctx); err != nil {
		return ports.ReportJob{}, err
	}
	defer r.s.mu.Unlock()
	free := r.s.reports.free(now)
	if free == nil {
		return ports.ReportJob{}, errNoJob
	}
	taken := *free
	taken.Version++
	taken.Attempts++
	taken.Holder, taken.LeaseUntil = holder, ports.Millis(now.Add(lease))
	if taken.StartedAt.IsZero() {
		taken.StartedAt = ports.Millis(now)
	}
	r.s.reports.put(&taken)
	return copyReport(&taken), nil
}

func (r reports) ExpiredReports(ctx context.Context, before time.Time, limit int) ([]ports.ReportJob, error) {
	if err := ports.CheckLimit(limit, ports.MaxSmallPage); err != nil {
		return nil, err
	}
	if err := r.s.reading(ctx); err != nil {
		return nil, err
	}
	defer r.s.mu.RUnlock()
	var found []ports.ReportJob
	for j := range r.s.reports.ended.all() {
		if j.EndedAt.After(before) || len(found) == limit {
			break
		}
		found = append(found, copyReport(j))
	}
	return found, nil
}

func (r reports) RemoveReport(ctx context.Context, owner, id string) error {
	if err := r.s.writing(ctx); err != nil {
		return err
	}
	defer r.s.mu.Unlock()
	state := &r.s.reports
	kept := state.byID[id]
	switch {
	case kept == nil || kept.Owner != owner:
		return nil
	case !kept.Status.Terminal():
		return errReportRuns
	}
	delete(state.byID, id)
	state.ended.remove(kept)
	return nil
}
