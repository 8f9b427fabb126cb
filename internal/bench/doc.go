// Command bench measures corridor against references, in one run:
//
//	cd internal/bench && go run . [-only NAME] [-rounds N]
//
// Each row interleaves short rounds of ours and of the reference and prints the
// median of their paired ratios, since the speed of a machine drifts while the
// ratio does not. A goal that is missed or a row that fails makes the exit status
// 1 at the end; the rows after it are measured all the same.
//
// The module is apart from corridor's own, so that no user inherits the peers
// and oracles it needs.
package main
