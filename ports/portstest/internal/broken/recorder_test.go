package broken_test

import (
	"slices"
	"testing"

	"github.com/corridor-go/corridor/ports/portstest/internal/broken"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// A failed case fails its check, and no later case runs.
func TestAFailedCaseFailsTheCheck(t *testing.T) {
	var ran []string
	r := broken.Record(t, func(tb testing.TB) {
		k := &kit.Kit{TB: tb}
		for _, name := range []string{"first", "second", "third"} {
			k.Case(name, func() {
				k.Cleanup(func() { ran = append(ran, "cleaned up after "+name) })
				ran = append(ran, name)
				k.Same(name, "first", "the name")
			})
		}
		if k.TB != tb {
			t.Error("after its cases, the kit's TB is not the check's")
		}
	})
	want := []string{"first", "cleaned up after first", "second", "cleaned up after second"}
	if !r.Failed() || r.Skipped() || !slices.Equal(ran, want) {
		t.Errorf("failed %t, skipped %t, ran %q\n%s", r.Failed(), r.Skipped(), ran, r.Text())
	}
}

// A skipped case does not skip or fail the check.
func TestASkippedCaseSkipsNoCheck(t *testing.T) {
	r := broken.Record(t, func(tb testing.TB) {
		k := &kit.Kit{TB: tb}
		k.Case("skipped", func() { k.Need(false, "such thing") })
	})
	if r.Failed() || r.Skipped() {
		t.Errorf("failed %t, skipped %t", r.Failed(), r.Skipped())
	}
}

// Case names stay distinct although package testing replaces spaces with "_".
func TestNamesOfCasesDiffer(t *testing.T) {
	seen := map[string]bool{kit.Name([]byte(nil)): true}
	for _, text := range append([]string{"_acme", "acme_"}, kit.Distinct...) {
		name := kit.Name(text)
		if seen[name] {
			t.Errorf("%s is the name of two cases", name)
		}
		seen[name] = true
	}
}
