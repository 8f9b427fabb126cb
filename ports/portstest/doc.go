// Package portstest checks an implementation of a port in one call. It also
// contains [Clock], a clock for tests. A suite checks what the port's comments
// require and mistakes that adapters have made before: a price that looks newer
// than it is, an event delivered although its context is done, two equal seals of
// one text.
//
//	func TestConforms(t *testing.T) {
//		portstest.PriceFeed(t, portstest.FeedHarness{
//			Open: func(tb testing.TB) ports.PriceFeed { return mybank.New(desk) },
//		})
//	}
//
// This package has the suites [PriceFeed], [EventSink], [Sealer] and [ClockPort].
// The others are in packages named after what an author implements:
//
//   - storetest: stores, from RateLockStore to SecretStore
//   - connectortest: account connectors, with a file for each exchange between
//     the connector and its provider
//   - reporttest: report writers, report files, scratch, and the sources of
//     transactions and settlements
//
// Each check is a subtest, and so is each independent case of a check: -run
// selects one, and all failures are reported.
//
// If an optional field of a harness is nil, the checks that need it are skipped,
// and the test's output says why. A check that an adapter cannot pass is listed in
// the harness's Except with a reason. The tests of a suite contain, for each
// check, a broken adapter that the check catches.
//
// A property test of a service sets not only its Config.Clock but also
// its Config.Random, from a drawn seed. With crypto/rand each run has other ids, so that
// a failure cannot be reproduced and shrunk.
//
// Package fake contains a feed, a connector, report files and scratch space for
// the tests of code that uses ports.
//
// These packages import only the standard library, ports and errcodes (which use
// apd for decimals), so that an adapter's tests depend on no library that the
// adapter does not use.
package portstest
