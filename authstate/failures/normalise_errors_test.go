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

// I26.
func TestAnInvalidInputHasAnErrorAndAFallbackResult(t *testing.T) {
	long := strings.Repeat("x", ports.MaxRaw+1)
	unmapped := 0
	n := normaliser(t, &failures.Config{Unmapped: func(failures.Result) { unmapped++ }})
	for name, c := range map[string]struct {
		in      failures.Input
		want    errcodes.Code
		message string
	}{
		"no scheme":            {failures.Input{Direction: errcodes.Payin, Code: "0"}, errcodes.InvalidRequest, `scheme is not known: ""`},
		"an unknown scheme":    {payin("carrier-pigeon", "0", ""), errcodes.InvalidRequest, `scheme is not known: "carrier-pigeon"`},
		"no direction":         {failures.Input{Scheme: failures.Stripe}, errcodes.InvalidRequest, `direction must be payin or payout, not ""`},
		"an unknown direction": {failures.Input{Scheme: failures.Stripe, Direction: "sideways"}, errcodes.InvalidRequest, `direction must be payin or payout, not "sideways"`},
		"an unknown state":     {failures.Input{Scheme: failures.Stripe, Direction: errcodes.Payin, State: "sad"}, errcodes.InvalidRequest, `state must be failed or error, not "sad"`},
		"a code too long":      {payin(failures.Stripe, long, ""), errcodes.PayloadTooLarge, "A raw code or message has more than 64 KiB"},
		"a message too long":   {payin(failures.Stripe, "0", long), errcodes.PayloadTooLarge, "A raw code or message has more than 64 KiB"},
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
	assert.Zero(t, unmapped, "an invalid input is not an unmapped code")
}

func TestUnmappedIsCalledForFallbacksOnly(t *testing.T) {
	var unmapped []failures.Result
	n := normaliser(t, &failures.Config{Unmapped: func(r failures.Result) { unmapped = append(unmapped, r) }})
	for _, code := range []string{"05", "5", "51 : x", "0"} {
		_, err := n.Normalise(payin(failures.ISO8583, code, ""))
		require.NoError(t, err)
	}
	assert.Empty(t, unmapped)
	r, err := n.Normalise(payin(failures.ISO8583, "unheard of", "text"))
	require.NoError(t, err)
	assert.Equal(t, []failures.Result{r}, unmapped)
}

func TestOverridesWithMistakesAreRejected(t *testing.T) {
	for name, c := range map[string]*failures.Config{
		"no scheme":                overrides("", row("1", "", declined)),
		"no answer":                overrides(own, row("1", "", "")),
		"a broken family":          overrides(own, row("^(", "", declined)),
		"an unknown code":          overrides(failures.Stripe, row("1", "", "bogus")),
		"a deprecated code":        overrides(own, row("1", "", failures.Answer(errcodes.FailureInsufficientFunds))),
		"another direction's code": overrides(own, row("1", "", failures.Answer(errcodes.FailurePayinInsufficientFunds))),
	} {
		n, err := failures.New(c)
		require.ErrorIs(t, err, errcodes.Configuration, name)
		assert.Nil(t, n, name)
	}
}

func TestTheErrorForOverridesListsEveryMistake(t *testing.T) {
	_, err := failures.New(overrides(own, failures.Row{}))
	assert.Equal(t, "overrides of "+string(own)+`: "": the code is empty; "": confidence is "", want sure or judgement; "": payin and payout are empty`, errcodes.MessageOf(err))
}

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
