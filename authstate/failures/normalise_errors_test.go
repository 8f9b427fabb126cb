package failures_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// An error stands beside a result that can be used (I26).
func TestErrorsHaveTheirFallback(t *testing.T) {
	long := strings.Repeat("x", ports.MaxRaw+1)
	told := 0
	n := normaliser(t, &failures.Config{Unmapped: func(failures.Result) { told++ }})
	for name, c := range map[string]struct {
		in      failures.Input
		want    errcodes.Code
		message string
	}{
		"no scheme":                {failures.Input{Direction: errcodes.Payin, Code: "0"}, errcodes.InvalidRequest, "scheme is not known"},
		"a scheme that is none":    {payin("carrier-pigeon", "0", ""), errcodes.InvalidRequest, "scheme is not known"},
		"no direction":             {failures.Input{Scheme: failures.Stripe}, errcodes.InvalidRequest, "direction must be payin or payout"},
		"a direction that is none": {failures.Input{Scheme: failures.Stripe, Direction: "sideways"}, errcodes.InvalidRequest, "direction must be payin or payout"},
		"a state that is none":     {failures.Input{Scheme: failures.Stripe, Direction: errcodes.Payin, State: "sad"}, errcodes.InvalidRequest, "state must be failed or error"},
		"a code too long":          {payin(failures.Stripe, long, ""), errcodes.PayloadTooLarge, "A raw code or message is above 64 KiB"},
		"a message too long":       {payin(failures.Stripe, "0", long), errcodes.PayloadTooLarge, "A raw code or message is above 64 KiB"},
	} {
		r, err := n.Normalise(c.in)
		require.ErrorIs(t, err, c.want, name)
		assert.Equal(t, c.message, errcodes.MessageOf(err), name)
		if c.want == errcodes.InvalidRequest {
			var details errcodes.FieldDetails
			require.ErrorAs(t, err, &details, name)
			assert.Equal(t, c.message, details.Fields[0].Name+" "+details.Fields[0].Reason, name)
		}
		assert.Equal(t, errcodes.FailureDeclined, r.Code, name)
		assert.Equal(t, failures.Failed, r.Outcome, name)
		assert.Equal(t, failures.MatchFallback, r.MatchedBy, name)
		assert.True(t, r.Raw.Code == c.in.Code && r.Raw.Message == c.in.Message, name)
		if c.in.State == "" {
			c.in.State = errcodes.StateError
			r, err = n.Normalise(c.in)
			require.ErrorIs(t, err, c.want, name)
			assert.Equal(t, errcodes.ErrorDownstream, r.Code, name)
			assert.Equal(t, failures.Errored, r.Outcome, name)
		}
	}
	assert.Zero(t, told, "an input that is none says nothing of the tables")
}

func TestUnmappedIsToldOfFallbacksAlone(t *testing.T) {
	var told []failures.Result
	n := normaliser(t, &failures.Config{Unmapped: func(r failures.Result) { told = append(told, r) }})
	for _, code := range []string{"05", "5", "51 : x", "0"} {
		_, err := n.Normalise(payin(failures.ISO8583, code, ""))
		require.NoError(t, err)
	}
	assert.Empty(t, told)
	r, err := n.Normalise(payin(failures.ISO8583, "unheard of", "text"))
	require.NoError(t, err)
	assert.Equal(t, []failures.Result{r}, told)
}

func TestBadOverridesAreRefused(t *testing.T) {
	for name, c := range map[string]*failures.Config{
		"no scheme":                overrides("", row("1", "", declined)),
		"no answer":                overrides(own, row("1", "", "")),
		"a family that is none":    overrides(own, row("^(", "", declined)),
		"a code that is none":      overrides(failures.Stripe, row("1", "", "bogus")),
		"a deprecated code":        overrides(own, row("1", "", failures.Answer(errcodes.FailureInsufficientFunds))),
		"another direction's code": overrides(own, row("1", "", failures.Answer(errcodes.FailurePayinInsufficientFunds))),
	} {
		n, err := failures.New(c)
		require.ErrorIs(t, err, errcodes.Configuration, name)
		assert.Nil(t, n, name)
	}
}

func TestARefusalOfOverridesListsAllThatIsWrong(t *testing.T) {
	_, err := failures.New(overrides(own, failures.Row{}))
	assert.Equal(t, "overrides of "+string(own)+`: "": no code; "": confidence is "", want sure or judgement; "": no answer`, errcodes.MessageOf(err))
}

// The caller's rows are its own: changing them later changes nothing.
func TestOverridesAreCopied(t *testing.T) {
	rows := []failures.Row{row("1", "", declined)}
	config := overrides(own, rows...)
	n := normaliser(t, config)
	config.Overrides[own][0] = row("1", "", fraud)
	delete(config.Overrides, own)
	r, err := n.Normalise(payin(own, "1", ""))
	require.NoError(t, err)
	assert.Equal(t, errcodes.FailureDeclined, r.Code)
}
