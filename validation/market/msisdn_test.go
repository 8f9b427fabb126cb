package market_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation/market"
)

// mobilePatterns are the patterns of libphonenumber, release 9.0.35.
var mobilePatterns = map[string]*regexp.Regexp{
	"254": regexp.MustCompile(`^(?:1(?:0[0-8]|[18]\d|2[014]|30|4[0-5])|7\d\d)\d{6}$`),
	"233": regexp.MustCompile(`^(?:2(?:[0346-9]\d|5[67])|5(?:[03-7]\d|9[1-9]))\d{6}$`),
	"263": regexp.MustCompile(`^7(?:[1278]\d|3[1-9]|9[01])\d{6}$`),
}

var callingCodes = map[string]string{"KEN": "254", "GHA": "233", "ZWE": "263"}

// The test covers every block of every plan, assigned or not.
func TestPlansMatchTheMetadata(t *testing.T) {
	for country, code := range callingCodes {
		given := 0
		for lead := range 1000 {
			national := fmt.Sprintf("%03d%06d", lead, lead*997)
			want := mobilePatterns[code].MatchString(national)
			canonical, ok := market.MSISDN(country, code+national)
			require.Equal(t, want, ok, "%s %s", code, national)
			if ok {
				given++
				require.Equal(t, code+national, canonical)
			}
		}
		require.NotZero(t, given)
	}
}

func TestMSISDNAcceptsOnePlus(t *testing.T) {
	const number = "254712345678"
	for _, text := range []string{number, "+" + number, "+254 712 345 678", " 254712345678 ", "+ 254712345678"} {
		canonical, ok := market.MSISDN("KEN", text)
		require.True(t, ok, text)
		require.Equal(t, number, canonical)
	}
	for _, text := range []string{
		"", "+", "++" + number, number + "+", "00" + number, "0712345678", "712345678", "254-712-345-678",
		"(254)712345678", "25471234567", "2547123456789", "25471234567a", "254\t712345678", "tel:+" + number,
		"255712345678", "233712345678", "712345678254",
	} {
		_, ok := market.MSISDN("KEN", text)
		require.False(t, ok, text)
	}
	for _, country := range []string{"", "ken", "KE", "NGA", "GHA"} {
		_, ok := market.MSISDN(country, number)
		require.False(t, ok, country)
	}
}

// A wrong form and an unassigned block have the same error.
func TestNumbersThatAreNotMobileAreMalformed(t *testing.T) {
	for _, text := range []string{"254812345678", "254202345678", "25471234567", "254146123456"} {
		for range 2 {
			_, err := market.Check(good("KEN", ports.MobileMoney, text, ""))
			require.Equal(t, []string{"accountIdentifier"}, badFields(t, err, errcodes.InvalidRequest))
		}
	}
}
