package match_test

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/report/match"
)

func ExampleRun() {
	day := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	var lines iter.Seq2[ports.SettlementLine, error] = func(yield func(ports.SettlementLine, error) bool) {
		yield(ports.SettlementLine{Line: 1, Reference: "order 42", Amount: 18_250, Currency: "ZAR", At: day}, nil)
	}
	var payments iter.Seq2[match.Payment, error] = func(yield func(match.Payment, error) bool) {
		yield(match.Payment{
			ID: "tx-1", Reference: "ORDER-0042", Amount: 18_250, Currency: "ZAR", Status: ports.TransactionSucceeded, CreatedAt: day,
		}, nil)
	}
	tally, err := match.Run(context.Background(), match.Input{
		Lines: lines, Payments: payments,
		Range: match.Range{From: day, Until: day.AddDate(0, 0, 1), Due: day.AddDate(0, 0, 1)},
	}, func(u match.Unmatched) error {
		if u.Reason == match.MissingSettlement {
			fmt.Println("payment", u.Payment.ID, u.Reason, u.Age)
			return nil
		}
		fmt.Println("line", u.Line.Line, u.Reason, u.CandidateWhy, u.Candidate.ID)
		return nil
	})
	fmt.Println(tally.Lines, tally.Matched, tally.Missing, err)
	// Output:
	// line 1 missing_transaction similar_reference tx-1
	// payment tx-1 missing_settlement 24h0m0s
	// 1 0 1 <nil>
}

// Rows returns texts for files, in the order of Columns.
func ExampleRows() {
	day := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	in := match.Input{
		Lines: func(yield func(ports.SettlementLine, error) bool) {
			yield(ports.SettlementLine{Line: 1, Reference: "order 42", Amount: 18_250, Currency: "ZAR", At: day}, nil)
		},
		Payments: func(func(match.Payment, error) bool) {},
		Range:    match.Range{From: day, Until: day.AddDate(0, 0, 1)},
	}
	for row, err := range match.Rows(context.Background(), in) {
		if err != nil {
			panic(err)
		}
		for i, column := range match.Columns() {
			if row[i] != "" {
				fmt.Println(column.Name, row[i])
			}
		}
	}
	// Output:
	// reason missing_transaction
	// reference order 42
	// settlementLine 1
	// settledAt 2026-11-20T00:00:00.000Z
	// settlementAmount 182.50
	// currency ZAR
	// ageDays 1
}
