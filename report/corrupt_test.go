package report_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// ended changes a record to an ended one.
func ended(j *ports.ReportJob, status ports.ReportStatus, reason, sum string) {
	j.Status, j.EndedAt, j.Reason, j.FileSHA256 = status, j.UpdatedAt, reason, sum
}

// These records are impossible, each in exactly one way.
var impossibleRecords = map[string]func(*ports.ReportJob){
	"an unknown status":                  func(j *ports.ReportJob) { ended(j, "PAUSED", "", "") },
	"no status":                          func(j *ports.ReportJob) { ended(j, "", "", "") },
	"no kind":                            func(j *ports.ReportJob) { j.Kind = "" },
	"an unknown kind":                    func(j *ports.ReportJob) { j.Kind = "payouts" },
	"running with an end":                func(j *ports.ReportJob) { j.EndedAt = j.UpdatedAt },
	"completed without an end":           func(j *ports.ReportJob) { j.Status, j.FileSHA256 = ports.ReportCompleted, "00" },
	"failed without an end":              func(j *ports.ReportJob) { j.Status, j.Reason = ports.ReportFailed, "canceled" },
	"running with a reason":              func(j *ports.ReportJob) { j.Reason = "canceled" },
	"failed without a reason":            func(j *ports.ReportJob) { ended(j, ports.ReportFailed, "", "") },
	"completed with a reason":            func(j *ports.ReportJob) { ended(j, ports.ReportCompleted, "canceled", "00") },
	"running with a file":                func(j *ports.ReportJob) { j.FileSHA256 = "00" },
	"failed with a file":                 func(j *ports.ReportJob) { ended(j, ports.ReportFailed, "canceled", "00") },
	"completed without a file":           func(j *ports.ReportJob) { ended(j, ports.ReportCompleted, "", "") },
	"a range that ends before it starts": func(j *ports.ReportJob) { j.Request.To = j.Request.From.AddDate(0, 0, -1) },
	"a negative number of rows":          func(j *ports.ReportJob) { j.Rows = -1 },
	"a negative file size":               func(j *ports.ReportJob) { j.FileSize = -1 },
	"no columns":                         func(j *ports.ReportJob) { j.Request.Columns = nil },
}

// An impossible stored report is neither returned nor made, and does not delay others.
func TestAnImpossibleReportIsIgnored(t *testing.T) {
	for name, bend := range impossibleRecords {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			before := r.create(asked())
			r.clock.Advance(time.Millisecond)
			j := r.create(asked())
			r.clock.Advance(time.Millisecond)
			after := r.create(asked())
			bend(&j)
			require.NoError(t, r.store.Reports().Save(t.Context(), ports.ReportChange{Job: j}))

			_, err := r.service.Get(t.Context(), owner, j.ID)
			require.ErrorIs(t, err, errcodes.CorruptRecord)
			_, err = r.service.Cancel(t.Context(), owner, j.ID)
			require.ErrorIs(t, err, errcodes.CorruptRecord)
			if err := r.tick(); j.Status == ports.ReportRunning {
				require.ErrorIs(t, err, errcodes.CorruptRecord)
			} else {
				require.NoError(t, err)
			}
			assert.Equal(t, ports.ReportCompleted, r.get(before.ID).Status)
			assert.Equal(t, ports.ReportCompleted, r.get(after.ID).Status)
			assert.Len(t, r.kept(), 6, "the neighbours' alone")
		})
	}
}

// These ends are possible.
func TestPossibleRecordsAreAccepted(t *testing.T) {
	for name, bend := range map[string]func(*ports.ReportJob){
		"running":           func(*ports.ReportJob) {},
		"on one day":        func(j *ports.ReportJob) { j.Request.To = j.Request.From },
		"unmatched":         func(j *ports.ReportJob) { j.Kind = ports.ReportUnmatched },
		"completed":         func(j *ports.ReportJob) { ended(j, ports.ReportCompleted, "", "00") },
		"failed":            func(j *ports.ReportJob) { ended(j, ports.ReportFailed, "timeout", "") },
		"held by a process": func(j *ports.ReportJob) { j.Holder = "somebody" },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			j := r.create(asked())
			bend(&j)
			require.NoError(t, r.store.Reports().Save(t.Context(), ports.ReportChange{Job: j}))
			j.Version++
			assert.Equal(t, j, r.get(j.ID))
		})
	}
}
