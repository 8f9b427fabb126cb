package cmd

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
)

func TestNormalisePrintsTheMeaning(t *testing.T) {
	const beyond = "a code of tomorrow"
	scheme, open := openCode(t)
	for name, c := range map[string]struct {
		args []string
		want map[string]any
	}{
		"a failure": {
			[]string{"mpesa-daraja", "1037", "--direction", "payin"},
			map[string]any{"state": "failed", "code": "timeout", "connectorFailureCode": "1037", "known": true},
		},
		"an error": {
			[]string{"--direction", "payout", "iso8583", "51"},
			map[string]any{"state": "error", "code": "payoutInsufficientFunds", "connectorFailureCode": "51", "known": true},
		},
		"a message": {
			[]string{"iso8583", "55", "--direction", "payin", "--message", "no <way>\n"},
			map[string]any{"state": "failed", "code": "invalidPin", "connectorFailureCode": "55", "connectorFailureMessage": "no <way>\n", "known": true},
		},
		"no failure": {
			[]string{"iso8583", "00", "--direction", "payin"},
			map[string]any{"outcome": "success", "connectorFailureCode": "00", "known": true},
		},
		"still open": {
			[]string{string(scheme), open, "--direction", "payin"},
			map[string]any{"outcome": "pending", "connectorFailureCode": open, "known": true},
		},
		"a number of a relay in Java": {
			[]string{"mpesa-daraja", "0.0", "--direction", "payin"},
			map[string]any{"outcome": "success", "connectorFailureCode": "0.0", "known": true},
		},
		"I26: an unknown code": {
			[]string{"stripe", beyond, "--direction", "payin"},
			map[string]any{"state": "failed", "code": "declined", "connectorFailureCode": beyond, "known": false},
		},
		"I26: an unknown error": {
			[]string{"stripe", beyond, "--direction", "payin", "--state", "error"},
			map[string]any{"state": "error", "code": "downstreamError", "connectorFailureCode": beyond, "known": false},
		},
		"I26: bytes that are not UTF-8": {
			[]string{"stripe", "a\xff\x01", "--direction", "payin"},
			map[string]any{"state": "failed", "code": "declined", "connectorFailureCode": "a\ufffd\x01", "known": false},
		},
		"no code, but a message": {
			[]string{"iso8583", "", "--direction", "payin", "--message", "00"},
			map[string]any{"outcome": "success", "known": true},
		},
		"neither code nor message": {
			[]string{"iso8583", "", "--direction", "payin"},
			map[string]any{"state": "failed", "code": "declined", "known": false},
		},
		"a code that looks like a flag": {
			[]string{"iso8583", "--direction", "payin", "--", "-1"},
			map[string]any{"state": "failed", "code": "declined", "connectorFailureCode": "-1", "known": false},
		},
		"a code that looks like standard input": {
			[]string{"iso8583", "-", "--direction", "payin"},
			map[string]any{"state": "failed", "code": "declined", "connectorFailureCode": "-", "known": false},
		},
		"the longest code": {
			[]string{"iso8583", strings.Repeat("x", 64<<10), "--direction", "payin"},
			map[string]any{"state": "failed", "code": "declined", "connectorFailureCode": strings.Repeat("x", 64<<10), "known": false},
		},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now().Add(-time.Millisecond)
			code, out, errs := command(t, "", nil, append([]string{"normalise"}, c.args...)...)
			require.Zero(t, code, errs)
			require.Empty(t, errs)
			require.Equal(t, 1, strings.Count(out, "\n"), out)
			var answer map[string]any
			require.NoError(t, json.Unmarshal([]byte(out), &answer))
			requireMeaning(t, answer, c.want, began)
		})
	}
}

// openCode returns a code that by itself means that a payin is still open.
func openCode(t *testing.T) (failures.Scheme, string) {
	t.Helper()
	for _, scheme := range failures.Schemes() {
		for _, r := range failures.Rows(scheme) {
			if r.Payin == failures.AnswerPending && r.Message == "" && r.Code[0] != '^' && r.Code[0] != '-' {
				return scheme, r.Code
			}
		}
	}
	require.FailNow(t, "no table has one")
	return "", ""
}

// requireMeaning compares a result without its time and summary.
func requireMeaning(t *testing.T, got, want map[string]any, began time.Time) {
	t.Helper()
	if _, failure := want["state"]; failure {
		at, err := time.Parse(time.RFC3339, got["transitionedAt"].(string))
		require.NoError(t, err)
		require.WithinRange(t, at, began, time.Now())
		code := errcodes.TransactionCode(want["code"].(string))
		require.Equal(t, code.Row().Message, got["message"])
		delete(got, "transitionedAt")
		delete(got, "message")
	}
	require.Equal(t, want, got)
}

func TestWhatNormaliseRejects(t *testing.T) {
	long := strings.Repeat("0690000032", 7000)
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"nothing":                     {nil, "scheme"},
		"no code":                     {[]string{"iso8583", "--direction", "payin"}, "code"},
		"no direction":                {[]string{"iso8583", "51"}, "direction must be"},
		"an unknown direction":        {[]string{"iso8583", "51", "--direction", "sideways"}, "direction must be"},
		"a direction in another case": {[]string{"iso8583", "51", "--direction", "Payin"}, "direction must be"},
		"an unknown scheme":           {[]string{"carrier-pigeon", "51", "--direction", "payin"}, "scheme is not known"},
		"an empty scheme":             {[]string{"", "51", "--direction", "payin"}, "scheme"},
		"an unknown state":            {[]string{"iso8583", "51", "--direction", "payin", "--state", "sad"}, "state must be"},
		"a third argument":            {[]string{"iso8583", "51", "52", "--direction", "payin"}, "52"},
		"an unknown flag":             {[]string{"iso8583", "51", "--direction", "payin", "--loud"}, "--loud"},
		"a flag for a code":           {[]string{"iso8583", "-1", "--direction", "payin"}, "-1"},
		"a code too long":             {[]string{"iso8583", long, "--direction", "payin"}, "64 KiB"},
		"a message too long":          {[]string{"iso8583", "51", "--direction", "payin", "--message", long}, "64 KiB"},
		"unmapped without lines":      {[]string{"iso8583", "51", "--direction", "payin", "--unmapped"}, "--unmapped"},
		"lines with a code":           {[]string{"-", "51"}, "from each line"},
		"lines with a direction":      {[]string{"-", "--direction", "payin"}, "from each line"},
		"lines with a message":        {[]string{"-", "--message", "m"}, "from each line"},
		"lines with a state":          {[]string{"-", "--state", "error"}, "from each line"},
		"lines with an empty code":    {[]string{"-", ""}, "from each line"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := command(t, "", nil, append([]string{"normalise"}, c.args...)...)
			assert.Equal(t, exitRejected, code)
			assert.Empty(t, out)
			assert.Equal(t, 1, strings.Count(errs, "\n"), "one line: %s", errs)
			assert.Contains(t, errs, c.says)
			requireUntold(t, errs, long)
		})
	}
}

func TestNormaliseHelpListsTheSchemes(t *testing.T) {
	code, out, _ := command(t, "", nil, "normalise", "--help")
	require.Zero(t, code)
	for _, part := range []string{"iso8583", "mpesa-daraja", "tingg", "--unmapped", `"line"`, "-- -1"} {
		require.Contains(t, out, part)
	}
}
