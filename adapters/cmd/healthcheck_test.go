package cmd

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHealthcheck(t *testing.T) {
	s := serve(t, nil, "--sandbox", "--store", "memory:")
	address := strings.TrimPrefix(s.url, "http://")
	code, out, _ := command(t, "", nil, "healthcheck", "--listen", address)
	require.Zero(t, code)
	require.JSONEq(t, `{"status":"ok"}`, out)
	require.Zero(t, s.stop())
	code, _, _ = command(t, "", nil, "healthcheck", "--listen", address)
	require.Equal(t, exitFailed, code)
	code, _, _ = command(t, "", nil, "healthcheck", "--listen", "nonsense")
	require.Equal(t, exitRejected, code)
}
