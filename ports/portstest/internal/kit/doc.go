// Package kit is what the suites below portstest share: the assertions of a
// check, the running of checks and of their cases, and fixtures that more than
// one suite uses.
//
//	type clockCheck kit.Check[*clockKit]
//
//	var clockChecks = []clockCheck{{"Now moves on", clockMoves}}
//
//	func ClockPort(t *testing.T, h ClockHarness) {
//		kit.Run(t, nil, clockChecks, func(t *testing.T) *clockKit { … })
//	}
package kit
