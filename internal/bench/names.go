package main

import (
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/corridor-go/corridor/validation/names"
)

// comparison is the longest time of a comparison of usual names.
const comparison = 20 * time.Microsecond

// namePairs are usual pairs; only the last pair names two people.
var namePairs = [][2]string{
	{"Ama Serwaa Mensah", "MENSAH AMA SERWAA"}, {"Ama Mensah", "MRS MENSAH, AMA SERWAA"}, {"Adéṣọlá Ọ̀pẹ́yẹmí", "ADESOLA OPEYEMI"},
	{"عبد الرحمن يوسف", "ABDELRAHMAN YOUSSEF"}, {"Acme Trading (Pty) Ltd.", "ACME TRADING PROPRIETARY LIMITED"},
	{"Chukwuemeka Okafor", "OKAFOR CHUKWEUMEKA"}, {"Salah El-Din Hassanein", "HASSANEIN SALAHUDDIN"},
	{"Oluwaseun Adebayo Chukwuemeka Nwachukwu", "OLUWASEYI ADEBOLA CHUKWUEBUKA NWANKWO"},
}

// nameRows compares the comparison of names with the plainest one that ignores order,
// case and accents.
func nameRows() []row {
	return []row{{
		name: "names: compare", reference: "decomposed, upper case, sorted words, same pairs",
		ours: namesOurs, ref: namesPlain, goal: within(12), allocs: 1,
	}}
}

func namesOurs(made *setup) step {
	for _, pair := range namePairs {
		const times = 2000
		start := time.Now()
		for range times {
			passed = names.Compare(pair[0], pair[1], names.Thresholds{}).Matches
		}
		if took := time.Since(start) / times; took > comparison {
			made.missf("≤ %v for %s, measured %v", comparison, pair[1], took)
		}
	}
	return func(n int) {
		for i := range n {
			pair := namePairs[i%len(namePairs)]
			passed = names.Compare(pair[0], pair[1], names.Thresholds{}).Matches
		}
	}
}

func namesPlain(*setup) step {
	words := func(name string) []string {
		found := strings.Fields(strings.ToUpper(norm.NFKD.String(name)))
		slices.Sort(found)
		return found
	}
	return func(n int) {
		for i := range n {
			pair := namePairs[i%len(namePairs)]
			passed = slices.Equal(words(pair[0]), words(pair[1]))
		}
	}
}
