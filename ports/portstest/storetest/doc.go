// Package storetest checks stores in one call for each port. Its suites hold what
// the ports' comments promise and what stores have got wrong before: keys that
// differ by case or a trailing blank, a stale version, racers of which one must
// win, an acknowledgement that is lost.
//
//	func TestConforms(t *testing.T) {
//		storetest.RateLockStore(t, storetest.Harness{
//			Parallel: true,
//			Open: func(tb testing.TB) storetest.Store {
//				s := mystore.Open(tb.TempDir())
//				tb.Cleanup(func() { s.Close() })
//				return storetest.Store{RateLocks: s.RateLocks(), Outbox: s.Outbox(), Close: s.Close}
//			},
//		})
//	}
//
// [RateLockStore], [ValidationStore], [TransactionStore], [ReportStore],
// [AnswerCache], [SecretStore], [Outbox], [DeadLetters], [Work], [ClientStore] and
// [TokenStore] all take a [Harness]. A field of [Store] that is nil leaves out the
// checks that need it, and the test's output says so; a check that a store cannot
// pass is named in Harness.Except, with the reason.
package storetest
