package stores_test

import (
	"context"
	"io"
	"time"

	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/report"
)

func (w *worlds) reportActions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"report create": w.createReport, "report get": w.getReport, "report cancel": w.cancelReport, "report tick": w.tickReports,
		"report claim": w.claimReport, "report save": w.saveReport, "report expired": w.expiredReports,
	}
}

func (w *worlds) createReport(t *rapid.T) {
	owner := w.owner(t)
	r := report.Request{
		MerchantID: someMerchant, Name: "November", Columns: []string{"transactionId", "amount"}, StartDate: "2026-11-17", EndDate: "2026-11-18",
		Format: rapid.SampledFrom([]string{"", "csv", "png"}).Draw(t, "format"),
	}
	unmatched := rapid.Bool().Draw(t, "unmatched")
	if unmatched {
		r.Columns = nil
	}
	j, err := same(t, w, func(ctx context.Context, w *world) (ports.ReportJob, error) {
		if unmatched {
			return w.jobs.CreateUnmatched(ctx, owner, r)
		}
		return w.jobs.CreateTransactions(ctx, owner, r)
	})
	if err == nil {
		w.reports = append(w.reports, j.ID)
	}
}

func (w *worlds) getReport(t *rapid.T) {
	owner, id := w.owner(t), draw(t, w.reports, "report")
	_, _ = same(t, w, func(ctx context.Context, w *world) (ports.ReportJob, error) { return w.jobs.Get(ctx, owner, id) })
	_, _ = same(t, w, func(ctx context.Context, w *world) (string, error) {
		f, err := w.jobs.Open(ctx, owner, id)
		if err != nil {
			return "", err
		}
		defer func() { _ = f.Close() }()
		text, err := io.ReadAll(f)
		return string(text), err
	})
}

func (w *worlds) cancelReport(t *rapid.T) {
	owner, id := w.owner(t), draw(t, w.reports, "report")
	_, _ = same(t, w, func(ctx context.Context, w *world) (ports.ReportJob, error) { return w.jobs.Cancel(ctx, owner, id) })
}

func (w *worlds) tickReports(t *rapid.T) {
	now := w.clock.Now()
	_ = agree(t, w, func(ctx context.Context, w *world) error { return w.jobs.Tick(ctx, now) })
}

func (w *worlds) claimReport(t *rapid.T) {
	now, lease := w.clock.Now(), time.Duration(rapid.IntRange(-1, 2).Draw(t, "lease"))*time.Minute
	_, _ = same(t, w, func(ctx context.Context, w *world) (ports.ReportJob, error) {
		return w.Reports().ClaimReport(ctx, "somebody", now, lease)
	})
}

// saveReport saves at the port: progress, a new job with a used id, a change of an ended
// job, a stale version.
func (w *worlds) saveReport(t *rapid.T) {
	owner, id := w.owner(t), draw(t, w.reports, "report")
	j, err := w.all[0].Reports().Report(context.Background(), owner, id)
	if err != nil {
		t.Skip("another owner's")
	}
	switch rapid.IntRange(0, 3).Draw(t, "change") {
	case 0:
		j.Version = 0
	case 1:
		j.Version++
	default:
		j.Rows++
	}
	_ = agree(t, w, func(ctx context.Context, w *world) error { return w.Reports().Save(ctx, ports.ReportChange{Job: j}) })
}

func (w *worlds) expiredReports(t *rapid.T) {
	before, limit := w.clock.Now(), rapid.SampledFrom([]int{0, 1, 1000, 1001}).Draw(t, "limit")
	got, err := same(t, w, func(ctx context.Context, w *world) ([]ports.ReportJob, error) {
		return w.Reports().ExpiredReports(ctx, before, limit)
	})
	if err != nil {
		return
	}
	owner, id := w.owner(t), "none"
	if len(got) > 0 {
		owner, id = got[0].Owner, got[0].ID
	} else if len(w.reports) > 0 {
		id = w.reports[len(w.reports)-1]
	}
	_ = agree(t, w, func(ctx context.Context, w *world) error { return w.Reports().RemoveReport(ctx, owner, id) })
}
