package market

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/ports/banks"
)

// The rows are invented, because the real ones are licensed.
var madeUpRows = []cdvRule{
	{firstBranch: "100000", lastBranch: "199999", accountType: "current", modulus: 10, weights: [11]int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
	{firstBranch: "100000", lastBranch: "149999", accountType: "savings", modulus: 11, fudge: 3, weights: [11]int{11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}},
	{firstBranch: "200000", lastBranch: "200000", modulus: 10, weights: [11]int{1}, exception: "a"},
	{firstBranch: "200000", lastBranch: "200000", modulus: 10, weights: [11]int{10: 1}},
	{firstBranch: "300000", lastBranch: "300000"},
	{firstBranch: "400000", lastBranch: "400000", modulus: 2, weights: [11]int{10: 1}},
}

func TestCheckDigitVerificationWithInventedRows(t *testing.T) {
	for _, c := range []struct {
		name, branch, number string
		want                 Verdict
	}{
		{"the sum is a multiple", "150000", "55", CheckDigitPassed},
		{"the sum is not a multiple", "150000", "56", CheckDigitFailed},
		{"the branch is after the range", "200001", "56", WellFormed},
		{"the first of the range", "100000", "19", CheckDigitPassed},
		{"the last of the range", "199999", "18", CheckDigitFailed},
		{"one account type fits: 2·2 + 4·1 + 3 is 11", "120000", "24", CheckDigitPassed},
		{"no account type fits", "120000", "25", CheckDigitFailed},
		{"eleven digits", "150000", "11111111111", CheckDigitFailed},
		{"eleven digits that fit", "150000", "11111111110", CheckDigitPassed},
		{"more digits than weights", "150000", "111111111111", WellFormed},
		{"an unknown exception could allow it", "200000", "11", WellFormed},
		{"another row than the exception fits", "200000", "10", CheckDigitPassed},
		{"a row without a modulus", "300000", "10", WellFormed},
		{"the smallest modulus", "400000", "10", CheckDigitPassed},
		{"the smallest modulus, odd", "400000", "11", CheckDigitFailed},
	} {
		require.Equal(t, c.want, checkDigitVerification(madeUpRows, c.branch, c.number), c.name)
	}
}

func TestTheShippedTableIsEmpty(t *testing.T) {
	require.Empty(t, cdvTable)
	require.Equal(t, WellFormed, checkDigitVerification(cdvTable, "051001", "10004291601"))
}

// The directory's flag decides even if the check digit could be computed.
func TestPhoneAccountsAreNotCheckedWithACentralBankCode(t *testing.T) {
	for phones, want := range map[bool]Verdict{true: WellFormed, false: CheckDigitFailed} {
		bank := bankRef{Bank: banks.Bank{Code: "950547", PhoneAccounts: phones}, known: true, given: "950547"}
		found, problem := nigerianAccount("0000214578", bank)
		require.Empty(t, problem)
		require.Equal(t, want, found.Verdict)
		require.Equal(t, phones, found.Reason == "")
	}
}
