package thermostat

import "testing"

func TestThermostat(t *testing.T) {
	if !Heats(10) || Heats(30) || Settled(21) != 18 || Unit() != "degrees Celsius" {
		t.Fatal("the thermostat is broken")
	}
}
