package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

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
	s.printf("\nThe settlements of October are compared with the payments. Rows that do not match: %d.", job.Rows)
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
	printed := 0
	for _, group := range [][]match.Reason{
		{match.MissingTransaction, match.MissingSettlement, match.DuplicateSettlement, match.UnreadableLine},
		{match.AmountMismatch, match.CurrencyMismatch, match.StatusMismatch},
	} {
		var line []string
		for _, reason := range group {
			n := counts[string(reason)]
			if n == 0 {
				s.must(errors.New("the demo failed: no row with reason " + string(reason)))
			}
			line, printed = append(line, fmt.Sprintf("%d %s", n, reason)), printed+n
		}
		s.printf("  %s", strings.Join(line, ", "))
	}
	s.expect("the number of rows", printed, len(rows))
}
