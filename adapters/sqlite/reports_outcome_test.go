package sqlite_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// timedReport returns a change with work.
func timedReport(j ports.ReportJob) ports.ReportChange {
	return ports.ReportChange{
		Job: j, Work: []ports.WorkItem{{ID: "w_" + reportOf(j).Events[0].ID, Kind: "notify", DueAt: epoch.Add(time.Hour)}},
	}
}

// TestFailedCommitOfAReport saves a new job, a heartbeat and ends. The result must be
// true wherever the outcome can be read.
func TestFailedCommitOfAReport(t *testing.T) {
	disk := &broken{}
	store := open(t, migrated(t), &sqlite.Config{Faults: disk.fault})
	for name, c := range failedCommits {
		for carried, change := range map[string]func(j ports.ReportJob) ports.ReportChange{
			"alone":         func(j ports.ReportJob) ports.ReportChange { return ports.ReportChange{Job: j} },
			"with an event": reportOf,
			"with work":     timedReport,
		} {
			t.Run(name+", "+carried, func(t *testing.T) {
				wipe(t, store)
				disk.points = c.points
				begun, other := mustReport(t, store, runs("acme", "begun")), mustReport(t, store, runs("acme", "other"))
				third := mustReport(t, store, runs("acme", "third"))
				wide := runs("acme", "wide")
				wide.Request.Columns = []string{"a\xff", "", "b"}
				for _, j := range []ports.ReportJob{wide, completed(runs("acme", "new and ended")), beaten(begun), completed(other), broke(third)} {
					asked := j
					asked.CreatedAt = asked.CreatedAt.Add(1234) // below the millisecond
					disk.armed = true
					err := store.Reports().Save(t.Context(), change(asked))
					disk.armed = false
					requireCode(t, c.code, err)
					got, _ := store.Reports().Report(t.Context(), "acme", j.ID)
					j.Version++
					require.Equal(t, c.stored, reflect.DeepEqual(got, j), "%s", j.ID)
				}
			})
		}
	}
}

// Another process writes before the outcome is read.
func TestFailedCommitOfAReportWhileAnotherProcessWrites(t *testing.T) {
	at := func(j ports.ReportJob, version int64) ports.ReportJob { j.Version = version; return j }
	begun := runs("acme", "r")
	beat, end := beaten(begun), completed(begun)
	theirs := beat
	theirs.Holder = "theirs"
	foreign := runs("zenith", "r")
	type list = []ports.ReportJob
	lost, acked := sqlite.BeforeCommit, sqlite.AfterCommit
	disk := &broken{}
	store, other := overtaken(t, disk)
	for name, c := range map[string]struct {
		point  string
		before list // saved in turn
		mine   ports.ReportJob
		event  bool
		theirs list // saved in turn, between the commit and the read-back
		gone   bool // whether it is then removed
		code   errcodes.Code
	}{
		"no other write":                          {lost, list{begun}, at(end, 1), true, nil, false, errcodes.StorageUnavailable},
		"nothing is stored":                       {lost, nil, begun, true, nil, false, errcodes.StorageUnavailable},
		"they took the id":                        {lost, nil, begun, true, list{beat}, false, errcodes.StorageUnavailable},
		"another owner took the id":               {lost, nil, begun, true, list{foreign}, false, errcodes.StorageUnavailable},
		"they took the version":                   {lost, list{begun}, at(end, 1), true, list{at(theirs, 1)}, false, errcodes.StorageUnavailable},
		"they ended it differently":               {lost, list{begun}, at(end, 1), true, list{at(broke(begun), 1)}, false, errcodes.StorageUnavailable},
		"they saved twice without an end":         {lost, list{begun}, at(end, 1), true, list{at(theirs, 1), at(theirs, 2)}, false, errcodes.StorageUnavailable},
		"they ended it in the same way":           {lost, list{begun}, at(end, 1), true, list{at(end, 1)}, false, errcodes.OutcomeUnknown},
		"they ended it in the same way, no event": {lost, list{begun}, at(end, 1), false, list{at(end, 1)}, false, ""},
		"they saved after my beat":                {acked, list{begun}, at(beat, 1), true, list{at(end, 2)}, false, ""},
		"they saved after my beat, no event":      {acked, list{begun}, at(beat, 1), false, list{at(end, 2)}, false, errcodes.OutcomeUnknown},
		"they saved twice, mine is lost":          {lost, list{begun}, at(beat, 1), true, list{at(theirs, 1), at(theirs, 2)}, false, errcodes.OutcomeUnknown},
		"my end was removed":                      {acked, list{begun}, at(end, 1), true, nil, true, ""},
		"my end was removed, no event":            {acked, list{begun}, at(end, 1), false, nil, true, errcodes.OutcomeUnknown},
		"their end was removed":                   {lost, list{begun}, at(beat, 1), true, list{at(end, 1)}, true, errcodes.OutcomeUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			disk.armed = false
			wipe(t, store)
			disk.points, disk.readBack = []string{c.point}, func() {
				for _, j := range c.theirs {
					mustReport(t, other, j)
				}
				if c.gone {
					require.NoError(t, other.Reports().RemoveReport(t.Context(), "acme", "r"))
				}
			}
			for _, j := range c.before {
				mustReport(t, store, j)
			}
			change := ports.ReportChange{Job: c.mine}
			if c.event {
				change = reportOf(c.mine)
			}
			disk.armed = true
			requireCode(t, c.code, store.Reports().Save(t.Context(), change))
		})
	}
}

