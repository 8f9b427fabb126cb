// Package ports contains the interfaces that corridor calls, and the plain values
// that they pass. Implement one to connect a store, a price feed or an event
// receiver. The packages under adapters implement them. The suites of
// ports/portstest, and of storetest, connectortest and reporttest below it, check an
// implementation in a single call:
//
//	func TestConforms(t *testing.T) {
//		portstest.PriceFeed(t, portstest.FeedHarness{
//			Open: func(tb testing.TB) ports.PriceFeed { return mybank.New(…) },
//		})
//	}
//
// # Rules for every port
//
// A method's comment says what the caller guarantees, what the method returns in each
// case, and each error by its code. These rules apply to all methods:
//
//   - Methods may be called from many goroutines at once.
//   - Errors carry a code of package errcodes. If the context is done, a method
//     returns the context's error, wrapped or not.
//   - Keys and ids are byte strings: case, blanks, NUL and bytes that are not
//     UTF-8 are significant.
//   - Times are UTC to the millisecond, and are read back as they were stored. "Now"
//     is always an argument: no adapter asks a clock or its database for the time.
//   - Decimals are text and are read back byte for byte.
//   - Returned values belong to the caller: changing them does not change the store.
//   - After Close a store returns [errcodes.Closed].
//
// # Writes
//
// A store writes by one Save of a change, which carries the records, events, work
// items and audit rows that belong together. The store commits all of it or nothing.
// If it is unknown whether a commit succeeded (the connection broke), Save returns
// [errcodes.OutcomeUnknown], never success and never another error.
//
// # Records are values
//
// The domain packages restore their entities from records and check them, so that a
// changed record in a store cannot break a rule.
package ports
