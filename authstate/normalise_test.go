package authstate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// own is a scheme that only these tests name, so that no shipped row decides.
const own authstate.Scheme = "own"

// row makes a row that answers both directions alike.
func row(code, message string, a authstate.Answer) authstate.Row {
	return authstate.Row{Code: code, Message: message, Payin: a, Payout: a, Confidence: authstate.Judgement}
}

// Answers that tests tell apart.
const (
	declined  = authstate.Answer(errcodes.FailureDeclined)
	fraud     = authstate.Answer(errcodes.FailureFraudBlocked)
	inactive  = authstate.Answer(errcodes.FailureAccountNotActive)
	rejected  = authstate.Answer(errcodes.FailureCustomerRejected)
	timedOut  = authstate.Answer(errcodes.FailureTimeout)
	validated = authstate.Answer(errcodes.ErrorValidation)
)

func payin(s authstate.Scheme, code, message string) authstate.Input {
	return authstate.Input{Scheme: s, Direction: errcodes.Payin, Code: code, Message: message}
}

func overrides(s authstate.Scheme, rows ...authstate.Row) *authstate.NormaliserConfig {
	of := make(map[authstate.Scheme][]authstate.Row)
	of[s] = rows
	return &authstate.NormaliserConfig{Overrides: of}
}

func TestThePrecedenceOfShippedTables(t *testing.T) {
	n := normaliser(t, nil)
	for name, c := range map[string]struct {
		in   authstate.Input
		by   authstate.Match
		code errcodes.TransactionCode
	}{
		"the code byte for byte":             {payin(authstate.ISO8583, "05", ""), authstate.MatchCode, errcodes.FailureDeclined},
		"without its zero":                   {payin(authstate.ISO8583, "5", ""), authstate.MatchNormalised, errcodes.FailureDeclined},
		"with a zero too many":               {payin(authstate.ISO8583, "051", ""), authstate.MatchFallback, errcodes.FailureDeclined},
		"with its text behind a colon":       {payin(authstate.ISO8583, "51 : text", ""), authstate.MatchNormalised, errcodes.FailurePayinInsufficientFunds},
		"with + for blanks":                  {payin(authstate.ISO8583, "+51+:+not+enough", ""), authstate.MatchNormalised, errcodes.FailurePayinInsufficientFunds},
		"between blanks":                     {payin(authstate.ISO8583, "\t\r\n\v\f 51 ", ""), authstate.MatchNormalised, errcodes.FailurePayinInsufficientFunds},
		"in another case":                    {payin(authstate.Stripe, "Expired_Card", ""), authstate.MatchNormalised, errcodes.FailureInvalidCard},
		"passed through to the base":         {payin(authstate.Paystack, "51", ""), authstate.MatchBase, errcodes.FailurePayinInsufficientFunds},
		"passed through, dirty":              {payin(authstate.Paystack, "5 : no", ""), authstate.MatchBase, errcodes.FailureDeclined},
		"a family":                           {payin(authstate.OPPWA, "800.100.999", ""), authstate.MatchFamily, errcodes.FailureDeclined},
		"a text where there is no code":      {payin(authstate.Stripe, "", "Expired_card"), authstate.MatchMessage, errcodes.FailureInvalidCard},
		"a code in place of the text":        {payin(authstate.ISO8583, "", "51: no funds"), authstate.MatchMessage, errcodes.FailurePayinInsufficientFunds},
		"a text that the base knows":         {payin(authstate.Paystack, "", "51"), authstate.MatchBase, errcodes.FailurePayinInsufficientFunds},
		"nothing known":                      {payin(authstate.Stripe, "fell_into_the_sea", ""), authstate.MatchFallback, errcodes.FailureDeclined},
		"nothing said":                       {payin(authstate.Stripe, "", ""), authstate.MatchFallback, errcodes.FailureDeclined},
		"Adyen's own 14":                     {payin(authstate.Adyen, "14", ""), authstate.MatchCode, errcodes.FailureFraudBlocked},
		"an issuer's 14 that Adyen forwards": {payin(authstate.Adyen, "14 : Invalid card number", ""), authstate.MatchBase, errcodes.FailureInvalidCard},
		"the same as a text":                 {payin(authstate.Adyen, "", "14 : Invalid card number"), authstate.MatchBase, errcodes.FailureInvalidCard},
	} {
		r, err := n.Normalise(c.in)
		require.NoError(t, err, name)
		assert.Equal(t, c.by, r.MatchedBy, name)
		assert.Equal(t, c.code, r.Code, name)
		assert.Equal(t, ports.RawFailure{Code: c.in.Code, Message: c.in.Message}, r.Raw, name)
		assert.Equal(t, c.by == authstate.MatchFallback, r.Confidence == "", name)
		tables := map[authstate.Match]string{authstate.MatchFallback: `^$`, authstate.MatchBase: `^iso8583@[0-9a-f]{12}$`}[c.by]
		if tables == "" {
			tables = `^` + string(c.in.Scheme) + `@[0-9a-f]{12}$`
		}
		assert.Regexp(t, tables, r.Tables, name)
	}
}

