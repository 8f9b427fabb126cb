package market_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation/market"
)

func TestMerchantIDMustBeAUUID(t *testing.T) {
	for id, ok := range map[string]bool{
		aMerchant: true, strings.ToUpper(aMerchant): true, "00000000-0000-0000-0000-000000000000": true,
		"": false, aMerchant[1:]: false, aMerchant + "0": false, "{" + aMerchant + "}": false,
		strings.ReplaceAll(aMerchant, "-", ""):          false,
		strings.Replace(aMerchant, "f", "g", 1):         false,
		strings.Replace(aMerchant, "f", "G", 1):         false,
		strings.Replace(aMerchant, "-", "0", 1):         false,
		"7f9c24e83b12-4fef-91e0-56a2-d7c8b9a0-000":      false,
		"urn:uuid:" + aMerchant:                         false,
		strings.Replace(aMerchant, "7", "\uff17", 1):    false,
		aMerchant[:35] + " ":                            false,
		strings.Replace(aMerchant, "e8-3b", "-e83b", 1): false,
	} {
		req := good("EGY", ports.BankAccount, anIdentifier["EGY"], "")
		req.MerchantID = id
		_, err := market.Check(req)
		if ok {
			require.NoError(t, err, id)
			continue
		}
		require.Equal(t, []string{"merchantId"}, badFields(t, err, errcodes.InvalidRequest), id)
	}
}

func TestHolderNameMustHaveALetterAndNoControlCharacters(t *testing.T) {
	for _, c := range []struct {
		name, text string
		ok         bool
	}{
		{"none", "", true},
		{"Latin", "Ngozi Okonjo-Iweala", true},
		{"Arabic, with a mark of direction", "\u200fمحمد صلاح", true},
		{"one letter", "X", true},
		{"256 characters of two bytes", strings.Repeat("é", 256), true},
		{"257 characters", strings.Repeat("a", 257), false},
		{"10,000 characters", strings.Repeat("a", 10_000), false},
		{"10,000 characters of four bytes", strings.Repeat("𝒜", 10_000), false},
		{"NUL", "Ngozi\x00", false},
		{"a line break", "Ngozi\nOkonjo", false},
		{"a C1 control", "Ngozi\u0085", false},
		{"invalid UTF-8", "Ngozi\xff", false},
		{"digits only", "12345", false},
		{"blank", "   ", false},
		{"emoji", "🙂", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			req := good("EGY", ports.BankAccount, anIdentifier["EGY"], "")
			req.AccountHolderName = c.text
			_, err := market.Check(req)
			if c.ok {
				require.NoError(t, err)
				return
			}
			require.Equal(t, []string{"accountHolderName"}, badFields(t, err, errcodes.InvalidRequest))
		})
	}
}

// hostile are identifiers that are not valid in any market.
var hostile = map[string]string{
	"NUL":                  "25471234\x005678",
	"line break":           "254712345678\n",
	"delete":               "254712345678\x7f",
	"mark of direction":    "\u200f254712345678",
	"override":             "254\u202e712345678",
	"Arabic-Indic digits":  "٢٥٤٧١٢٣٤٥٦٧٨",
	"full-width digits":    "２５４７１２３４５６７８",
	"no-break space":       "254\u00a0712345678",
	"emoji":                "🙂🙂🙂🙂🙂🙂🙂",
	"invalid UTF-8":        "254712345678\xff",
	"10,000 digits":        strings.Repeat("1", 10_000),
	"10,000 Arabic digits": strings.Repeat("٢", 10_000),
	"65 characters":        strings.Repeat("1", 65),
	"65 spaces":            strings.Repeat(" ", 65),
	"a space":              " ",
	"missing":              "",
}

func TestHostileIdentifiersAreMalformedEverywhere(t *testing.T) {
	markets := []ports.Market{{Country: "UGA", Type: ports.BankAccount}, {Country: "NGA", Type: ports.MobileMoney}}
	for _, rule := range market.Rules() {
		markets = append(markets, rule.Market)
	}
	for name, text := range hostile {
		for _, m := range markets {
			found, err := market.Check(good(m.Country, m.Type, text, aBank[m.Country]))
			require.Equal(t, []string{"accountIdentifier"}, badFields(t, err, errcodes.InvalidRequest), "%s in %s", name, m)
			require.Zero(t, found)
		}
	}
}

func TestUnsupportedMarketsDoNotCheckTheIdentifier(t *testing.T) {
	for _, text := range []string{"1", "no account", "EG38", "+", strings.Repeat("z", 64)} {
		_, err := market.Check(good("UGA", ports.BankAccount, text, "x"))
		require.Equal(t, []string{"country"}, badFields(t, err, errcodes.Unprocessable))
	}
}

// Errors and log lines contain nothing from the request.
func TestErrorsAndLogsContainNothingFromTheRequest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[A-Z]{3}[0-9]{5,12}[x-z]{3}`).Draw(t, "secret")
		fields := [6]string{aMerchant, "NGA", "bank_account", "1234567895", "044", ""}
		fields[rapid.IntRange(0, 5).Draw(t, "field")] = secret
		req := market.Request{
			MerchantID: fields[0], Country: fields[1], AccountType: fields[2],
			AccountIdentifier: fields[3], BankCode: fields[4], AccountHolderName: fields[5],
			Identity: ports.Identity{Number: "QQ112233"},
		}
		found, err := market.Check(req)
		shown := logged(req) + logged(found) + fmt.Sprintf("%v %+v %s %v %+v", req, req, req, found, found)
		if err != nil {
			var details errcodes.FieldDetails
			require.ErrorAs(t, err, &details)
			shown += err.Error() + errcodes.MessageOf(err) + fmt.Sprint(details.Fields)
		}
		for _, text := range []string{secret, "1234567895", "123456", "QQ112233"} {
			require.NotContains(t, shown, text)
		}
	})
}

func logged(value any) string {
	var out bytes.Buffer
	slog.New(slog.NewJSONHandler(&out, nil)).Info("checked", "value", value)
	slog.New(slog.NewTextHandler(&out, nil)).Info("checked", "value", value)
	return out.String()
}

func TestFindingShowsItsMarketAndVerdict(t *testing.T) {
	found, err := market.Check(good("NGA", ports.BankAccount, "1234567895", "044"))
	require.NoError(t, err)
	require.Equal(t, "NGA bank_account 044 ****7895 check_digit_passed", found.String())
	require.Contains(t, logged(found), found.String())
}

func TestRequestShowsItsMarketOnly(t *testing.T) {
	require.Equal(t, "NGA bank_account", good("NGA", ports.BankAccount, "1234567895", "044").String())
	require.Equal(t, "unsupported market", good("UGA", ports.BankAccount, "1234567895", "044").String())
	require.Equal(t, "unsupported market", good("1234567895", "1234567895", "", "").String())
}
