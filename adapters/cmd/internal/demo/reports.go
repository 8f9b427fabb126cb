package demo

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"slices"

	"github.com/corridor-go/corridor/adapters/files/folder"
	"github.com/corridor-go/corridor/adapters/service"
	"github.com/corridor-go/corridor/adapters/source/sandbox"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/report"
	"github.com/corridor-go/corridor/report/match"
)

// The reports are about the previous month.
const (
	demoReportFrom = "2026-10-01"
	demoReportTo   = "2026-10-31"
)

// unmatched compares a month's settlements with its transactions.
func (s *story) unmatched() {
	dir, err := os.MkdirTemp("", "corridor-demo")
	s.must(err)
	if s.err != nil {
		return
	}
	defer func() { s.must(os.RemoveAll(dir)) }()
	service, err := s.newReports(dir)
	s.must(err)
	if s.err != nil {
		return
	}
	s.timedf("The settlements of October are compared with the payments.")
	job, err := service.CreateUnmatched(s.ctx, shop, report.Request{
		MerchantID: demoMerchant, Name: "October", StartDate: demoReportFrom, EndDate: demoReportTo,
	})
	s.must(err)
	s.expect("the report", job.Status, ports.ReportRunning)
	s.must(service.Tick(s.ctx, s.clock.Now()))
	if job, err = service.Get(s.ctx, shop, job.ID); err != nil {
		s.must(err)
		return
	}
	s.expect("the report", job.Status, ports.ReportCompleted)
	s.printf("      %s  %s, %d rows, sha256 %.12s…", job.ID, job.Status, job.Rows, job.FileSHA256)
	s.reasons(service, job)
}

func (s *story) newReports(dir string) (*report.Service, error) {
	files, err := folder.New(dir, nil)
	if err != nil {
		return nil, err
	}
	books, err := sandbox.New(&sandbox.Config{Clock: s.clock})
	if err != nil {
		return nil, err
	}
	return service.NewReports(service.Shipped(), service.ReportPorts{
		Reports: s.store.Reports(), Transactions: books.Transactions(), Settlements: books.Settlements(), Files: files,
	}, &report.Config{Clock: s.clock})
}

// reasons counts the rows by reason. Every reason must occur.
func (s *story) reasons(service *report.Service, job ports.ReportJob) {
	rows, few, err := service.Rows(s.ctx, shop, job.ID)
	s.must(err)
	s.expect("the rows are few", few, true)
	counts := map[string]int{}
	for _, row := range rows {
		var read struct {
			Reason string `json:"reason"`
		}
		s.must(json.Unmarshal(row, &read))
		counts[read.Reason]++
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		s.printf("      %3d  %s", counts[name], name)
	}
	for _, reason := range []match.Reason{
		match.MissingTransaction, match.MissingSettlement, match.AmountMismatch, match.CurrencyMismatch, match.StatusMismatch,
		match.DuplicateSettlement, match.UnreadableLine,
	} {
		if counts[string(reason)] == 0 {
			s.must(errors.New("the demo failed: no row with reason " + string(reason)))
		}
	}
}
