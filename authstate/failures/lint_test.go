package failures_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
)

// Each complaint, and the row that earns it.
func TestLintComplains(t *testing.T) {
	code := func(c errcodes.TransactionCode) failures.Answer { return failures.Answer(c) }
	in := func(payin, payout failures.Answer) failures.Row {
		return failures.Row{Code: "1", Payin: payin, Payout: payout, Confidence: failures.Sure}
	}
	unsure := row("1", "", declined)
	unsure.Confidence = ""
	gospel := row("1", "", declined)
	gospel.Confidence = "gospel"
	for name, c := range map[string]struct {
		rows []failures.Row
		want []string
	}{
		"no code":                   {[]failures.Row{row("", "", declined)}, []string{`"": no code`}},
		"a code of blanks":          {[]failures.Row{row(" +\t", "", declined)}, []string{`" +\t": no code`}},
		"a family that is none":     {[]failures.Row{row("^(", "", declined)}, []string{"\"^(\": no regular expression: error parsing regexp: missing closing ): `^(`"}},
		"a message of blanks":       {[]failures.Row{row("1", " + ", declined)}, []string{`"1 with  + ": a message of blanks matches every message`}},
		"no confidence":             {[]failures.Row{unsure}, []string{`"1": confidence is "", want sure or judgement`}},
		"a confidence of no kind":   {[]failures.Row{gospel}, []string{`"1": confidence is "gospel", want sure or judgement`}},
		"no answer":                 {[]failures.Row{in("", "")}, []string{`"1": no answer`}},
		"a code that is none":       {[]failures.Row{in("bogus", "")}, []string{`"1": bogus on a payin: no code of SPEC 7.5`}},
		"deprecated (I25)":          {[]failures.Row{in("", code(errcodes.FailureInvalidAccount))}, []string{`"1": invalidAccount on a payout: deprecated`}},
		"a payin's on a payout":     {[]failures.Row{in("", code(errcodes.FailurePayinInsufficientFunds))}, []string{`"1": payinInsufficientFunds on a payout: of the other direction`}},
		"a payout's on a payin":     {[]failures.Row{in(code(errcodes.ErrorPayoutsNotAllowed), "")}, []string{`"1": payoutsNotAllowed on a payin: of the other direction`}},
		"a card's on a payout":      {[]failures.Row{in("", code(errcodes.Failure3DSNotCompleted))}, []string{`"1": 3dsNotCompleted on a payout: of cards, which pay in`}},
		"internalError":             {[]failures.Row{in(code(errcodes.ErrorInternal), "")}, []string{`"1": internalError on a payin: for the service's own failures`}},
		"systemError":               {[]failures.Row{in(code(errcodes.ErrorSystem), "")}, []string{`"1": systemError on a payin: for the service's own failures`}},
		"a row twice":               {[]failures.Row{in(declined, ""), in(declined, "")}, []string{`"1": a second row for a payin`}},
		"a family twice":            {[]failures.Row{row("^1", "x", declined), row("^1", "x", fraud)}, []string{`"^1 with x": a second row for a payin`, `"^1 with x": a second row for a payout`}},
		"two answers when tidied":   {[]failures.Row{in(declined, ""), row("+1", "", fraud)}, []string{`"+1": fraudBlocked on a payin, but a row that reads the same when tidied says declined`}},
		"two texts that are one":    {[]failures.Row{row("1", "No Funds", declined), row("1", "no+funds", fraud)}, []string{`"1 with no+funds": fraudBlocked on a payin, but a row that reads the same when tidied says declined`, `"1 with no+funds": fraudBlocked on a payout, but a row that reads the same when tidied says declined`}},
		"all that is wrong at once": {[]failures.Row{{}}, []string{`"": no code`, `"": confidence is "", want sure or judgement`, `"": no answer`}},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, failures.Lint(c.rows)) })
	}
}

func TestLintLetsPass(t *testing.T) {
	for name, rows := range map[string][]failures.Row{
		"no row":                        nil,
		"two directions in two rows":    {{Code: "1", Payin: declined, Confidence: failures.Sure}, {Code: "1", Payout: fraud, Confidence: failures.Judgement}},
		"no failures":                   {row("0", "", failures.AnswerSuccess), row("1", "", failures.AnswerPending)},
		"a card's code on a payin":      {{Code: "1", Payin: failures.Answer(errcodes.Failure3DSNotCompleted), Confidence: failures.Sure}},
		"a code, and one with a text":   {row("1", "", declined), row("1", "funds", fraud)},
		"texts that differ":             {row("1", "funds", declined), row("1", "fund", fraud)},
		"the same answer once tidied":   {row("a", "", declined), row("A", "", declined)},
		"zeros make another code":       {row("01", "", declined), row("1", "", fraud)},
		"families that overlap":         {row("^1", "", declined), row("^1.", "", fraud)},
		"a family and what looks alike": {row("^A", "", declined), row("^a", "", fraud)},
	} {
		assert.Empty(t, failures.Lint(rows), name)
		_, err := failures.New(overrides(own, rows...))
		require.NoError(t, err, name)
	}
}
