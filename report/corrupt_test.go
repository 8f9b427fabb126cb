package report_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// ended makes a record one of an end.
func ended(j *ports.ReportJob, status ports.ReportStatus, reason, sum string) {
	j.Status, j.EndedAt, j.Reason, j.FileSHA256 = status, j.UpdatedAt, reason, sum
}

// Records that no job can have come to, each wrong in one way alone.
var impossibleRecords = map[string]func(*ports.ReportJob){
	"a status of nobody":            func(j *ports.ReportJob) { ended(j, "PAUSED", "", "") },
	"no status":                     func(j *ports.ReportJob) { ended(j, "", "", "") },
	"no kind":                       func(j *ports.ReportJob) { j.Kind = "" },
	"a kind of nobody":              func(j *ports.ReportJob) { j.Kind = "payouts" },
	"it runs and has ended":         func(j *ports.ReportJob) { j.EndedAt = j.UpdatedAt },
	"it has completed without end":  func(j *ports.ReportJob) { j.Status, j.FileSHA256 = ports.ReportCompleted, "00" },
	"it has failed without end":     func(j *ports.ReportJob) { j.Status, j.Reason = ports.ReportFailed, "canceled" },
	"it runs and has a reason":      func(j *ports.ReportJob) { j.Reason = "canceled" },
	"it has failed for no reason":   func(j *ports.ReportJob) { ended(j, ports.ReportFailed, "", "") },
	"it has completed for a reason": func(j *ports.ReportJob) { ended(j, ports.ReportCompleted, "canceled", "00") },
	"it runs and has a file":        func(j *ports.ReportJob) { j.FileSHA256 = "00" },
	"it has failed with a file":     func(j *ports.ReportJob) { ended(j, ports.ReportFailed, "canceled", "00") },
	"it has completed with no file": func(j *ports.ReportJob) { ended(j, ports.ReportCompleted, "", "") },
	"it ends before it starts":      func(j *ports.ReportJob) { j.Request.To = j.Request.From.AddDate(0, 0, -1) },
	"it has less than no rows":      func(j *ports.ReportJob) { j.Rows = -1 },
	"its file is below nothing":     func(j *ports.ReportJob) { j.FileSize = -1 },
	"it has no columns":             func(j *ports.ReportJob) { j.Request.Columns = nil },
}

// A stored report that cannot be is neither shown nor made, and does not keep its
// neighbours waiting.
func TestAReportThatCannotBe(t *testing.T) {
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

// The ends that there are, are possible.
func TestRecordsThatCanBe(t *testing.T) {
	for name, bend := range map[string]func(*ports.ReportJob){
		"it runs":          func(*ports.ReportJob) {},
		"on one day":       func(j *ports.ReportJob) { j.Request.To = j.Request.From },
		"unmatched":        func(j *ports.ReportJob) { j.Kind = ports.ReportUnmatched },
		"it has completed": func(j *ports.ReportJob) { ended(j, ports.ReportCompleted, "", "00") },
		"it has failed":    func(j *ports.ReportJob) { ended(j, ports.ReportFailed, "timeout", "") },
		"somebody has it":  func(j *ports.ReportJob) { j.Holder = "somebody" },
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
