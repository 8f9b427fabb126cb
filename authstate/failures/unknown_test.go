package failures_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
)

func TestAResultSaysWhetherTheCodeWasKnown(t *testing.T) {
	n := normaliser(t, overrides(own, row("1", "", declined)))
	for name, c := range map[string]struct {
		in    failures.Input
		known bool
	}{
		"a failure":           {payin(failures.MpesaDaraja, "1032", ""), true},
		"a success":           {payin(failures.MpesaDaraja, "0", ""), true},
		"pending":             {payin(failures.Paystack, "processing", ""), true},
		"a text":              {payin(failures.Stripe, "", "Expired_card"), true},
		"a code of the base":  {payin(failures.Paystack, "51", ""), true},
		"a family":            {payin(failures.OPPWA, "800.100.999", ""), true},
		"an embedder's row":   {payin(own, "1", ""), true},
		"an unknown code":     {payin(failures.Stripe, "fell_into_the_sea", ""), false},
		"an unknown text":     {payin(failures.Stripe, "", "It fell into the sea."), false},
		"neither":             {payin(failures.Stripe, "", ""), false},
		"an unknown own code": {payin(own, "2", ""), false},
	} {
		r, err := n.Normalise(c.in)
		require.NoError(t, err, name)
		assert.Equal(t, c.known, r.Known(), name)
	}
	r, err := n.Normalise(failures.Input{Scheme: "carrier-pigeon", Direction: errcodes.Payin, Code: "0"})
	require.Error(t, err)
	assert.False(t, r.Known())
	assert.False(t, failures.Result{}.Known())
}

func TestANumberWithAFractionOfZerosIsItsInteger(t *testing.T) {
	n := normaliser(t, nil)
	for name, c := range map[string]struct {
		scheme       failures.Scheme
		code, as     string
		known, bases bool
	}{
		"a success of a relay in Java":         {failures.MpesaDaraja, "0.0", "0", true, false},
		"a failure of a relay in Java":         {failures.MpesaDaraja, "1032.0", "1032", true, false},
		"several zeros":                        {failures.MpesaDaraja, "1032.000", "1032", true, false},
		"blanks around it":                     {failures.MpesaDaraja, " 1032.0\n", "1032", true, false},
		"leading zeros count":                  {failures.ISO8583of1993, "001.0", "001", true, false},
		"leading zeros of two digits":          {failures.ISO8583, "01.0", "01", true, false},
		"a zero lost before the point":         {failures.ISO8583, "5.0", "05", true, false},
		"a code of the base":                   {failures.Paystack, "51.0", "51", true, true},
		"a fraction that is not zero":          {failures.MpesaDaraja, "0.5", "", false, false},
		"an exponent":                          {failures.MpesaDaraja, "1.032e3", "", false, false},
		"a point without a fraction":           {failures.MpesaDaraja, "0.", "", false, false},
		"a fraction without a number":          {failures.MpesaDaraja, ".0", "", false, false},
		"two points":                           {failures.MpesaDaraja, "0.0.0", "", false, false},
		"a code of three groups":               {failures.OPPWA, "000.000.000", "000.000.000", true, false},
		"a number that is no code":             {failures.MpesaDaraja, "77777.0", "", false, false},
		"another list's success without zeros": {failures.ISO8583of1993, "5.0", "", false, false},
	} {
		r, err := n.Normalise(payin(c.scheme, c.code, ""))
		require.NoError(t, err, name)
		require.Equal(t, c.known, r.Known(), name)
		require.Equal(t, c.code, r.Raw.Code, name)
		if !c.known {
			continue
		}
		want, err := n.Normalise(payin(c.scheme, c.as, ""))
		require.NoError(t, err, name)
		assert.Equal(t, string(want.Outcome+" ")+string(want.Code), string(r.Outcome+" ")+string(r.Code), name)
		if c.code != c.as && !c.bases {
			assert.Equal(t, failures.MatchNormalised, r.MatchedBy, name)
		}
	}
	r, err := n.Normalise(payin(failures.MpesaDaraja, "", "0.0"))
	require.NoError(t, err)
	assert.False(t, r.Known(), "a message is not a number")
}

