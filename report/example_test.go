package report_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/corridor-go/corridor/adapters/files/folder"
	"github.com/corridor-go/corridor/adapters/format/csv"
	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/adapters/source/sandbox"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/report"
)

func ExampleNew() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "reports")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	files, err := folder.New(filepath.Join(dir, "files"), nil)
	if err != nil {
		panic(err)
	}
	defer files.Close()
	scratch, err := folder.NewScratch(filepath.Join(dir, "scratch"), nil)
	if err != nil {
		panic(err)
	}
	defer scratch.Close()
	clock := portstest.NewClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)) // programs use the real clock
	reports, err := newReports(files, scratch, clock)
	if err != nil {
		panic(err)
	}

	job, err := reports.CreateTransactions(ctx, "acme", report.Request{
		MerchantID: "merchant-1", Name: "What failed in October",
		Columns:   []string{"transactionId", "amount", "currency", "code"},
		StartDate: "2026-10-01", EndDate: "2026-10-31",
		Filters: []ports.Filter{
			{Column: "status", OneOf: []string{"FAILED"}},
			{Column: "amount", From: "200", To: "100000"},
			{Column: "createdAt", OneOf: []string{"2026-10-02"}}, // the whole day
		},
	})
	fmt.Println(job.Status, err)

	// A long-running program calls reports.Run(ctx) in a goroutine instead and polls the
	// report.
	if err := reports.Tick(ctx, clock.Now()); err != nil {
		panic(err)
	}
	job, err = reports.Get(ctx, "acme", job.ID)
	fmt.Println(job.Status, job.Rows, err)

	file, err := reports.Open(ctx, "acme", job.ID)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	fmt.Println(file.Name)
	text := bufio.NewScanner(file)
	for text.Scan() {
		fmt.Println(text.Text())
	}
	fmt.Println(text.Err())
	// Output:
	// RUNNING <nil>
	// COMPLETED 5 <nil>
	// transactions-2026-10-01-2026-10-31.csv
	// transactionId,amount,currency,code
	// sbx-130a76222d44-20261002-0000019,2217.12,EUR,declined
	// sbx-130a76222d44-20261002-0000028,70478.51,KES,timeout
	// sbx-130a76222d44-20261002-0000034,11530.07,ZAR,accountNotActive
	// sbx-130a76222d44-20261002-0000036,908.70,EUR,timeout
	// sbx-130a76222d44-20261002-0000040,358.66,GBP,accountNotActive
	// <nil>
}

// newReports returns a service with its jobs in memory and invented transactions.
func newReports(files ports.ReportFiles, scratch ports.Scratch, clock ports.Clock) (*report.Service, error) {
	store, err := memory.New(nil)
	if err != nil {
		return nil, err
	}
	books, err := sandbox.New(&sandbox.Config{Clock: clock})
	if err != nil {
		return nil, err
	}
	commas, err := csv.New(nil)
	if err != nil {
		return nil, err
	}
	return report.New(report.Ports{
		Reports: store.Reports(), Transactions: books.Transactions(), Settlements: books.Settlements(),
		Writers: []ports.ReportWriter{commas}, Files: files, Scratch: scratch,
	}, report.Policy{SettleWithin: 72 * time.Hour, KeepFor: 30 * 24 * time.Hour}, &report.Config{Clock: clock})
}
