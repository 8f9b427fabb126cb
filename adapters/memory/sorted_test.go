package memory

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestSortedAgreesWithASlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set, model := newSorted(cmp.Compare[int]), []int{}
		// Runs of inserts and removals split blocks and empty them.
		for range rapid.IntRange(0, 30).Draw(t, "runs") {
			from := rapid.IntRange(0, 3000).Draw(t, "from")
			length := rapid.IntRange(1, 400).Draw(t, "length")
			add := rapid.Bool().Draw(t, "add")
			for v := from; v < from+length; v++ {
				at, found := slices.BinarySearch(model, v)
				switch {
				case add:
					set.insert(v)
					if !found {
						model = slices.Insert(model, at, v)
					}
				default:
					if set.remove(v) != found {
						t.Fatalf("remove(%d) = %t, want %t", v, !found, found)
					}
					if found {
						model = slices.Delete(model, at, at+1)
					}
				}
			}
			agree(t, set, model, rapid.IntRange(-1, 3500).Draw(t, "probe"))
		}
	})
}

func agree(t *rapid.T, set *sorted[int], model []int, probe int) {
	if got := slices.Collect(set.all()); !slices.Equal(got, model) {
		t.Fatalf("all() = %v, want %v", got, model)
	}
	at, _ := slices.BinarySearch(model, probe)
	if got := slices.Collect(set.from(probe)); !slices.Equal(got, model[at:]) {
		t.Fatalf("from(%d) = %v, want %v", probe, got, model[at:])
	}
	if set.empty() != (len(model) == 0) {
		t.Fatalf("empty() = %t with %d elements", set.empty(), len(model))
	}
	for _, b := range set.blocks {
		if len(b) == 0 || len(b) > maxBlock {
			t.Fatalf("a block of %d elements", len(b))
		}
	}
}

// A listing must not read elements outside its page.
func TestSortedSearchTakesFewSteps(t *testing.T) {
	const n = 100_000
	steps := 0
	set := newSorted(func(a, b int) int { steps++; return cmp.Compare(a, b) })
	for v := range n {
		set.insert(v)
	}
	for _, v := range []int{0, n / 3, n - 1, n} {
		steps = 0
		for range set.from(v) {
			break
		}
		if steps > 40 {
			t.Errorf("from(%d) of %d took %d comparisons", v, n, steps)
		}
	}
}
