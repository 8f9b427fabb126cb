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

// The story's reports are on the month before it.
const (
	demoReportFrom = "2026-10-01"
	demoReportTo   = "2026-10-31"
)

// unmatched is a month's settlements held against its transactions.
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
	s.tellf("What providers have settled in October, held against what was paid.")
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
	s.sayf("      %s  %s, %d rows, sha256 %.12s…", job.ID, job.Status, job.Rows, job.FileSHA256)
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

// reasons counts the rows by their reasons: the month has each.
func (s *story) reasons(service *report.Service, job ports.ReportJob) {
	rows, few, err := service.Rows(s.ctx, shop, job.ID)
	s.must(err)
	s.expect("rows are few", few, true)
	counts := map[string]int{}
	for _, row := range rows {
		var read struct {
			Reason string `json:"reason"`
		}
		s.must(json.Unmarshal(row, &read))
		counts[read.Reason]++
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		s.sayf("      %3d  %s", counts[name], name)
	}
	for _, reason := range []match.Reason{
		match.MissingTransaction, match.MissingSettlement, match.AmountMismatch, match.CurrencyMismatch, match.StatusMismatch,
		match.DuplicateSettlement, match.UnreadableLine,
	} {
		if counts[string(reason)] == 0 {
			s.must(errors.New("the story went another way: no row of " + string(reason)))
		}
	}
}
