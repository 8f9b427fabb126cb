// Package reporttest checks the ports that reports use, each in one call with its
// own harness: [ReportWriter], [ReportFiles], [Scratch], [TransactionSource] and
// [SettlementSource].
//
//	func TestConforms(t *testing.T) {
//		reporttest.ReportFiles(t, reporttest.FilesHarness{
//			Open: func(tb testing.TB) reporttest.Files {
//				return reporttest.Files{ReportFiles: mybucket.New(tb.Name())}
//			},
//		})
//	}
package reporttest
