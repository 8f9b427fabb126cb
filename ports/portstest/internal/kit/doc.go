// Package kit contains what the suites below portstest share: the assertions,
// the code that runs checks and their cases, and common fixtures.
//
//	type clockCheck kit.Check[*clockKit]
//
//	var clockChecks = []clockCheck{{"Now advances", clockAdvances}}
//
//	func ClockPort(t *testing.T, h ClockHarness) {
//		kit.Run(t, nil, clockChecks, func(t *testing.T) *clockKit { … })
//	}
package kit
