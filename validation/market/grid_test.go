package market_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation/market"
)

// shapes are forms of bank codes in the grid, derived from a valid one of the market.
var shapes = map[string]func(good string) string{
	"good":       func(code string) string { return code },
	"missing":    func(string) string { return "" },
	"short":      func(code string) string { return code[1:] },
	"long":       func(code string) string { return code + "0000" },
	"letters":    func(code string) string { return code[:len(code)-1] + "O" },
	"full-width": fullWidth,
	"blank-bef":  func(code string) string { return " " + code },
	"blank-aft":  func(code string) string { return code + " " },
}

func fullWidth(code string) string {
	return strings.Map(func(r rune) rune { return r - '0' + '\uff10' }, code)
}

// gridIdentifier returns a valid identifier in supported markets, else any number.
func gridIdentifier(country, accountType string) string {
	numbers := map[string]string{
		"KEN mobile_money": "254712345678", "GHA mobile_money": "233241234567", "ZWE institution_wallet": "263771234567",
	}
	for c, number := range anIdentifier {
		numbers[c+" "+string(ports.BankAccount)] = number
	}
	if number, ok := numbers[country+" "+accountType]; ok {
		return number
	}
	return "1234567890"
}

// cellOf returns an outcome in the form of the grid.
func cellOf(err error) string {
	if err == nil {
		return "ok"
	}
	var details errcodes.FieldDetails
	if !errors.As(err, &details) {
		return err.Error()
	}
	var letters strings.Builder
	for _, f := range details.Fields {
		letters.WriteString(map[string]string{"country": "C", "accountType": "T", "bankCode": "B"}[f.Name])
	}
	return fmt.Sprintf("%d:%s", errcodes.StatusOf(err), letters.String())
}

func TestEachMarketAndBankCodeFormHasItsOutcome(t *testing.T) {
	data, err := os.ReadFile("testdata/grid.txt")
	require.NoError(t, err)
	var head []string
	seen := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Fields(line)
		if head == nil {
			head = cells
			continue
		}
		require.Len(t, cells, len(head))
		country, accountType := strings.Trim(cells[0], "-"), strings.Trim(cells[1], "-")
		for i := 2; i < len(cells); i++ {
			seen[cells[0]+" "+cells[1]+" "+head[i]] = true
			checkCell(t, country, accountType, head[i], cells[i])
		}
	}
	require.Len(t, seen, 10*5*len(shapes), "every country with every type and shape, once")
}

func checkCell(t *testing.T, country, accountType, shape, want string) {
	t.Helper()
	code := aBank[country]
	if code == "" {
		code = "044"
	}
	req := good(country, ports.AccountType(accountType), gridIdentifier(country, accountType), shapes[shape](code))
	found, err := market.Check(req)
	require.Equal(t, want, cellOf(err), "%s %s, %s", country, accountType, shape)
	if err != nil {
		require.Zero(t, found)
		return
	}
	require.Equal(t, ports.Market{Country: country, Type: ports.AccountType(accountType)}, found.Account.Market)
	require.Equal(t, req.AccountIdentifier, found.Account.Identifier)
	if accountType == "bank_account" {
		require.Equal(t, aBank[country], found.Account.BankCode)
	} else {
		require.Empty(t, found.Account.BankCode)
	}
}
