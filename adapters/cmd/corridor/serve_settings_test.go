package main

import (
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/service"
)

// TestDefaultsAreThoseOfTheFlags: who embeds the service begins where a command
// line does.
func TestDefaultsAreThoseOfTheFlags(t *testing.T) {
	t.Setenv("CORRIDOR_REPORT_FILES", service.Defaults().Reports.ReportFiles) // the tests have a folder of their own there
	var cli commands
	parser, err := kong.New(&cli, kong.Vars(parts().Vars()))
	require.NoError(t, err)
	_, err = parser.Parse([]string{"serve"})
	require.NoError(t, err)
	require.Equal(t, service.Defaults(), cli.Serve.Settings)
}
