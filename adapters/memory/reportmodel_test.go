package memory_test

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// reportModel is the port's rules over a map.
type reportModel struct {
	store ports.ReportStore
	jobs  map[string]ports.ReportJob // by id
}

func ms(t time.Time) time.Time { return t.Truncate(time.Millisecond) }

func drawMoment(t *rapid.T, label string) time.Time {
	return start.Add(time.Duration(rapid.IntRange(-3, 3).Draw(t, label)) * 700 * time.Microsecond)
}

var (
	fewReportIDs    = rapid.SampledFrom([]string{"a", "A", "b", "a\x00"})
	fewReportOwners = rapid.SampledFrom([]string{"acme", "acme", "Acme"})
)

// save tries to change a job, mostly at its version; only its owner can, and only until
// it ends (I22).
func (m *reportModel) save(t *rapid.T) {
	j := ports.ReportJob{
		ID: fewReportIDs.Draw(t, "id"), Owner: fewReportOwners.Draw(t, "owner"), Total: int64(rapid.IntRange(-1, 9).Draw(t, "total")),
		Status:    rapid.SampledFrom([]ports.ReportStatus{ports.ReportRunning, ports.ReportRunning, ports.ReportCompleted, ports.ReportFailed}).Draw(t, "status"),
		CreatedAt: drawMoment(t, "created"), EndedAt: drawMoment(t, "ended"),
	}
	old, known := m.jobs[j.ID]
	j.Version = old.Version
	if rapid.IntRange(0, 5).Draw(t, "stale") == 0 {
		j.Version += int64(rapid.IntRange(-1, 1).Draw(t, "off by"))
	}
	if rapid.Bool().Draw(t, "held") {
		j.Holder, j.LeaseUntil = "p", drawMoment(t, "lease")
	}
	want := errcodes.Code("")
	switch {
	case !known && j.Version != 0:
		want = errcodes.Conflict
	case known && (j.Version != old.Version || j.Owner != old.Owner || old.Status != ports.ReportRunning):
		want = errcodes.Conflict
	}
	agreeOn(t, "Save", m.store.Save(context.Background(), ports.ReportChange{Job: j}), want)
	if want == "" {
		j.Version++
		j.CreatedAt, j.EndedAt, j.LeaseUntil = ms(j.CreatedAt), ms(j.EndedAt), ms(j.LeaseUntil)
		m.jobs[j.ID] = j
	}
}

// ordered returns the jobs that when accepts, sorted by at and id.
func (m *reportModel) ordered(when func(j ports.ReportJob) bool, at func(j ports.ReportJob) time.Time) []ports.ReportJob {
	var found []ports.ReportJob
	for _, j := range m.jobs {
		if when(j) {
			found = append(found, j)
		}
	}
	slices.SortFunc(found, func(a, b ports.ReportJob) int {
		return cmp.Or(at(a).Compare(at(b)), strings.Compare(a.ID, b.ID))
	})
	return found
}

func (m *reportModel) claim(t *rapid.T) {
	now := drawMoment(t, "now")
	lease := rapid.SampledFrom([]time.Duration{time.Nanosecond, time.Millisecond, 1700 * time.Microsecond, time.Hour}).Draw(t, "lease")
	free := m.ordered(func(j ports.ReportJob) bool {
		return j.Status == ports.ReportRunning && (j.LeaseUntil.IsZero() || !now.Before(j.LeaseUntil))
	}, func(j ports.ReportJob) time.Time { return j.CreatedAt })
	got, err := m.store.ClaimReport(context.Background(), "holder", now, lease)
	if len(free) == 0 {
		agreeOn(t, "ClaimReport", err, errcodes.NotFound)
		return
	}
	agreeOn(t, "ClaimReport", err, "")
	want := free[0]
	want.Version, want.Attempts, want.Holder, want.LeaseUntil = want.Version+1, want.Attempts+1, "holder", ms(now.Add(lease))
	if want.StartedAt.IsZero() {
		want.StartedAt = ms(now)
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("ClaimReport: %+v, want %+v", got, want)
	}
	m.jobs[want.ID] = want
}

func (m *reportModel) list(t *rapid.T) {
	before, limit := drawMoment(t, "before"), rapid.IntRange(1, 4).Draw(t, "limit")
	want := m.ordered(func(j ports.ReportJob) bool {
		return j.Status != ports.ReportRunning && !j.EndedAt.After(before)
	}, func(j ports.ReportJob) time.Time { return j.EndedAt })
	got, err := m.store.ExpiredReports(context.Background(), before, limit)
	agreeOn(t, "ExpiredReports", err, "")
	if want = want[:min(limit, len(want))]; len(want) != len(got) || len(want) > 0 && !reflect.DeepEqual(got, want) {
		t.Fatalf("ExpiredReports: %+v, want %+v", got, want)
	}
}

func (m *reportModel) remove(t *rapid.T) {
	owner, id := fewReportOwners.Draw(t, "owner"), fewReportIDs.Draw(t, "id")
	j, known := m.jobs[id]
	want := errcodes.Code("")
	switch {
	case !known || j.Owner != owner:
	case j.Status == ports.ReportRunning:
		want = errcodes.Conflict
	default:
		delete(m.jobs, id)
	}
	agreeOn(t, "RemoveReport", m.store.RemoveReport(context.Background(), owner, id), want)
}

func (m *reportModel) compare(t *rapid.T) {
	owner, id := fewReportOwners.Draw(t, "reader"), fewReportIDs.Draw(t, "what")
	got, err := m.store.Report(context.Background(), owner, id)
	want, known := m.jobs[id]
	if !known || want.Owner != owner {
		agreeOn(t, "Report", err, errcodes.NotFound)
		return
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("Report: %+v %v, want %+v", got, err, want)
	}
}

func TestReportsAgreeWithAMap(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := &reportModel{newStore(t).Reports(), map[string]ports.ReportJob{}}
		rt.Repeat(map[string]func(*rapid.T){
			"save": m.save, "claim": m.claim, "list": m.list, "remove": m.remove, "": m.compare,
		})
	})
}

// A rejected change, also one rejected for the ids of its events or work, is rejected
// before any fault is injected.
func TestARejectedReportDoesNotReachTheCommit(t *testing.T) {
	asked := 0
	store, err := memory.New(&memory.Config{Faults: func(string) error { asked++; return nil }})
	require.NoError(t, err)
	queued := ports.ReportChange{
		Job:    ports.ReportJob{ID: "queued", Owner: "acme", Status: ports.ReportRunning},
		Events: []ports.Event{{ID: "e"}}, Work: []ports.WorkItem{{ID: "w"}},
	}
	require.NoError(t, store.Reports().Save(t.Context(), queued))
	asked = 0
	fresh := ports.ReportJob{ID: "a", Owner: "acme", Status: ports.ReportRunning}
	unknown := fresh
	unknown.Version = 1
	for name, change := range map[string]ports.ReportChange{
		"an id that exists":       {Job: queued.Job},
		"an unknown version":      {Job: unknown},
		"the same event twice":    {Job: fresh, Events: append(queued.Events, queued.Events...)},
		"a work item that exists": {Job: fresh, Work: queued.Work},
	} {
		require.Equal(t, errcodes.Conflict, errcodes.Of(store.Reports().Save(t.Context(), change)), name)
	}
	require.Zero(t, asked)
}

func TestClaimReportRejectsAnEmptyLease(t *testing.T) {
	for _, lease := range []time.Duration{0, -time.Second} {
		_, err := newStore(t).Reports().ClaimReport(t.Context(), "p", start, lease)
		require.Equal(t, errcodes.InvalidRequest, errcodes.Of(err))
	}
}
