package failures_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// own is a scheme without shipped rows.
const own failures.Scheme = "own"

// row returns a row with the same answer for both directions.
func row(code, message string, a failures.Answer) failures.Row {
	return failures.Row{Code: code, Message: message, Payin: a, Payout: a, Confidence: failures.Judgement}
}

// Answers for tests.
const (
	declined  = failures.Answer(errcodes.FailureDeclined)
	fraud     = failures.Answer(errcodes.FailureFraudBlocked)
	inactive  = failures.Answer(errcodes.FailureAccountNotActive)
	rejected  = failures.Answer(errcodes.FailureCustomerRejected)
	timedOut  = failures.Answer(errcodes.FailureTimeout)
	validated = failures.Answer(errcodes.ErrorValidation)
)

func payin(s failures.Scheme, code, message string) failures.Input {
	return failures.Input{Scheme: s, Direction: errcodes.Payin, Code: code, Message: message}
}

func overrides(s failures.Scheme, rows ...failures.Row) *failures.Config {
	return &failures.Config{Overrides: map[failures.Scheme][]failures.Row{s: rows}}
}

func TestThePrecedenceOfShippedTables(t *testing.T) {
	n := normaliser(t, nil)
	for name, c := range map[string]struct {
		in   failures.Input
		by   failures.Match
		code errcodes.TransactionCode
	}{
		"the code byte for byte":             {payin(failures.ISO8583, "05", ""), failures.MatchCode, errcodes.FailureDeclined},
		"without its zero":                   {payin(failures.ISO8583, "5", ""), failures.MatchNormalised, errcodes.FailureDeclined},
		"a success without its zeros":        {payin(failures.ISO8583, "0", ""), failures.MatchNormalised, ""},
		"another list's code":                {payin(failures.ISO8583of1993, "5", ""), failures.MatchFallback, errcodes.FailureDeclined},
		"with an additional zero":            {payin(failures.ISO8583, "051", ""), failures.MatchFallback, errcodes.FailureDeclined},
		"with its text after a colon":        {payin(failures.ISO8583, "51 : text", ""), failures.MatchNormalised, errcodes.FailurePayinInsufficientFunds},
		"with + for blanks":                  {payin(failures.ISO8583, "+51+:+not+enough", ""), failures.MatchNormalised, errcodes.FailurePayinInsufficientFunds},
		"between blanks":                     {payin(failures.ISO8583, "\t\r\n\v\f 51 ", ""), failures.MatchNormalised, errcodes.FailurePayinInsufficientFunds},
		"in another case":                    {payin(failures.Stripe, "Expired_Card", ""), failures.MatchNormalised, errcodes.FailureInvalidCard},
		"passed through to the base":         {payin(failures.Paystack, "51", ""), failures.MatchBase, errcodes.FailurePayinInsufficientFunds},
		"passed through, dirty":              {payin(failures.Paystack, "5 : no", ""), failures.MatchBase, errcodes.FailureDeclined},
		"a family":                           {payin(failures.OPPWA, "800.100.999", ""), failures.MatchFamily, errcodes.FailureDeclined},
		"a text without a code":              {payin(failures.Stripe, "", "Expired_card"), failures.MatchMessage, errcodes.FailureInvalidCard},
		"a code as the message":              {payin(failures.ISO8583, "", "51: no funds"), failures.MatchMessage, errcodes.FailurePayinInsufficientFunds},
		"a code of the base as the message":  {payin(failures.Paystack, "", "51"), failures.MatchBase, errcodes.FailurePayinInsufficientFunds},
		"an unknown code":                    {payin(failures.Stripe, "fell_into_the_sea", ""), failures.MatchFallback, errcodes.FailureDeclined},
		"neither code nor message":           {payin(failures.Stripe, "", ""), failures.MatchFallback, errcodes.FailureDeclined},
		"Adyen's own 14":                     {payin(failures.Adyen, "14", ""), failures.MatchCode, errcodes.FailureFraudBlocked},
		"an issuer's 14 that Adyen forwards": {payin(failures.Adyen, "14 : Invalid card number", ""), failures.MatchBase, errcodes.FailureInvalidCard},
		"a text that begins like a success":  {payin(failures.Paystack, "", "Approved: no"), failures.MatchFallback, errcodes.FailureDeclined},
		"an issuer's 14 as the message":      {payin(failures.Adyen, "", "14 : Invalid card number"), failures.MatchBase, errcodes.FailureInvalidCard},
	} {
		r, err := n.Normalise(c.in)
		require.NoError(t, err, name)
		assert.Equal(t, c.by, r.MatchedBy, name)
		assert.Equal(t, c.code, r.Code, name)
		assert.Equal(t, ports.RawFailure{Code: c.in.Code, Message: c.in.Message}, r.Raw, name)
		assert.Equal(t, c.by == failures.MatchFallback, r.Confidence == "", name)
		assert.Regexp(t, tablesOf(c.in.Scheme, c.by), r.Tables, name)
	}
}