// A code that somebody read as a number is the shortest that lost its zeros.
func TestLostZeros(t *testing.T) {
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
		assert.Equal(t, want == "", r.MatchedBy == authstate.MatchFallback, code)
		if want != "" {
			assert.Equal(t, want, r.Code, code)
		}
	}
	r, err := n.Normalise(payin(own, "7", "it is Locked"))
	require.NoError(t, err)
	assert.Equal(t, errcodes.FailureAccountNotActive, r.Code)
}

// Whatever a scheme's own table knows is not asked of its base.
func TestASchemesOwnRowsComeBeforeItsBase(t *testing.T) {
	n := normaliser(t, nil)
	for _, scheme := range authstate.Schemes() {
		if scheme.Base() == "" {
			continue
		}
		for _, row := range authstate.Rows(scheme) {
			if row.Payin == "" || row.Code[0] == '^' {
				continue
			}
			r, err := n.Normalise(payin(scheme, row.Code, row.Message))
			require.NoError(t, err)
			assert.Contains(t, []authstate.Match{authstate.MatchCode, authstate.MatchMessage}, r.MatchedBy, row.Code)
			assert.Contains(t, r.Tables, string(scheme))
		}
	}
}

// The same order within rows of one's own, where all of it is in one's hands.
func TestThePrecedenceOfRows(t *testing.T) {
	n := normaliser(t, overrides(own,
		row("^5", "teapot", timedOut), row("^[5-7]", "", validated), row("^", "anything", inactive),
		row("05", "", declined), row("05", "no  FUNDS", fraud), row("05", "funds", rejected),
		row("06", "only with this", rejected),
		row("ab", "", rejected), row("AB", "", rejected), row("x:y", "", fraud), row("x", "", declined)))
	for name, c := range map[string]struct {
		code, message string
		want          authstate.Answer
	}{
		"the code":                                   {"05", "", declined},
		"the first text that occurs":                 {"05", "sorry, NO+funds today", fraud},
		"the second text":                            {"05", "funds: none", rejected},
		"a text for a tidied code":                   {"5", "no\tfunds", fraud},
		"a text for what stands before a colon":      {"5 : x", "no funds", fraud},
		"the code with a colon before its head":      {"x:y", "", fraud},
		"the same, tidied":                           {"X:Y", "", fraud},
		"the head alone":                             {"x: y", "", declined},
		"a text that must occur and does not":        {"06", "something else", ""},
		"a family in the order of rows: text":        {"57", "a TEAPOT", timedOut},
		"a family in the order of rows: the next":    {"57", "a kettle", validated},
		"a family after all else":                    {"7", "", validated},
		"the last family":                            {"q", "for anything", inactive},
		"nothing":                                    {"q", "", ""},
		"a code that is exact although tidied twice": {"AB", "", rejected},
	} {
		r, err := n.Normalise(payin(own, c.code, c.message))
		require.NoError(t, err, name)
		if c.want == "" {
			assert.Equal(t, authstate.MatchFallback, r.MatchedBy, name)
			continue
		}
		assert.Equal(t, authstate.MatchOverride, r.MatchedBy, name)
		assert.Equal(t, string(c.want), string(r.Code), name)
		assert.Empty(t, r.Tables, name)
		assert.Equal(t, authstate.Judgement, r.Confidence, name)
	}
}

func TestOverridesComeFirst(t *testing.T) {
	config := overrides(authstate.ISO8583, row("51", "", timedOut), row("^05$", "", inactive))
	config.Overrides[authstate.OPPWA] = []authstate.Row{row("^800", "", rejected)}
	config.Overrides[authstate.Adyen] = []authstate.Row{row("14", "", rejected)}
	config.Overrides["empty"] = nil
	n := normaliser(t, config)
	for name, c := range map[string]struct {
		in   authstate.Input
		by   authstate.Match
		code errcodes.TransactionCode
	}{
		"the code":                       {payin(authstate.ISO8583, "51", ""), authstate.MatchOverride, errcodes.FailureTimeout},
		"dirty":                          {payin(authstate.ISO8583, "51+:+x", ""), authstate.MatchOverride, errcodes.FailureTimeout},
		"a family before a code":         {payin(authstate.ISO8583, "05", ""), authstate.MatchOverride, errcodes.FailureAccountNotActive},
		"a family before a family":       {payin(authstate.OPPWA, "800.100.999", ""), authstate.MatchOverride, errcodes.FailureCustomerRejected},
		"as a text":                      {payin(authstate.ISO8583, "", "51"), authstate.MatchOverride, errcodes.FailureTimeout},
		"others are as they were":        {payin(authstate.ISO8583, "54", ""), authstate.MatchCode, errcodes.FailureInvalidCard},
		"Adyen's own 14":                 {payin(authstate.Adyen, "14", ""), authstate.MatchOverride, errcodes.FailureCustomerRejected},
		"an issuer's 14 is not Adyen's":  {payin(authstate.Adyen, "14 : Invalid card number", ""), authstate.MatchBase, errcodes.FailureInvalidCard},
		"a scheme without rows is known": {payin("empty", "51", ""), authstate.MatchFallback, errcodes.FailureDeclined},
	} {
		r, err := n.Normalise(c.in)
		require.NoError(t, err, name)
		assert.Equal(t, c.by, r.MatchedBy, name)
		assert.Equal(t, c.code, r.Code, name)
	}
}

