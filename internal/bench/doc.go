// Command bench measures corridor against references, in one run:
//
//	cd internal/bench && go run . [-only NAME] [-rounds N]
//
// Each row interleaves short rounds of corridor and of the reference and prints the
// median of their paired ratios: the speed of a machine drifts, the ratio does not. If a
// goal is missed or a row fails, the following rows are still measured, and the exit
// status is 1.
//
// The benchmarks are a separate module, so that users do not inherit the compared
// libraries.
package main