// tablesOf returns a pattern for the version of the table with the row.
func tablesOf(s failures.Scheme, by failures.Match) string {
	if by == failures.MatchFallback || by == failures.MatchOverride {
		return `^$`
	}
	if by == failures.MatchBase {
		s = failures.ISO8583
	}
	return `^` + string(s) + `@[0-9a-f]{12}$`
}

func TestACodeWithoutItsZerosIsTheShortestCodeWithZeros(t *testing.T) {
	n := normaliser(t, overrides(own,
		row("0007", "", fraud), row("007", "", declined), row("007", "locked", inactive), row("00007", "", rejected),
		row("08", "", rejected), row("8", "", timedOut), row("00", "", inactive), row("0a", "", fraud)))
	for code, want := range map[string]errcodes.TransactionCode{
		"7": errcodes.FailureDeclined, "07": "", "007": errcodes.FailureDeclined, "0007": errcodes.FailureFraudBlocked,
		"8": errcodes.FailureTimeout, "08": errcodes.FailureCustomerRejected, "0": errcodes.FailureAccountNotActive, "000": "",
		"7 : x": errcodes.FailureDeclined, "a": "", "0A": errcodes.FailureFraudBlocked,
	} {
		r, err := n.Normalise(payin(own, code, ""))
		require.NoError(t, err)
		assert.Equal(t, want == "", r.MatchedBy == failures.MatchFallback, code)
		if want != "" {
			assert.Equal(t, want, r.Code, code)
		}
	}
	r, err := n.Normalise(payin(own, "7", "it is Locked"))
	require.NoError(t, err)
	assert.Equal(t, errcodes.FailureAccountNotActive, r.Code)
}

// A success of three digits needs all its digits: 5 may be another list's code. A success
// of two digits may have lost its zero, and a code of zeros any number of them.
func TestASuccessWithoutItsZerosIsFoundForTwoDigitsOnly(t *testing.T) {
	n := normaliser(t, overrides(own, row("005", "", failures.AnswerSuccess), row("06", "", failures.AnswerSuccess), row("000", "", failures.AnswerPending)))
	for code, want := range map[string]failures.Outcome{
		"005": failures.Success, "5": failures.Failed, "06": failures.Success, "6": failures.Success, "000": failures.Pending, "0": failures.Pending,
	} {
		r, err := n.Normalise(payin(own, code, ""))
		require.NoError(t, err)
		assert.Equal(t, want, r.Outcome, code)
	}
}

func TestLogsNeverShowARawCodeOrMessage(t *testing.T) {
	in := payin(failures.ISO8583, "51", "no funds of Wanjiru")
	assert.Equal(t, "an answer of iso8583 on a payin", in.String())
	assert.Equal(t, in.String(), in.LogValue().String())
	r, err := normaliser(t, nil).Normalise(in)
	require.NoError(t, err)
	assert.Equal(t, "iso8583 payin failed payinInsufficientFunds", r.String())
	assert.Equal(t, r.String(), r.LogValue().String())
}

