package market_test

import (
	"fmt"
	"math/big"
	"strings"

	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/ports"
)

// drawIdentifier returns an identifier of the market, usually a well-formed one.
func drawIdentifier(t *rapid.T, m ports.Market) string {
	if rapid.IntRange(0, 9).Draw(t, "ill-formed") == 0 {
		return rapid.StringMatching(`[A-Z0-9]{1,30}`).Draw(t, "identifier")
	}
	switch m {
	case ports.Market{Country: "EGY", Type: ports.BankAccount}:
		return drawIBAN(t)
	case ports.Market{Country: "KEN", Type: ports.MobileMoney}:
		return rapid.StringMatching(`254(7[0-9]|1[0148])[0-9]{7}`).Draw(t, "msisdn")
	case ports.Market{Country: "GHA", Type: ports.MobileMoney}:
		return rapid.StringMatching(`233[25][0-9]{8}`).Draw(t, "msisdn")
	case ports.Market{Country: "ZWE", Type: ports.InstitutionWallet}:
		return rapid.StringMatching(`2637[0-9]{8}|[A-Za-z0-9._-]{4,40}`).Draw(t, "wallet")
	default:
		return rapid.StringMatching(`[0-9]{10}|[0-9]{6,16}`).Draw(t, "number")
	}
}

// drawIBAN builds an IBAN as the registry defines it: 98 − (BBAN ‖ EG00 mod 97).
func drawIBAN(t *rapid.T) string {
	bban := rapid.StringMatching(`[0-9]{25}`).Draw(t, "bban")
	n, _ := new(big.Int).SetString(bban+"141600", 10)
	return fmt.Sprintf("EG%02d%s", 98-new(big.Int).Mod(n, big.NewInt(97)).Int64(), bban)
}

func drawBankCode(t *rapid.T, m ports.Market) string {
	if m.Type != ports.BankAccount {
		return ""
	}
	return rapid.StringMatching(map[string]string{
		"ZAF": `470010|632005|250655|[0-9]{6}`, "NGA": `044|058|000014|[0-9]{3}|9?[0-9]{5}`, "EGY": ``,
		"GHA": `040|[0-9]{3}`, "KEN": `68|0068|68000|[0-9]{2}|[0-9]{5}`,
	}[m.Country]).Draw(t, "bank code")
}

// respell rewrites an identifier in ways that people write it and the market accepts.
func respell(t *rapid.T, m ports.Market, id string) string {
	isNumber := strings.Trim(id, "0123456789") == ""
	if m.Type == ports.InstitutionWallet && (!isNumber || !strings.HasPrefix(id, "2637")) || len(id) > 40 {
		return id
	}
	if m.Country == "EGY" && rapid.Bool().Draw(t, "lower") {
		id = strings.ToLower(id)
	}
	if m.Type != ports.BankAccount && len(id) == 12 && isNumber && rapid.Bool().Draw(t, "plus") {
		id = "+" + id
	}
	var out strings.Builder
	for _, c := range id {
		if out.Len() < 50 && rapid.IntRange(0, 3).Draw(t, "space") == 0 {
			out.WriteByte(' ')
		}
		out.WriteRune(c)
	}
	return out.String()
}
