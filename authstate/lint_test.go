package authstate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/errcodes"
)

// Each complaint, and the row that earns it.
func TestLintComplains(t *testing.T) {
	code := func(c errcodes.TransactionCode) authstate.Answer { return authstate.Answer(c) }
	in := func(payin, payout authstate.Answer) authstate.Row {
		return authstate.Row{Code: "1", Payin: payin, Payout: payout, Confidence: authstate.Sure}
	}
	unsure := row("1", "", declined)
	unsure.Confidence = ""
	gospel := row("1", "", declined)
	gospel.Confidence = "gospel"
	for name, c := range map[string]struct {
		rows []authstate.Row
		want []string
	}{
		"no code":                   {[]authstate.Row{row("", "", declined)}, []string{`"": no code`}},
		"a code of blanks":          {[]authstate.Row{row(" +\t", "", declined)}, []string{`" +\t": no code`}},
		"a family that is none":     {[]authstate.Row{row("^(", "", declined)}, []string{"\"^(\": no regular expression: error parsing regexp: missing closing ): `^(`"}},
		"a message of blanks":       {[]authstate.Row{row("1", " + ", declined)}, []string{`"1 with  + ": a message of blanks matches every message`}},
		"no confidence":             {[]authstate.Row{unsure}, []string{`"1": confidence is "", want sure or judgement`}},
		"a confidence of no kind":   {[]authstate.Row{gospel}, []string{`"1": confidence is "gospel", want sure or judgement`}},
		"no answer":                 {[]authstate.Row{in("", "")}, []string{`"1": no answer`}},
		"a code that is none":       {[]authstate.Row{in("bogus", "")}, []string{`"1": bogus on a payin: no code of SPEC 7.5`}},
		"deprecated (I25)":          {[]authstate.Row{in("", code(errcodes.FailureInvalidAccount))}, []string{`"1": invalidAccount on a payout: deprecated`}},
		"a payin's on a payout":     {[]authstate.Row{in("", code(errcodes.FailurePayinInsufficientFunds))}, []string{`"1": payinInsufficientFunds on a payout: of the other direction`}},
		"a payout's on a payin":     {[]authstate.Row{in(code(errcodes.ErrorPayoutsNotAllowed), "")}, []string{`"1": payoutsNotAllowed on a payin: of the other direction`}},
		"a card's on a payout":      {[]authstate.Row{in("", code(errcodes.Failure3DSNotCompleted))}, []string{`"1": 3dsNotCompleted on a payout: of cards, which pay in`}},
		"internalError":             {[]authstate.Row{in(code(errcodes.ErrorInternal), "")}, []string{`"1": internalError on a payin: for the service's own failures`}},
		"systemError":               {[]authstate.Row{in(code(errcodes.ErrorSystem), "")}, []string{`"1": systemError on a payin: for the service's own failures`}},
		"a row twice":               {[]authstate.Row{in(declined, ""), in(declined, "")}, []string{`"1": a second row for a payin`}},
		"a family twice":            {[]authstate.Row{row("^1", "x", declined), row("^1", "x", fraud)}, []string{`"^1 with x": a second row for a payin`, `"^1 with x": a second row for a payout`}},
		"two answers when tidied":   {[]authstate.Row{in(declined, ""), row("+1", "", fraud)}, []string{`"+1": fraudBlocked on a payin, but a row that reads the same when tidied says declined`}},
		"two texts that are one":    {[]authstate.Row{row("1", "No Funds", declined), row("1", "no+funds", fraud)}, []string{`"1 with no+funds": fraudBlocked on a payin, but a row that reads the same when tidied says declined`, `"1 with no+funds": fraudBlocked on a payout, but a row that reads the same when tidied says declined`}},
		"all that is wrong at once": {[]authstate.Row{{}}, []string{`"": no code`, `"": confidence is "", want sure or judgement`, `"": no answer`}},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, authstate.Lint(c.rows)) })
	}
}

func TestLintLetsPass(t *testing.T) {
	for name, rows := range map[string][]authstate.Row{
		"no row":                        nil,
		"two directions in two rows":    {{Code: "1", Payin: declined, Confidence: authstate.Sure}, {Code: "1", Payout: fraud, Confidence: authstate.Judgement}},
		"no failures":                   {row("0", "", authstate.AnswerSuccess), row("1", "", authstate.AnswerPending)},
		"a card's code on a payin":      {{Code: "1", Payin: authstate.Answer(errcodes.Failure3DSNotCompleted), Confidence: authstate.Sure}},
		"a code, and one with a text":   {row("1", "", declined), row("1", "funds", fraud)},
		"texts that differ":             {row("1", "funds", declined), row("1", "fund", fraud)},
		"the same answer once tidied":   {row("a", "", declined), row("A", "", declined)},
		"zeros make another code":       {row("01", "", declined), row("1", "", fraud)},
		"families that overlap":         {row("^1", "", declined), row("^1.", "", fraud)},
		"a family and what looks alike": {row("^A", "", declined), row("^a", "", fraud)},
	} {
		assert.Empty(t, authstate.Lint(rows), name)
		_, err := authstate.NewNormaliser(overrides(own, rows...))
		require.NoError(t, err, name)
	}
}