func TestASchemesOwnRowsComeBeforeItsBase(t *testing.T) {
	n := normaliser(t, nil)
	for _, scheme := range failures.Schemes() {
		if scheme.Base() == "" {
			continue
		}
		for _, row := range failures.Rows(scheme) {
			if row.Payin == "" || row.Code[0] == '^' {
				continue
			}
			r, err := n.Normalise(payin(scheme, row.Code, row.Message))
			require.NoError(t, err)
			assert.Contains(t, []failures.Match{failures.MatchCode, failures.MatchMessage}, r.MatchedBy, row.Code)
			assert.Contains(t, r.Tables, string(scheme))
		}
	}
}

func TestOverridesHaveTheSamePrecedenceAsShippedRows(t *testing.T) {
	n := normaliser(t, overrides(own,
		row("^5", "Tea  Pot", timedOut), row("^[5-7]", "", validated), row("^", "anything", inactive),
		row("05", "", declined), row("05", "no  FUNDS", fraud), row("05", "funds", rejected),
		row("06", "only with this", rejected),
		row("CD", "only with this", rejected), row("cd", "", timedOut), row("ab", "", rejected), row("AB", "", rejected), row("x:y", "", fraud), row("x", "", declined)))
	for name, c := range map[string]struct {
		code, message string
		want          failures.Answer
	}{
		"the code":                                            {"05", "", declined},
		"the first text that occurs":                          {"05", "sorry, NO+funds today", fraud},
		"the second text":                                     {"05", "funds: none", rejected},
		"a text for a tidied code":                            {"5", "no\tfunds", fraud},
		"a text for a code before a colon":                    {"5 : x", "no funds", fraud},
		"a code with a colon":                                 {"x:y", "", fraud},
		"a code with a colon, tidied":                         {"X:Y", "", fraud},
		"only the part before a colon":                        {"x: y", "", declined},
		"a text that is not in the message":                   {"06", "something else", ""},
		"the tidied code, if that text is not in the message": {"CD", "something else", timedOut},
		"a family in the order of rows: text":                 {"57", "a TEA+POT", timedOut},
		"a family in the order of rows: the next":             {"57", "a kettle", validated},
		"a family if no code matches":                         {"7", "", validated},
		"the last family":                                     {"q", "for anything", inactive},
		"no row":                                              {"q", "", ""},
		"an exact code although two are equal when tidied":    {"AB", "", rejected},
	} {
		r, err := n.Normalise(payin(own, c.code, c.message))
		require.NoError(t, err, name)
		if c.want == "" {
			assert.Equal(t, failures.MatchFallback, r.MatchedBy, name)
			continue
		}
		assert.Equal(t, failures.MatchOverride, r.MatchedBy, name)
		assert.Equal(t, string(c.want), string(r.Code), name)
		assert.Empty(t, r.Tables, name)
		assert.Equal(t, failures.Judgement, r.Confidence, name)
	}
}

func TestOverridesComeFirst(t *testing.T) {
	n := normaliser(t, &failures.Config{Overrides: map[failures.Scheme][]failures.Row{
		failures.ISO8583: {row("51", "", timedOut), row("^05$", "", inactive)},
		failures.OPPWA:   {row("^800", "", rejected)},
		failures.Adyen:   {row("14", "", rejected)},
		"empty":          nil,
	}})
	for name, c := range map[string]struct {
		in   failures.Input
		by   failures.Match
		code errcodes.TransactionCode
	}{
		"the code":                       {payin(failures.ISO8583, "51", ""), failures.MatchOverride, errcodes.FailureTimeout},
		"a code with a text":             {payin(failures.ISO8583, "51+:+x", ""), failures.MatchOverride, errcodes.FailureTimeout},
		"a family before a code":         {payin(failures.ISO8583, "05", ""), failures.MatchOverride, errcodes.FailureAccountNotActive},
		"a family before a family":       {payin(failures.OPPWA, "800.100.999", ""), failures.MatchOverride, errcodes.FailureCustomerRejected},
		"the code as the message":        {payin(failures.ISO8583, "", "51"), failures.MatchOverride, errcodes.FailureTimeout},
		"other codes are unchanged":      {payin(failures.ISO8583, "54", ""), failures.MatchCode, errcodes.FailureInvalidCard},
		"Adyen's own 14":                 {payin(failures.Adyen, "14", ""), failures.MatchOverride, errcodes.FailureCustomerRejected},
		"an issuer's 14 is not Adyen's":  {payin(failures.Adyen, "14 : Invalid card number", ""), failures.MatchBase, errcodes.FailureInvalidCard},
		"a scheme without rows is known": {payin("empty", "51", ""), failures.MatchFallback, errcodes.FailureDeclined},
	} {
		r, err := n.Normalise(c.in)
		require.NoError(t, err, name)
		assert.Equal(t, c.by, r.MatchedBy, name)
		assert.Equal(t, c.code, r.Code, name)
	}
}

