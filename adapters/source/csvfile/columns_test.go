package csvfile_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/source/csvfile"
	"github.com/corridor-go/corridor/errcodes"
)

// paidIn describes the two columns of M-Pesa's statements.
func paidIn(c *csvfile.Config) {
	c.Amount, c.CreditAmount, c.DebitAmount = "", "Paid In", "Withdrawn"
}

func TestCreditsAndDebitsInTwoColumns(t *testing.T) {
	point := func(c *csvfile.Config) { paidIn(c); c.Thousands = "," }
	comma := func(c *csvfile.Config) { paidIn(c); c.DecimalComma = true }
	minor := func(c *csvfile.Config) { paidIn(c); c.MinorUnits = true }
	const (
		both    = `both "Paid In" and "Withdrawn" have an amount`
		neither = `neither "Paid In" nor "Withdrawn" has an amount`
	)
	for _, c := range []struct {
		name, in, out string
		change        func(c *csvfile.Config)
		want          int64
		bad           string
	}{
		{"paid in", "12.50", "", paidIn, 1250, ""},
		{"withdrawn", "", "12.50", paidIn, -1250, ""},
		{"withdrawn with a minus", "", "-12.50", paidIn, -1250, ""},
		{"withdrawn with a trailing minus", "", "12.50-", paidIn, -1250, ""},
		{"withdrawn in parentheses", "", "(12.50)", paidIn, -1250, ""},
		{"withdrawn with DR", "", "12.50 DR", paidIn, -1250, ""},
		{"paid in with a plus", "+12.50", "", paidIn, 1250, ""},
		{"paid in with CR", "12.50 Cr", "", paidIn, 1250, ""},
		{"zero in the other column", "12.50", "0.00", paidIn, 1250, ""},
		{"zero in the first column", "0", "-12.50", paidIn, -1250, ""},
		{"a negative zero in the other column", "12.50", "-0.00", paidIn, 1250, ""},
		{"a dash in the other column", " - ", "12.50", paidIn, -1250, ""},
		{"thousands", "", `"-1,234.50"`, point, -123450, ""},
		{"decimal comma", "", `"12,50"`, comma, -1250, ""},
		{"minor units", "", "1250", minor, -1250, ""},
		{"the largest debit", "", "92233720368547758.07", paidIn, -9223372036854775807, ""},
		{"in both columns", "12.50", "12.50", paidIn, 0, both},
		{"in both columns, one negative", "12.50", "-3", paidIn, 0, both},
		{"in no column", "", "", paidIn, 0, neither},
		{"zero in both columns", "0.00", "0.00", paidIn, 0, neither},
		{"zero and empty", "", "0.00", paidIn, 0, neither},
		{"an en dash in the other column", "–", "12.50", paidIn, -1250, ""},
		{"an em dash in the other column", "12.50", " — ", paidIn, 1250, ""},
		{"dashes", "-", "-", paidIn, 0, neither},
		{"a negative credit", "-12.50", "", paidIn, 0, `the amount in "Paid In" has the other direction's sign`},
		{"a credit with DR", "12.50 DR", "", paidIn, 0, `the amount in "Paid In" has the other direction's sign`},
		{"a debit with a plus", "", "+12.50", paidIn, 0, `the amount in "Withdrawn" has the other direction's sign`},
		{"a debit with CR", "", "12.50 CR", paidIn, 0, `the amount in "Withdrawn" has the other direction's sign`},
		{"words among the credits", "none", "12.50", paidIn, 0, "the amount is not a number"},
		{"words among the debits", "12.50", "n/a", paidIn, 0, "the amount is not a number"},
		{"too many decimals", "", "12.505", paidIn, 0, "the amount has more decimals than the currency"},
		{"too large", "92233720368547758.08", "", paidIn, 0, "the amount is too large"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := "Receipt No.,Completion Time,Paid In,Withdrawn,Balance\nRK1,2026-11-20T01:00:00Z," + c.in + "," + c.out + ",900.00\n"
			got := lines(t, open(t, text, func(f *csvfile.Config) {
				c.change(f)
				f.Reference, f.SettledAt, f.Currency, f.FixedCurrency = "Receipt No.", "Completion Time", "", "KES"
			}))
			require.Len(t, got, 1)
			require.Equal(t, c.bad, got[0].Bad)
			require.Equal(t, c.want, got[0].Amount)
			require.False(t, got[0].HasAmount, "the amount is the reason why the line is bad")
			require.Equal(t, "RK1", got[0].Reference)
		})
	}
}

func TestTwoColumnsByPosition(t *testing.T) {
	by := func(c *csvfile.Config) {
		c.NoHeader, c.Delimiter = true, ","
		c.Amount, c.CreditAmount, c.DebitAmount = "", "#4", "#5"
		c.Reference, c.SettledAt, c.Currency, c.FixedCurrency = "#1", "#2", "", "UGX"
	}
	got := lines(t, open(t, "A,2026-11-20T01:00:00Z,x,5\nB,2026-11-20T01:00:00Z,x,,500\nC,2026-11-20T01:00:00Z,x,,\n", by))
	require.Equal(t, "1 !too few fields for the configured columns | 2 B | 3 !neither \"#4\" nor \"#5\" has an amount", brief(got))
	require.Equal(t, int64(-500), got[1].Amount)
}

// A whole statement: its preamble, both columns, and a total whose first cell is quoted.
func TestAStatementWithTwoColumns(t *testing.T) {
	const text = `"ORGANIZATION STATEMENT"
"Short Code:","600123"
"Receipt No.","Completion Time","Details","Paid In","Withdrawn","Balance"
"TJ60X","01-10-2026 09:00:00","Pay Bill from 2547****678, ACME","1,234.50","","5,684.50"
"TJ61X","02-10-2026 09:00:00","Reversal of TJ60X","","-234.50","5,450.00"
"TJ62X","02-10-2026 09:05:00","Charge","0.00","15.00","5,435.00"
"Total","","","1,234.50","-249.50",""
`
	got := lines(t, open(t, text, func(c *csvfile.Config) {
		paidIn(c)
		c.Reference, c.SettledAt, c.Currency, c.FixedCurrency = "receipt no.", "completion time", "", "KES"
		c.TimeLayouts, c.Zone, c.Thousands = []string{"02-01-2006 15:04:05"}, "Africa/Nairobi", ","
		c.SkipLines, c.SkipPrefixes = 2, []string{"Total"}
	}))
	require.Equal(t, "4 TJ60X | 5 TJ61X | 6 TJ62X", brief(got))
	require.Equal(t, []int64{123450, -23450, -1500}, []int64{got[0].Amount, got[1].Amount, got[2].Amount})
}

func TestCreditsAndDebitsAreInDifferentColumns(t *testing.T) {
	const text = "Ref,Time,Paid In,Withdrawn\nA,2026-10-01T00:00:00Z,12.50,\n"
	for _, debit := range []string{"#3", "#03"} {
		_, err := read(t, open(t, text, func(c *csvfile.Config) {
			c.Reference, c.SettledAt, c.Amount, c.Currency, c.FixedCurrency = "Ref", "Time", "", "", "KES"
			c.CreditAmount, c.DebitAmount = "Paid In", debit
		}), always)
		require.Equal(t, errcodes.Unprocessable, errcodes.Of(err))
		require.ErrorContains(t, err, `"Paid In" and "`+debit+`" are the same column`)
	}
}
