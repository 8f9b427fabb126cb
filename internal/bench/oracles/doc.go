// Package oracles compares what corridor wrote by hand with independent
// implementations of the same standards. It lives in the module of the
// benchmarks, so that no user of the library inherits the peers.
//
//	cd internal/bench && go test ./oracles/...
//
// A difference is not always our mistake: peers lag behind a standard. Each
// known difference stands in the test's own table with its reason, and a
// difference that has gone makes the test fail as well.
package oracles
