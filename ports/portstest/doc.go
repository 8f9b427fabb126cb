// Package portstest checks an implementation of a port in one call. Each suite
// holds what the port's comments promise and what adapters have got wrong
// before: keys that differ by case or a trailing blank, a stale version, racers
// of which one must win, an acknowledgement that is lost.
//
//	func TestConforms(t *testing.T) {
//		portstest.RateLockStore(t, portstest.StoreHarness{
//			Parallel: true,
//			Open: func(tb testing.TB) portstest.Store {
//				s := mystore.Open(tb.TempDir())
//				tb.Cleanup(func() { s.Close() })
//				return portstest.Store{RateLocks: s.RateLocks(), Outbox: s.Outbox(), Close: s.Close}
//			},
//		})
//	}
//
// [RateLockStore], [ValidationStore], [TransactionStore], [ReportStore],
// [AnswerCache], [SecretStore], [Outbox], [DeadLetters], [Work], [ClientStore] and
// [TokenStore] take a [StoreHarness]. [TransactionSource], [SettlementSource],
// [ReportWriter], [ReportFiles] and [Scratch] check what reports are made with,
// each with a harness of its own; [Sealer] takes a
// [SealerHarness], [PriceFeed] a [FeedHarness], [EventSink] a [SinkHarness],
// [ClockPort] a [ClockHarness], [AccountConnector] a [ConnectorHarness] and files
// with what passes between the connector and its provider. A part of a harness that
// is nil leaves out the checks that need it, and the test's output says so; a check that an adapter
// cannot pass is named in the harness's Except, with the reason. For each check
// of a suite the package's own tests hold a broken adapter that it catches.
//
// For the tests of code that uses ports there are a [Clock] that moves without
// sleeping, a [ScriptedFeed], and files and scratch in memory ([NewReportFiles],
// [NewScratch]). The store to test with is adapters/memory.
//
// Beside the standard library the package uses ports and errcodes alone, and so the
// decimals that ports has its prices in: an adapter's tests inherit no library that
// the adapter has not.
package portstest
