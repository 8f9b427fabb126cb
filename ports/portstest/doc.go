// Package portstest checks an implementation of a port in one call, and has the
// [Clock] that a test moves. A suite holds what the port's comments promise and
// what adapters have got wrong before: a price that looks newer than it is, an
// event that is delivered though its context has ended, two seals of one text
// that are equal.
//
//	func TestConforms(t *testing.T) {
//		portstest.PriceFeed(t, portstest.FeedHarness{
//			Open: func(tb testing.TB) ports.PriceFeed { return mybank.New(desk) },
//		})
//	}
//
// This package has the suites [PriceFeed], [EventSink], [Sealer] and [ClockPort].
// The others stand by what an author implements:
//
//   - storetest: stores, from RateLockStore to SecretStore
//   - connectortest: account connectors, with a file for each exchange between
//     the connector and its provider
//   - reporttest: report writers, report files, scratch, and the sources of
//     transactions and settlements
//
// Each check is a subtest, and so is each case of a check whose cases do not build
// on each other: -run selects one, and all that fail are reported.
//
// A part of a harness that is nil leaves out the checks that need it, and the
// test's output says so. A check that an adapter cannot pass is named in the
// harness's Except, with the reason. For each check of a suite its own tests hold
// a broken adapter that the check catches.
//
// Package fake, below this one, has a feed, a connector, report files and scratch
// for the tests of code that uses ports.
//
// Beside the standard library these packages use ports and errcodes alone, and so
// the decimals in which ports keeps its prices: an adapter's tests depend on no
// library that the adapter does not use.
package portstest
