package names_test

import (
	"fmt"

	"github.com/corridor-go/corridor/validation/names"
)

func Example() {
	got := names.Compare("Ama Mensah", "MRS. MENSAH, AMA SERWAA", names.Thresholds{})
	fmt.Println(got.Matches, got.Rule, got.Score)

	for _, rule := range names.Rules() {
		if rule.ID == got.Rule {
			fmt.Println(rule.Meaning)
		}
	}
	// Output:
	// true missing 94
	// One side lacks a name, other than the first, that the other has.
}
