package cmd

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A mistyped setting must not create a database file.
func TestARejectedSettingTouchesNoStore(t *testing.T) {
	dir := t.TempDir()
	none := filepath.Join(dir, "none")
	for name, args := range map[string][]string{
		"no feed":              {},
		"no clients":           {"--feed", "ecb:https://bank.example/daily.xml"},
		"no such clients file": {"--sandbox", "--clients-file", none},
		"no such feed file":    {"--sandbox", "--feed", "file:" + none},
		"no such bank's file":  {"--sandbox", "--feed", "ecb:" + none},
		"a negative markup":    {"--sandbox", "--markup-bps=-1"},
		"a lifetime of a year": {"--sandbox", "--lock-validity", "8760h"},
	} {
		path := filepath.Join(dir, "corridor.db")
		code, _, errs := command(t, "", nil, append([]string{"serve", "--listen", "127.0.0.1:0", "--store", "sqlite:" + path}, args...)...)
		require.Equal(t, exitRejected, code, "%s: %s", name, errs)
		require.NoFileExists(t, path, name)
	}
}