// A relay may decode the code as a floating-point number, whatever the code is.
func TestEveryNumberIsFoundWithAFractionOfZeros(t *testing.T) {
	n := normaliser(t, nil)
	numbers := map[failures.Scheme][]string{}
	var schemes []failures.Scheme
	for _, s := range failures.Schemes() {
		for _, code := range codesOf(s) {
			if strings.Trim(code, "0123456789") == "" {
				numbers[s] = append(numbers[s], code)
			}
		}
		if len(numbers[s]) > 0 {
			schemes = append(schemes, s)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		in := failures.Input{
			Scheme: rapid.SampledFrom(schemes).Draw(t, "scheme"), Direction: rapid.SampledFrom(bothDirections).Draw(t, "direction"),
		}
		in.Code = rapid.SampledFrom(numbers[in.Scheme]).Draw(t, "code")
		want, err := n.Normalise(in)
		require.NoError(t, err)
		in.Code += "." + strings.Repeat("0", rapid.IntRange(1, 6).Draw(t, "zeros"))
		got, err := n.Normalise(in)
		require.NoError(t, err)
		require.Equal(t, in.Code, got.Raw.Code)
		require.Equal(t, want.Known(), got.Known())
		require.Equal(t, want.Outcome, got.Outcome)
		require.Equal(t, want.Code, got.Code)
	})
}

// A false success ships goods: what the provider says about the transaction outweighs a
// text beside it.
func TestATextIsNotASuccessAgainstTheState(t *testing.T) {
	const paid = "Payment received"
	n := normaliser(t, overrides(own,
		row(paid, "", failures.AnswerSuccess), row("wait", "", failures.AnswerPending),
		row("7", "paid", failures.AnswerSuccess), row("^8", "paid", failures.AnswerSuccess),
		row("SUCCESSFUL", "", failures.AnswerSuccess), row("INS-0", "", failures.AnswerSuccess), row("^Thank you for", "", failures.AnswerSuccess), row("^9", "", failures.AnswerSuccess), row("0", "", failures.AnswerSuccess),
	))
	for name, c := range map[string]struct {
		code, message string
		withoutState  failures.Outcome
		withState     failures.Outcome // "" if it is the state
	}{
		"a text instead of a code":     {"", paid, failures.Success, ""},
		"a text as the code":           {paid, "", failures.Success, ""},
		"a word as the code":           {"SUCCESSFUL", "", failures.Success, ""},
		"a code with its text":         {"0 : paid", "", failures.Success, ""},
		"a code between blanks":        {" 0+", "", failures.Success, failures.Success},
		"a code with letters":          {"INS-0", "", failures.Success, failures.Success},
		"a family of texts":            {"Thank you for 10 USD", "", failures.Success, ""},
		"a text in another case":       {"", "PAYMENT+RECEIVED", failures.Success, ""},
		"a text that decides the code": {"7", "It was paid.", failures.Success, ""},
		"a text that decides a family": {"81", "It was paid.", failures.Success, ""},
		"a text that means pending":    {"", "wait", failures.Pending, failures.Pending},
		"a family of codes":            {"91", "", failures.Success, failures.Success},
		"a code":                       {"0", "", failures.Success, failures.Success},
	} {
		in := payin(own, c.code, c.message)
		r, err := n.Normalise(in)
		require.NoError(t, err, name)
		assert.Equal(t, c.withoutState, r.Outcome, name)
		for state, code := range map[errcodes.State]errcodes.TransactionCode{
			errcodes.StateFailed: errcodes.FailureDeclined, errcodes.StateError: errcodes.ErrorDownstream,
		} {
			in.State = state
			r, err := n.Normalise(in)
			require.NoError(t, err, name)
			if c.withState != "" {
				assert.Equal(t, c.withState, r.Outcome, name)
				continue
			}
			assert.Equal(t, code, r.Code, name)
			assert.False(t, r.Known(), name)
		}
	}
}

func TestATextIsNotASuccessAgainstTheCode(t *testing.T) {
	n := normaliser(t, nil)
	for _, s := range failures.Schemes() {
		for i, r := range failures.Rows(s) {
			if r.Message != "" || r.Code[0] == '^' {
				continue
			}
			for _, paid := range []string{"Approved by Financial Institution", "Successful", "success", "00", "0"} {
				in := failures.Input{Scheme: s, Direction: bothDirections[i%2], Code: r.Code}
				want, err := n.Normalise(in)
				require.NoError(t, err)
				in.Message = paid
				got, err := n.Normalise(in)
				require.NoError(t, err)
				assert.Equal(t, want.Outcome == failures.Success, got.Outcome == failures.Success, "%s %s with %s", s, r.Code, paid)
			}
		}
	}
}