func TestARowOfOneDirectionIsNotThereInTheOther(t *testing.T) {
	n := normaliser(t, overrides(own, authstate.Row{Code: "1", Payout: declined, Confidence: authstate.Sure}))
	r, err := n.Normalise(payin(own, "1", ""))
	require.NoError(t, err)
	assert.Equal(t, authstate.MatchFallback, r.MatchedBy)
	r, err = n.Normalise(authstate.Input{Scheme: own, Direction: errcodes.Payout, Code: "1"})
	require.NoError(t, err)
	assert.Equal(t, authstate.MatchOverride, r.MatchedBy)
	assert.Equal(t, authstate.Sure, r.Confidence)
}

func TestTheDirectionDecides(t *testing.T) {
	n := normaliser(t, nil)
	for _, c := range []struct {
		code          string
		payin, payout errcodes.TransactionCode
	}{
		{"2001", errcodes.FailureInvalidPIN, errcodes.ErrorConfiguration},
		{"1", errcodes.FailurePayinInsufficientFunds, errcodes.ErrorPayoutInsufficientFunds},
	} {
		for d, want := range map[errcodes.Direction]errcodes.TransactionCode{errcodes.Payin: c.payin, errcodes.Payout: c.payout} {
			r, err := n.Normalise(authstate.Input{Scheme: authstate.MpesaDaraja, Direction: d, Code: c.code})
			require.NoError(t, err)
			assert.Equal(t, want, r.Code, c.code)
			assert.Equal(t, string(want.Row().State), string(r.Outcome), "the state follows from the code (I25)")
			assert.Equal(t, d, r.Direction)
			assert.Equal(t, authstate.MpesaDaraja, r.Scheme)
		}
	}
}

func TestWhatIsNoFailureHasNoCode(t *testing.T) {
	n := normaliser(t, nil)
	for outcome, report := range said {
		r, err := n.Normalise(payin(report.Scheme, report.Code, report.Message))
		require.NoError(t, err)
		assert.Equal(t, outcome, r.Outcome)
		failure := outcome == authstate.Failed || outcome == authstate.Errored
		assert.Equal(t, failure, r.Failure())
		assert.Equal(t, failure, r.Code != "")
		assert.Equal(t, failure, r.Message() != "")
	}
}

