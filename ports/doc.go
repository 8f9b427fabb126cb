// Package ports holds the interfaces that corridor calls, and the plain values
// that cross them. Implement one to connect a store, a price feed or an event
// receiver; the packages under adapters are such implementations, and
// the suites of ports/portstest, and of storetest, connectortest and reporttest
// below it, check one in a single call:
//
//	func TestConforms(t *testing.T) {
//		portstest.PriceFeed(t, portstest.FeedHarness{
//			Open: func(tb testing.TB) ports.PriceFeed { return mybank.New(…) },
//		})
//	}
//
// # What every port promises
//
// A method's comment says what the caller guarantees, what comes back at each
// edge, and the error code. These rules hold for all of them:
//
//   - Methods may be called from many goroutines at once.
//   - Errors carry a code of package errcodes. A context that is done gives its
//     own error, wrapped or not.
//   - Keys and ids are byte strings: case, blanks, NUL and bytes that are no
//     UTF-8 all count.
//   - Times are UTC, to the millisecond; what goes in comes out equal. "Now" is
//     always an argument: no adapter asks a clock, nor its database, for it.
//   - Decimals are text and come back byte for byte.
//   - Returned values belong to the caller; changing them changes no store.
//   - After Close a store answers [errcodes.Closed].
//
// # Writes
//
// A store's write is one Save of a change that carries the records, the events,
// the work and the audit rows that belong together. The store commits all of it or nothing. A
// commit whose fate is unknown (the connection broke) is
// [errcodes.OutcomeUnknown], never success and never another error.
//
// # Records are values
//
// A record holds no rule. The domain packages restore their entities from
// records and check them, so that storage is no way around a rule.
//
// The package depends on the standard library, errcodes and apd.
package ports
