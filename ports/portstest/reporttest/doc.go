// Package reporttest checks what reports are made with, in one call for each port:
// [ReportWriter], [ReportFiles], [Scratch], [TransactionSource] and
// [SettlementSource], each with a harness of its own.
//
//	func TestConforms(t *testing.T) {
//		reporttest.ReportFiles(t, reporttest.FilesHarness{
//			Open: func(tb testing.TB) reporttest.Files {
//				return reporttest.Files{ReportFiles: mybucket.New(tb.Name())}
//			},
//		})
//	}
package reporttest
