package cmd

import (
	"os"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/service"
)

// An embedder starts with the same defaults as a command line.
func TestDefaultsEqualTheFlags(t *testing.T) {
	for _, name := range []string{"CORRIDOR_REPORT_FILES", "CORRIDOR_RATE_LIMIT", "CORRIDOR_ADDRESS_LIMIT"} { // the tests set their own
		t.Setenv(name, "")
		require.NoError(t, os.Unsetenv(name))
	}
	var cli commands
	parser, err := kong.New(&cli, kong.Vars(parts().Vars()))
	require.NoError(t, err)
	_, err = parser.Parse([]string{"serve"})
	require.NoError(t, err)
	require.Equal(t, service.Defaults(), cli.Serve.Settings)
}
