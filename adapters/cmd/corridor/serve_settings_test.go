package main

import (
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/service"
)

// An embedder starts with the same defaults as a command line.
func TestDefaultsEqualTheFlags(t *testing.T) {
	t.Setenv("CORRIDOR_REPORT_FILES", service.Defaults().Reports.ReportFiles) // the tests use their own folder
	var cli commands
	parser, err := kong.New(&cli, kong.Vars(parts().Vars()))
	require.NoError(t, err)
	_, err = parser.Parse([]string{"serve"})
	require.NoError(t, err)
	require.Equal(t, service.Defaults(), cli.Serve.Settings)
}