func TestARowOfOneDirectionDoesNotApplyToTheOther(t *testing.T) {
	n := normaliser(t, overrides(own, failures.Row{Code: "1", Payout: declined, Confidence: failures.Sure}))
	r, err := n.Normalise(payin(own, "1", ""))
	require.NoError(t, err)
	assert.Equal(t, failures.MatchFallback, r.MatchedBy)
	r, err = n.Normalise(failures.Input{Scheme: own, Direction: errcodes.Payout, Code: "1"})
	require.NoError(t, err)
	assert.Equal(t, failures.MatchOverride, r.MatchedBy)
	assert.Equal(t, failures.Sure, r.Confidence)
}

func TestTheDirectionDecidesCodeAndState(t *testing.T) {
	n := normaliser(t, nil)
	for _, c := range []struct {
		code          string
		payin, payout errcodes.TransactionCode
	}{
		{"2001", errcodes.FailureInvalidPIN, errcodes.ErrorConfiguration},
		{"1", errcodes.FailurePayinInsufficientFunds, errcodes.ErrorPayoutInsufficientFunds},
	} {
		for d, want := range map[errcodes.Direction]errcodes.TransactionCode{errcodes.Payin: c.payin, errcodes.Payout: c.payout} {
			r, err := n.Normalise(failures.Input{Scheme: failures.MpesaDaraja, Direction: d, Code: c.code})
			require.NoError(t, err)
			assert.Equal(t, want, r.Code, c.code)
			assert.Equal(t, string(want.Row().State), string(r.Outcome), "the state follows from the code (I25)")
			assert.Equal(t, d, r.Direction)
			assert.Equal(t, failures.MpesaDaraja, r.Scheme)
		}
	}
}

func TestOnlyFailuresHaveACode(t *testing.T) {
	n := normaliser(t, nil)
	for outcome, report := range said {
		r, err := n.Normalise(payin(report.Scheme, report.Code, report.Message))
		require.NoError(t, err)
		assert.Equal(t, outcome, r.Outcome)
		failure := outcome == failures.Failed || outcome == failures.Errored
		assert.Equal(t, failure, r.Failure())
		assert.Equal(t, failure, r.Code != "")
		assert.Equal(t, failure, r.Message() != "")
	}
}

func TestTheStateOfTheInputAppliesToUnknownCodesOnly(t *testing.T) {
	n := normaliser(t, nil)
	for state, want := range map[errcodes.State]errcodes.TransactionCode{
		"": errcodes.FailureDeclined, errcodes.StateFailed: errcodes.FailureDeclined, errcodes.StateError: errcodes.ErrorDownstream,
	} {
		in := payin(failures.ISO8583, "unheard of", "")
		in.State = state
		r, err := n.Normalise(in)
		require.NoError(t, err)
		assert.Equal(t, want, r.Code)
		assert.Equal(t, string(want.Row().State), string(r.Outcome))
		in.Code = "05"
		r, err = n.Normalise(in)
		require.NoError(t, err)
		assert.Equal(t, errcodes.FailureDeclined, r.Code)
	}
}