// Only the row is left, which may be another process's, so the outcome is unknown.
// Waiting work would show it.
func TestFailedCommitOfAReportWhoseEventIsDelivered(t *testing.T) {
	for name, c := range map[string]struct {
		work []ports.WorkItem
		code errcodes.Code
	}{
		"no other evidence": {nil, errcodes.OutcomeUnknown},
		"work still waits":  {timedReport(runs("acme", "r")).Work, ""},
	} {
		t.Run(name, func(t *testing.T) {
			disk := &broken{points: []string{sqlite.AfterCommit}}
			store, other := overtaken(t, disk)
			disk.readBack = func() {
				for _, e := range claimAll(t, other) {
					require.NoError(t, other.Outbox().Ack(t.Context(), e))
				}
			}
			change := reportOf(runs("acme", "r"))
			change.Work = c.work
			disk.armed = true
			requireCode(t, c.code, store.Reports().Save(t.Context(), change))
			disk.armed = false
			require.Empty(t, claimAll(t, other))
		})
	}
}

// These are not read back: a claim whose acknowledgement is lost expires, and a removal
// can be repeated.
func TestFailedCommitOfAReportsClaimOrRemoval(t *testing.T) {
	for point, taken := range map[string]bool{sqlite.BeforeCommit: false, sqlite.AfterCommit: true} {
		t.Run(point, func(t *testing.T) {
			disk := &broken{points: []string{point}}
			store := open(t, migrated(t), &sqlite.Config{Faults: disk.fault})
			mustReport(t, store, runs("acme", "r"))
			disk.armed = true
			got, err := store.Reports().ClaimReport(t.Context(), "p", epoch, time.Minute)
			disk.armed = false
			requireCode(t, errcodes.OutcomeUnknown, err)
			require.Equal(t, ports.ReportJob{}, got, "no job is returned")
			now := epoch
			if taken {
				_, err = store.Reports().ClaimReport(t.Context(), "p", epoch.Add(time.Minute-1), time.Minute)
				requireCode(t, errcodes.NotFound, err)
				now = epoch.Add(time.Minute)
			}
			j := mustReport(t, store, completed(mustClaim(t, store, "p", now)))
			disk.armed = true
			requireCode(t, errcodes.OutcomeUnknown, store.Reports().RemoveReport(t.Context(), "acme", j.ID))
			disk.armed = false
			require.NoError(t, store.Reports().RemoveReport(t.Context(), "acme", j.ID))
			_, err = store.Reports().Report(t.Context(), "acme", j.ID)
			requireCode(t, errcodes.NotFound, err)
		})
	}
}
