package failures_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
)

func TestLintFindsEachMistake(t *testing.T) {
	code := func(c errcodes.TransactionCode) failures.Answer { return failures.Answer(c) }
	in := func(payin, payout failures.Answer) failures.Row {
		return failures.Row{Code: "1", Payin: payin, Payout: payout, Confidence: failures.Sure}
	}
	unsure := row("1", "", declined)
	unsure.Confidence = ""
	unknown := row("1", "", declined)
	unknown.Confidence = "certain"
	for name, c := range map[string]struct {
		rows []failures.Row
		want []string
	}{
		"no code":                              {[]failures.Row{row("", "", declined)}, []string{`"": the code is empty`}},
		"a code of blanks":                     {[]failures.Row{row(" +\t", "", declined)}, []string{`" +\t": the code is empty`}},
		"a broken family":                      {[]failures.Row{row("^(", "", declined)}, []string{"\"^(\": invalid regular expression: error parsing regexp: missing closing ): `^(`"}},
		"a message of blanks":                  {[]failures.Row{row("1", " + ", declined)}, []string{`"1 with  + ": a message of blanks matches every message`}},
		"no confidence":                        {[]failures.Row{unsure}, []string{`"1": confidence is "", want sure or judgement`}},
		"an unknown confidence":                {[]failures.Row{unknown}, []string{`"1": confidence is "certain", want sure or judgement`}},
		"no answer":                            {[]failures.Row{in("", "")}, []string{`"1": payin and payout are empty`}},
		"an unknown code":                      {[]failures.Row{in("bogus", "")}, []string{`"1": bogus on a payin: not a code of SPEC 7.5`}},
		"deprecated (I25)":                     {[]failures.Row{in("", code(errcodes.FailureInvalidAccount))}, []string{`"1": invalidAccount on a payout: deprecated`}},
		"a payin's code on a payout":           {[]failures.Row{in("", code(errcodes.FailurePayinInsufficientFunds))}, []string{`"1": payinInsufficientFunds on a payout: only for the other direction`}},
		"a payout's code on a payin":           {[]failures.Row{in(code(errcodes.ErrorPayoutsNotAllowed), "")}, []string{`"1": payoutsNotAllowed on a payin: only for the other direction`}},
		"a card's code on a payout":            {[]failures.Row{in("", code(errcodes.Failure3DSNotCompleted))}, []string{`"1": 3dsNotCompleted on a payout: only for cards, which are payins`}},
		"internalError":                        {[]failures.Row{in(code(errcodes.ErrorInternal), "")}, []string{`"1": internalError on a payin: reserved for the service's own failures`}},
		"systemError":                          {[]failures.Row{in(code(errcodes.ErrorSystem), "")}, []string{`"1": systemError on a payin: reserved for the service's own failures`}},
		"a row twice":                          {[]failures.Row{in(declined, ""), in(declined, "")}, []string{`"1": a second row for a payin`}},
		"a family twice":                       {[]failures.Row{row("^1", "x", declined), row("^1", "x", fraud)}, []string{`"^1 with x": a second row for a payin`, `"^1 with x": a second row for a payout`}},
		"two answers when tidied":              {[]failures.Row{in(declined, ""), row("+1", "", fraud)}, []string{`"+1": fraudBlocked on a payin, but a row that differs only in case or blanks has declined`}},
		"two texts that are equal when tidied": {[]failures.Row{row("1", "No Funds", declined), row("1", "no+funds", fraud)}, []string{`"1 with no+funds": fraudBlocked on a payin, but a row that differs only in case or blanks has declined`, `"1 with no+funds": fraudBlocked on a payout, but a row that differs only in case or blanks has declined`}},
		"a success by text of a failure":       {[]failures.Row{row("1", "paid", failures.AnswerSuccess), in(declined, ""), in("", fraud)}, []string{`"1 with paid": success on a payin, but the code alone has declined`, `"1 with paid": success on a payout, but the code alone has fraudBlocked`}},
		"several mistakes in one row":          {[]failures.Row{{}}, []string{`"": the code is empty`, `"": confidence is "", want sure or judgement`, `"": payin and payout are empty`}},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, failures.Lint(c.rows)) })
	}
}

func TestLintAcceptsSoundRows(t *testing.T) {
	for name, rows := range map[string][]failures.Row{
		"no row":                         nil,
		"two directions in two rows":     {{Code: "1", Payin: declined, Confidence: failures.Sure}, {Code: "1", Payout: fraud, Confidence: failures.Judgement}},
		"rows that are not failures":     {row("0", "", failures.AnswerSuccess), row("1", "", failures.AnswerPending)},
		"a card's code on a payin":       {{Code: "1", Payin: failures.Answer(errcodes.Failure3DSNotCompleted), Confidence: failures.Sure}},
		"a code with and without a text": {row("1", "", declined), row("1", "funds", fraud)},
		"a success by text alone":        {row("1", "paid", failures.AnswerSuccess), row("1", "", failures.AnswerPending)},
		"texts that differ":              {row("1", "funds", declined), row("1", "fund", fraud)},
		"the same answer for two codes that are equal when tidied": {row("a", "", declined), row("A", "", declined)},
		"codes that differ in their zeros":                         {row("01", "", declined), row("1", "", fraud)},
		"families that overlap":                                    {row("^1", "", declined), row("^1.", "", fraud)},
		"families that differ in case":                             {row("^A", "", declined), row("^a", "", fraud)},
	} {
		assert.Empty(t, failures.Lint(rows), name)
		_, err := failures.New(overrides(own, rows...))
		require.NoError(t, err, name)
	}
}
