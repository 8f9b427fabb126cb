package report_test

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/report"
)

func ExampleMatch() {
	day := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	var lines iter.Seq2[ports.SettlementLine, error] = func(yield func(ports.SettlementLine, error) bool) {
		yield(ports.SettlementLine{Line: 1, Reference: "order 42", Amount: 18_250, Currency: "ZAR", At: day}, nil)
	}
	var payments iter.Seq2[report.Payment, error] = func(yield func(report.Payment, error) bool) {
		yield(report.Payment{
			ID: "tx-1", Reference: "ORDER-0042", Amount: 18_250, Currency: "ZAR", Status: ports.TransactionSucceeded, CreatedAt: day,
		}, nil)
	}
	tally, err := report.Match(context.Background(), report.MatchInput{
		Lines: lines, Payments: payments,
		Range: report.MatchRange{From: day, Until: day.AddDate(0, 0, 1), Due: day.AddDate(0, 0, 1)},
	}, func(u report.Unmatched) error {
		if u.Reason == report.MissingSettlement {
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
