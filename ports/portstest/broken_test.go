package portstest_test

import (
	"slices"
	"testing"

	"github.com/corridor-go/corridor/ports/portstest"
)

func TestEveryCheckHasAFlaw(t *testing.T) {
	caught := map[string][]string{}
	for _, s := range sinkFlaws {
		caught["EventSink"] = append(caught["EventSink"], s.check)
	}
	for _, s := range clockFlaws {
		caught["Clock"] = append(caught["Clock"], s.check)
	}
	for _, s := range sealerFlaws {
		caught["Sealer"] = append(caught["Sealer"], s.check)
	}
	for suite, covered := range caught {
		checks := portstest.CheckNames(suite)
		for _, check := range checks {
			if !slices.Contains(covered, check) {
				t.Errorf("%s: no flaw shows that the check %q can fail", suite, check)
			}
		}
		slices.Sort(checks)
		if len(slices.Compact(checks)) != len(portstest.CheckNames(suite)) {
			t.Errorf("%s has two checks with the same name", suite)
		}
	}
}
