// Package oracles compares hand-written code of corridor with independent implementations
// of the same standards. It is in the module of the benchmarks, so that users do not
// inherit those libraries.
//
//	cd internal/bench && go test ./oracles/...
//
// A difference is not always a bug of corridor: other libraries lag behind standards.
// Each known difference is in a test's table with its reason. The test also fails when a
// known difference disappears.
package oracles
