// Package match compares settlement lines with payments and reports differences with a
// reason and, if there is one, the payment that a line most likely belongs to (SPEC 2.6
// and 4.6). It reads two streams and writes one in bounded memory: what does not fit is
// written to a ports.Scratch.
//
//	tally, err := match.Run(ctx, match.Input{
//		Lines: lines, Payments: payments,
//		Range:  match.Range{From: day, Until: day.AddDate(0, 0, 1), Due: now.Add(-72 * time.Hour)},
//		Policy: match.Policy{Tolerance: 1},
//		Limits: match.Limits{MemoryBytes: 64 << 20, Scratch: scratch},
//	}, func(u match.Unmatched) error {
//		log.Println(u.Reason, u.Line.Reference, u.Candidate.ID)
//		return nil
//	})
//	// tally.Lines is tally.Matched + tally.UnmatchedLines
//
// [Run] describes the rules, which follow SPEC 4.6; internal/docs/settlements.md lists
// the reasons, the test cases and what was decided where SPEC is silent. [Rows] returns
// the result as rows of a report with the columns of [Columns].
//
// Input that does not fit into memory is partitioned by a hash of the reference and
// joined partition by partition (Grace hash join); rows are sorted by an external merge
// sort. The result is the same.
package match
