package storemodel

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// report draws a job that the rules allow, of any texts and times.
func (a Any) report(t *rapid.T, owner, id string) ports.ReportJob {
	j := ports.ReportJob{
		ID: id, Owner: owner, Kind: rapid.SampledFrom([]ports.ReportKind{ports.ReportTransactions, ports.ReportUnmatched}).Draw(t, "kind"),
		Status:    rapid.SampledFrom([]ports.ReportStatus{ports.ReportRunning, ports.ReportRunning, ports.ReportCompleted, ports.ReportFailed}).Draw(t, "status"),
		CreatedAt: a.Time.Draw(t, "created"), Attempts: rapid.IntMin(0).Draw(t, "attempts"), Holder: a.Bytes.Draw(t, "holder"),
		Rows: rapid.Int64Min(0).Draw(t, "rows"), Total: rapid.Int64Min(-1).Draw(t, "total"),
	}
	for _, at := range []*time.Time{&j.UpdatedAt, &j.LeaseUntil, &j.StartedAt, &j.AsOf} {
		if rapid.Bool().Draw(t, "has a time") {
			*at = a.Time.Draw(t, "time")
		}
	}
	r, texts := &j.Request, a.texts()
	r.MerchantID, r.Name, r.Format = a.Bytes.Draw(t, "merchant"), a.Bytes.Draw(t, "name"), a.Bytes.Draw(t, "format")
	r.From = a.Time.Draw(t, "from")
	r.To = r.From.AddDate(0, 0, rapid.IntRange(0, 400).Draw(t, "days"))
	r.Columns = texts.Draw(t, "columns")
	for range rapid.IntRange(0, 3).Draw(t, "filters") {
		r.Filters = append(r.Filters, ports.Filter{
			Column: a.Bytes.Draw(t, "column"), OneOf: texts.Draw(t, "one of"), From: a.Bytes.Draw(t, "at least"), To: a.Bytes.Draw(t, "at most"),
		})
	}
	switch j.Status {
	case ports.ReportCompleted:
		j.EndedAt, j.FileSize = a.Time.Draw(t, "ended"), rapid.Int64Min(0).Draw(t, "size")
		j.FileSHA256 = rapid.StringMatching("[0-9a-f]{64}").Draw(t, "sha")
	case ports.ReportFailed:
		j.EndedAt, j.Reason = a.Time.Draw(t, "ended"), "c"+a.Text.Draw(t, "reason")
	case ports.ReportRunning:
	}
	return j
}

// ReportsComeBackEqual saves any job, changes it to any other while it may
// change, and reads it back by each way there is (I22).
func ReportsComeBackEqual(t *testing.T, store Store, a Any) {
	t.Helper()
	taken := map[string]bool{}
	rapid.Check(t, func(rt *rapid.T) {
		owner, id := a.Bytes.Draw(rt, "owner"), a.Bytes.Draw(rt, "id")
		if taken[id] {
			rt.Skip("taken")
		}
		taken[id] = true
		save := func(j ports.ReportJob, want errcodes.Code) {
			err := store.Reports().Save(t.Context(), ports.ReportChange{Job: j})
			require.Equal(rt, want, errcodes.Of(err), "%v", err)
		}
		read := func(want ports.ReportJob) {
			got, err := store.Reports().Report(context.Background(), owner, id)
			require.NoError(rt, err)
			require.Equal(rt, want, got)
			if !want.Status.Terminal() {
				return
			}
			ended, err := store.Reports().ExpiredReports(context.Background(), want.EndedAt, 1_000)
			require.NoError(rt, err)
			require.Contains(rt, ended, want)
		}
		j := a.report(rt, owner, id)
		save(j, "")
		j.Version = 1
		read(j)
		next := a.report(rt, owner, id)
		next.Version = 1
		if j.Status.Terminal() {
			save(next, errcodes.Conflict)
			read(j)
			return
		}
		save(next, "")
		next.Version = 2
		read(next)
	})
}
