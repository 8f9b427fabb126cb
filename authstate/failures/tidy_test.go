package failures_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
)

const letters = "abcdefghijklmnopqrstuvwxyz"

func TestCodesAreComparedWithoutCaseAndBlanks(t *testing.T) {
	for name, c := range map[string]struct {
		row, code string
		same      bool
	}{
		"letters in upper case":         {letters, "ABCDEFGHIJKLMNOPQRSTUVWXYZ", true},
		"letters in lower case":         {"ABCDEFGHIJKLMNOPQRSTUVWXYZ", letters, true},
		"the byte before the letters":   {"a@", "a`", false},
		"the byte after the letters":    {"a[", "a{", false},
		"letters that are not ASCII":    {"é", "É", false},
		"each kind of blank":            {"a b c d e f g h", "a\tb\nc\vd\fe\rf g+h", true},
		"runs of blanks":                {"a b", " \t a +\r\n+ b ++", true},
		"a blank and no blank":          {"ab", "a b", false},
		"the byte before the blanks":    {"a b", "a\x08b", false},
		"the byte after the blanks":     {"a b", "a\x0eb", false},
		"NUL is not a blank":            {"a", "a\x00", false},
		"a blank that is not ASCII":     {"a b", "a\u00a0b", false},
		"bytes that are not UTF-8":      {"a\xff", "A\xff", true},
		"bytes that differ":             {"a\xff", "a\xfe", false},
		"zeros within a text":           {"a01", "a1", false},
		"zeros before a point":          {"0.1", ".1", false},
		"digits that are not ASCII":     {"٠١", "١", false},
		"a negative number":             {"-01", "-1", false},
		"a lost zero between blanks":    {"01", " 1 ", true},
		"a code before a colon":         {"ab", " AB+: text", true},
		"a code after a colon":          {"ab", "text: ab", false},
		"a code with blanks, and colon": {"a b", "A+B:text: more", true},
	} {
		n := normaliser(t, overrides(own, row(c.row, "", fraud)))
		r, err := n.Normalise(payin(own, c.code, ""))
		require.NoError(t, err)
		assert.Equal(t, c.same, r.MatchedBy == failures.MatchOverride, name)
	}
}

// The 00 of a time such as "00:05:12" must not be read as a success.
func TestThePartBeforeAColonIsNotACodeIfADigitFollows(t *testing.T) {
	n := normaliser(t, nil)
	for _, text := range []string{"00:05:12 session expired", "00:15", "51:49 in favour", "51:9", "51:0", ": 51", ":51", "51"} {
		for _, in := range []failures.Input{payin(failures.ISO8583, "unheard of "+text, ""), payin(failures.ISO8583, "", text)} {
			r, err := n.Normalise(in)
			require.NoError(t, err)
			assert.Equal(t, text == "51" && in.Code == "", r.MatchedBy != failures.MatchFallback, "%q", text)
		}
	}
	for _, text := range []string{"51:no funds", "51 :no", "51: 3 tries", "51:"} {
		r, err := n.Normalise(payin(failures.ISO8583, text, ""))
		require.NoError(t, err)
		assert.Equal(t, errcodes.FailurePayinInsufficientFunds, r.Code, text)
	}
}

func TestTheZerosOfATextOfDigitsAreSignificant(t *testing.T) {
	n := normaliser(t, overrides(own, row("1", "00", fraud), row("1", "", declined), row("^2", "007", fraud)))
	for message, want := range map[string]errcodes.TransactionCode{
		"error 00": errcodes.FailureFraudBlocked, "00": errcodes.FailureFraudBlocked, "100": errcodes.FailureFraudBlocked,
		"10 USD": errcodes.FailureDeclined, "0": errcodes.FailureDeclined, "": errcodes.FailureDeclined,
	} {
		r, err := n.Normalise(payin(own, "1", message))
		require.NoError(t, err)
		assert.Equal(t, want, r.Code, message)
	}
	r, err := n.Normalise(payin(own, "2", "17 days"))
	require.NoError(t, err)
	assert.Equal(t, failures.MatchFallback, r.MatchedBy)
	r, err = n.Normalise(payin(own, "2", "007"))
	require.NoError(t, err)
	assert.Equal(t, failures.MatchOverride, r.MatchedBy)
}
