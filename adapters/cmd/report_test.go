package cmd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReportWritesFileAndManifest(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "u.csv")
	code, told, errs := command(t, "", nil, "report", "unmatched", "--from", "2026-10-01", "--to", "2026-10-31", "--sandbox",
		"--columns", "reason,reference", "--filter", "reason=amount_mismatch|status_mismatch", "--out", out)
	require.Zero(t, code, errs)
	require.Equal(t, out+"\n"+out+".manifest.json\n", told)
	text, err := os.ReadFile(out)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	require.Equal(t, "reason,reference", strings.TrimSpace(lines[0]))
	require.Greater(t, len(lines), 2)
	for _, line := range lines[1:] {
		require.Regexp(t, `^(amount|status)_mismatch,`, line)
	}
	var manifest struct{ Rows int }
	text, err = os.ReadFile(out + ".manifest.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &manifest))
	require.Equal(t, len(lines)-1, manifest.Rows)
	require.Contains(t, errs, "rows")
}

func TestReportRejectsBadFlags(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"without --sandbox":  {[]string{"transactions", "--from", "2026-10-01"}, "--sandbox"},
		"another kind":       {[]string{"refunds", "--from", "2026-10-01", "--sandbox"}, "refunds"},
		"no day":             {[]string{"transactions", "--sandbox"}, "--from"},
		"an impossible day":  {[]string{"transactions", "--from", "2026-02-30", "--sandbox"}, "startDate"},
		"an unknown column":  {[]string{"transactions", "--from", "2026-10-01", "--columns", "x", "--sandbox"}, "columns"},
		"a malformed filter": {[]string{"transactions", "--from", "2026-10-01", "--filter", "x", "--sandbox"}, "--filter"},
		"an unknown filter":  {[]string{"transactions", "--from", "2026-10-01", "--filter", "x=1", "--sandbox"}, "filters"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := command(t, "", nil, append([]string{"report"}, c.args...)...)
			require.Equal(t, exitRejected, code, errs)
			require.Empty(t, out)
			require.Contains(t, errs, c.says)
		})
	}
}

func TestOnlyTheOwnerCanReadTheReportFile(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.csv")
	code, _, errs := command(t, "", nil, "report", "unmatched", "--from", "2026-10-01", "--sandbox", "--out", out)
	require.Zero(t, code, errs)
	for _, path := range []string{out, out + ".manifest.json"} {
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode())
	}
}
