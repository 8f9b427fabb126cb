package cmd

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// validated runs corridor validate on an account of a market.
func validated(t *testing.T, a asking, args ...string) (code int, result map[string]any, stderr string) {
	t.Helper()
	line := []string{"validate", a.Country, a.AccountType, a.AccountIdentifier}
	if a.BankCode != "" {
		line = append(line, "--bank-code", a.BankCode)
	}
	code, out, stderr := command(t, "", nil, append(line, args...)...)
	if code != exitOK && code != exitNotVerified {
		require.Empty(t, out)
		require.Equal(t, 1, strings.Count(stderr, "\n"), "one line: %s", stderr)
		return code, nil, stderr
	}
	require.Equal(t, 1, strings.Count(out, "\n"), "one line of JSON and nothing else: %s", out)
	require.NoError(t, json.Unmarshal([]byte(out), &result), out)
	return code, result, stderr
}

func TestValidatePrintsTheResult(t *testing.T) {
	t.Parallel()
	found := map[string]any{"status": "verified", "provider": "sandbox", "accountHolderName": holder, "validationType": "external"}
	standby := map[string]any{"status": "verified", "provider": "sandbox-standby", "accountHolderName": holder, "validationType": "external"}
	for name, c := range map[string]struct {
		asking asking
		args   []string
		kept   bool
		want   map[string]any
		says   string
	}{
		"found":           {nigeria.asking("4711"), []string{"--sandbox"}, true, found, ""},
		"an IBAN":         {egypt.asking("4711"), []string{"--sandbox"}, true, found, ""},
		"a mobile number": {kenyaMobile.asking("4711"), []string{"--sandbox"}, true, found, ""},
		"named":           {nigeria.asking("4711"), []string{"--sandbox", "--name", "Ama Serwaa Mensah"}, true, found, ""},
		"failed over":     {nigeria.asking("0004"), []string{"--connectors", "sandbox"}, true, standby, ""},
		"one connector":   {nigeria.asking("4711"), []string{"--connectors", "sandbox-standby"}, true, standby, ""},
		"without a cache": {nigeria.asking("4711"), []string{"--sandbox", "--validation-ttl", "0s"}, false, found, ""},
		"slow":            {nigeria.asking("0002"), []string{"--sandbox"}, true, found, "pending; waiting for sandbox\n"},
		"another name": {nigeria.asking("4711"), []string{"--sandbox", "--name", "Kofi Boateng"}, true, map[string]any{
			"status": "name_mismatch", "provider": "sandbox", "accountHolderName": holder, "validationType": "external",
			"failureReason": "The provider returned a different name",
		}, ""},
		"not found": {nigeria.asking("0000"), []string{"--sandbox"}, true, map[string]any{
			"status": "not_found", "provider": "sandbox", "validationType": "external", "failureReason": "The account does not exist",
		}, ""},
		"no answer": {nigeria.asking("0003"), []string{"--sandbox", "--validation-timeout", "1500ms"}, false, map[string]any{
			"status": "error", "provider": "sandbox-standby", "validationType": "external", "failureReason": "The provider did not answer in time",
		}, ""},
		"only the rules": {nigeria.asking("4711"), nil, false, map[string]any{
			"status": "verified", "provider": "rules", "validationType": "internal_rules",
		}, "no provider was asked: use --connectors or --sandbox\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				code, result, errs := validated(t, c.asking, c.args...)
				want := 3 // as documented
				if c.want["status"] == "verified" {
					want = exitOK
				}
				require.Equal(t, want, code, errs)
				requireResult(t, result, c.kept, c.want)
				require.Equal(t, c.says, errs)
			})
		})
	}
}

func TestWhatValidateRejects(t *testing.T) {
	good := nigeria.asking("4711")
	unserved, typeless, codeless, short := good, good, good, good
	unserved.Country, typeless.AccountType, codeless.BankCode, short.AccountIdentifier = "UGA", "purse", "", "0690174"
	for name, c := range map[string]struct {
		asking asking
		args   []string
		env    map[string]string
		says   string
	}{
		"an unsupported market":   {asking: unserved, says: "country"},
		"an unknown type":         {asking: typeless, says: "accountType"},
		"no bank code":            {asking: codeless, says: "bankCode"},
		"an account too short":    {asking: short, says: "accountIdentifier"},
		"an unknown connector":    {asking: good, args: []string{"--connectors", "oracle"}, says: "oracle"},
		"a connector without key": {asking: good, args: []string{"--connectors", "mtnmomo"}, says: "CORRIDOR_MTNMOMO_"},
		"a zero timeout":          {asking: good, args: []string{"--validation-timeout", "0s"}, says: "--validation-timeout"},
		"a negative TTL":          {asking: good, args: []string{"--validation-ttl=-1s"}, says: "--validation-ttl"},
		"malformed data keys":     {asking: good, env: map[string]string{dataKeysEnv: "hush"}, says: dataKeysEnv},
	} {
		t.Run(name, func(t *testing.T) {
			setenv(t, c.env)
			code, _, errs := validated(t, c.asking, append(c.args, "--sandbox")...)
			require.Equal(t, exitRejected, code)
			require.Contains(t, errs, c.says)
			requireUntold(t, errs, "hush", c.asking.AccountIdentifier)
		})
	}
}

// An interruption while it waits is a failure, because it has started.
func TestValidateCanBeInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out, errs screen
	world := &surroundings{ctx, strings.NewReader(""), &out, &errs, parts()}
	done := make(chan int, 1)
	a := nigeria.asking("0003")
	go func() {
		done <- run(world, []string{"validate", a.Country, a.AccountType, a.AccountIdentifier, "--bank-code", a.BankCode, "--sandbox"})
	}()
	require.Eventually(t, func() bool { return strings.Contains(errs.String(), "pending") }, patience, 5*time.Millisecond)
	cancel()
	require.Equal(t, exitFailed, await(t, "end", done))
	require.Empty(t, out.String())
}
