// Package match compares settlement lines with payments and reports what does not
// agree, with a reason and, where there is one, the payment that a line most likely
// belongs to (SPEC 2.6 and 4.6). It reads two streams and writes one, within a bound
// of memory: what does not fit goes to a ports.Scratch.
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
// [Run] states the rules; internal/docs/settlements.md lists the reasons and the
// test cases. They follow SPEC 4.6; where it is silent, the page says what was
// decided. [Rows] has the same as the rows of a report, whose columns [Columns]
// lists.
//
// What does not fit into memory is divided by a hash of the reference and joined
// part by part (Grace hash join), and the rows are put in order by an external merge
// sort. Neither changes the result.
package match
