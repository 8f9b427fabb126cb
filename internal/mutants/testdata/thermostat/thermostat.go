// Package thermostat is measured by the tests of mutants.
package thermostat

// Heats reports whether the heating is on.
func Heats(degrees int) bool { return degrees < 20 }

// Settled returns the degrees of a room without a heating.
func Settled(degrees int) int {
	for degrees > 18 {
		degrees--
	}
	return degrees
}

// Unit returns what the degrees are.
func Unit() string { return "degrees" + " Celsius" }
