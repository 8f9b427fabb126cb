package oracles_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/nyaruka/phonenumbers"

	"github.com/corridor-go/corridor/validation/market"
)

// plans are the countries with a numbering plan, and the blocks for which phonenumbers
// v1.8.1 is behind: its metadata is libphonenumber's 9.0.32, corridor's 9.0.35, which
// assigned these blocks (Kenya's 018x, 0144 and 0145, Zimbabwe's 0790 and 0791).
var plans = []struct {
	country, region, code string
	leads                 string // leading digits of mobile numbers
	laggards              map[string]bool
}{
	{"KEN", "KE", "254", "17", blocks("144", "145", "180", "181", "182", "183", "184", "185", "186", "187", "188", "189")},
	{"GHA", "GH", "233", "25", nil},
	{"ZWE", "ZW", "263", "7", blocks("790", "791")},
}

func blocks(leads ...string) map[string]bool {
	set := map[string]bool{}
	for _, lead := range leads {
		set[lead] = true
	}

	return set
}

// The numbers have every length around the right one and leading digits of every block of
// three: assigned and unassigned ones, fixed lines and other services.
func TestMobileNumbersAgreeWithPhonenumbers(t *testing.T) {
	chance := rand.New(rand.NewPCG(2026, 11))

	for _, plan := range plans {
		mobile, behind := 0, blocks()

		for range 100_000 {
			number := plan.code + national(chance, plan.leads)
			lead := (number + "000")[3:6]
			ours, theirs := acceptedByUs(plan.country, number), mobileForPeer(plan.region, number)

			switch {
			case ours && !theirs && plan.laggards[lead]:
				behind[lead] = true
			case ours != theirs:
				t.Fatalf("%s %s: ours %v, phonenumbers %v", plan.country, number, ours, theirs)
			case ours:
				mobile++
			}
		}

		if mobile < 10_000 {
			t.Errorf("%s: %d mobile numbers drawn, want at least 10,000", plan.country, mobile)
		}

		if len(behind) != len(plan.laggards) {
			t.Errorf("%s: behind on %v only; strike the others", plan.country, behind)
		}
	}
}

// national returns the number after a country code: half of them have the right length
// and a mobile block, the others 4 to 11 arbitrary digits.
func national(chance *rand.Rand, leads string) string {
	if chance.IntN(2) == 0 {
		return fmt.Sprintf("%c%08d", leads[chance.IntN(len(leads))], chance.IntN(1e8))
	}

	digits := make([]byte, 4+chance.IntN(8))
	for i := range digits {
		digits[i] = '0' + byte(chance.IntN(10))
	}

	return string(digits)
}

func acceptedByUs(country, number string) bool {
	canonical, ok := market.MSISDN(country, number)

	return ok && canonical == number
}

// mobileForPeer also requires the region and the same digits: phonenumbers removes a
// trunk prefix, but a payment must not guess.
func mobileForPeer(region, number string) bool {
	parsed, err := phonenumbers.Parse("+"+number, "")
	if err != nil || phonenumbers.Format(parsed, phonenumbers.E164) != "+"+number {
		return false
	}

	return phonenumbers.GetNumberType(parsed) == phonenumbers.MOBILE &&
		phonenumbers.GetRegionCodeForNumber(parsed) == region
}
