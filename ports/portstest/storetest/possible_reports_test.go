package storetest_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/storetest"
)

// A store may reject invalid reports, as it may rate locks.
func TestTheReportSuiteSavesOnlyValidReports(t *testing.T) {
	for _, check := range storetest.CheckNames("ReportStore") {
		t.Run(check, func(t *testing.T) {
			b := newBundle(t)
			var mu sync.Mutex
			var impossible []string
			savesReports(func(ctx context.Context, save saveReportFunc, c ports.ReportChange) error {
				mu.Lock()
				impossible = append(impossible, impossibleReport(c.Job)...)
				mu.Unlock()
				return save(ctx, c)
			})(b)
			storetest.RunStoreCheck(t, "ReportStore", check, b.store())
			if len(impossible) > 0 {
				t.Errorf("the check saves an invalid record:\n%s", strings.Join(impossible, "\n"))
			}
		})
	}
}

// impossibleReport lists the faults that no service can have put into a job.
func impossibleReport(j ports.ReportJob) []string {
	var found []string
	says := func(wrong bool, what string) {
		if wrong {
			found = append(found, fmt.Sprintf("%.40q, %s: %s", j.ID, j.Status, what))
		}
	}
	early := func(t time.Time) bool { return !t.IsZero() && t.Before(j.CreatedAt.Truncate(time.Millisecond)) }
	completed := j.Status == ports.ReportCompleted
	says(j.ID == "", "no id")
	says(j.Kind != ports.ReportTransactions && j.Kind != ports.ReportUnmatched, "an unknown kind (SPEC 2.6)")
	says(j.CreatedAt.IsZero(), "no creation")
	says(early(j.UpdatedAt) || early(j.StartedAt) || early(j.EndedAt), "a time before the creation")
	says(j.Request.To.Before(j.Request.From), "a last day before the first (I23)")
	says(j.Status.Terminal() == j.EndedAt.IsZero(), "EndedAt and Status disagree")
	says((j.Status == ports.ReportFailed) == (j.Reason == ""), "Reason and Status disagree")
	says(completed != (len(j.FileSHA256) == 64), "FileSHA256 and Status disagree")
	says(!completed && j.FileSize != 0 || j.FileSize < 0, "a size without a file, or a negative size")
	says(j.Rows < 0 || j.Total < -1 || j.Total >= 0 && j.Rows > j.Total, "rows beyond the total")
	says(j.Attempts < 0 || j.Attempts == 0 && !j.StartedAt.IsZero(), "a start without an attempt")
	return found
}