func TestTheHintIsForWhatNothingKnows(t *testing.T) {
	n := normaliser(t, nil)
	for state, want := range map[errcodes.State]errcodes.TransactionCode{
		"": errcodes.FailureDeclined, errcodes.StateFailed: errcodes.FailureDeclined, errcodes.StateError: errcodes.ErrorDownstream,
	} {
		in := payin(authstate.ISO8583, "unheard of", "")
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

// An error stands beside a result that can be used (I26).
func TestErrorsHaveTheirFallback(t *testing.T) {
	long := strings.Repeat("x", ports.MaxRaw+1)
	told := 0
	n := normaliser(t, &authstate.NormaliserConfig{Unmapped: func(authstate.Result) { told++ }})
	for name, c := range map[string]struct {
		in    authstate.Input
		want  errcodes.Code
		field string
	}{
		"no scheme":                {authstate.Input{Direction: errcodes.Payin, Code: "0"}, errcodes.InvalidRequest, "scheme"},
		"a scheme that is none":    {payin("carrier-pigeon", "0", ""), errcodes.InvalidRequest, "scheme"},
		"no direction":             {authstate.Input{Scheme: authstate.Stripe}, errcodes.InvalidRequest, "direction"},
		"a direction that is none": {authstate.Input{Scheme: authstate.Stripe, Direction: "sideways"}, errcodes.InvalidRequest, "direction"},
		"a state that is none":     {authstate.Input{Scheme: authstate.Stripe, Direction: errcodes.Payin, State: "sad"}, errcodes.InvalidRequest, "state"},
		"a code too long":          {payin(authstate.Stripe, long, ""), errcodes.PayloadTooLarge, ""},
		"a message too long":       {payin(authstate.Stripe, "0", long), errcodes.PayloadTooLarge, ""},
	} {
		r, err := n.Normalise(c.in)
		require.ErrorIs(t, err, c.want, name)
		if c.field != "" {
			var details errcodes.FieldDetails
			require.ErrorAs(t, err, &details, name)
			assert.Equal(t, c.field, details.Fields[0].Name, name)
		}
		assert.Equal(t, errcodes.FailureDeclined, r.Code, name)
		assert.Equal(t, authstate.Failed, r.Outcome, name)
		assert.Equal(t, authstate.MatchFallback, r.MatchedBy, name)
		assert.True(t, r.Raw.Code == c.in.Code && r.Raw.Message == c.in.Message, name)
		if c.in.State == "" {
			c.in.State = errcodes.StateError
			r, err = n.Normalise(c.in)
			require.ErrorIs(t, err, c.want, name)
			assert.Equal(t, errcodes.ErrorDownstream, r.Code, name)
			assert.Equal(t, authstate.Errored, r.Outcome, name)
		}
	}
	assert.Zero(t, told, "an input that is none says nothing of the tables")
}

func TestUnmappedIsToldOfFallbacksAlone(t *testing.T) {
	var told []authstate.Result
	n := normaliser(t, &authstate.NormaliserConfig{Unmapped: func(r authstate.Result) { told = append(told, r) }})
	for _, code := range []string{"05", "5", "51 : x", "0"} {
		_, err := n.Normalise(payin(authstate.ISO8583, code, ""))
		require.NoError(t, err)
	}
	assert.Empty(t, told)
	r, err := n.Normalise(payin(authstate.ISO8583, "unheard of", "text"))
	require.NoError(t, err)
	assert.Equal(t, []authstate.Result{r}, told)
}

func TestBadOverridesAreRefused(t *testing.T) {
	for name, c := range map[string]*authstate.NormaliserConfig{
		"no scheme":                overrides("", row("1", "", declined)),
		"no answer":                overrides(own, row("1", "", "")),
		"a family that is none":    overrides(own, row("^(", "", declined)),
		"a code that is none":      overrides(authstate.Stripe, row("1", "", "bogus")),
		"a deprecated code":        overrides(own, row("1", "", authstate.Answer(errcodes.FailureInsufficientFunds))),
		"another direction's code": overrides(own, row("1", "", authstate.Answer(errcodes.FailurePayinInsufficientFunds))),
	} {
		n, err := authstate.NewNormaliser(c)
		require.ErrorIs(t, err, errcodes.Configuration, name)
		assert.Nil(t, n, name)
	}
}

// The caller's rows are its own: changing them later changes nothing.
func TestOverridesAreCopied(t *testing.T) {
	rows := []authstate.Row{row("1", "", declined)}
	config := overrides(own, rows...)
	n := normaliser(t, config)
	config.Overrides[own][0] = row("1", "", fraud)
	delete(config.Overrides, own)
	r, err := n.Normalise(payin(own, "1", ""))
	require.NoError(t, err)
	assert.Equal(t, errcodes.FailureDeclined, r.Code)
}

// A clock or a ratio is no code with its text: "00:05:12" must not approve.
func TestWhatStandsBeforeAColonIsNotAlwaysACode(t *testing.T) {
	n := normaliser(t, nil)
	for _, text := range []string{"00:05:12 session expired", "00:15", "51:49 in favour", ": 51", ":51", "51"} {
		for _, in := range []authstate.Input{payin(authstate.ISO8583, "unheard of "+text, ""), payin(authstate.ISO8583, "", text)} {
			r, err := n.Normalise(in)
			require.NoError(t, err)
			assert.Equal(t, text == "51" && in.Code == "", r.MatchedBy != authstate.MatchFallback, "%q", text)
		}
	}
	for _, text := range []string{"51:no funds", "51 :no", "51: 3 tries", "51:"} {
		r, err := n.Normalise(payin(authstate.ISO8583, text, ""))
		require.NoError(t, err)
		assert.Equal(t, errcodes.FailurePayinInsufficientFunds, r.Code, text)
	}
}

// A text of digits must occur as it stands: its zeros are no padding.
func TestATextOfDigitsKeepsItsZeros(t *testing.T) {
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
	assert.Equal(t, authstate.MatchFallback, r.MatchedBy)
	r, err = n.Normalise(payin(own, "2", "007"))
	require.NoError(t, err)
	assert.Equal(t, authstate.MatchOverride, r.MatchedBy)
}
