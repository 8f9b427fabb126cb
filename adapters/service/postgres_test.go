package service

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
)

// A configured timeout is kept; 0 means without limit.
func TestAConfiguredConnectTimeoutIsKept(t *testing.T) { //nolint:paralleltest // it sets the environment
	services := filepath.Join(t.TempDir(), "services")
	write(t, services, "[payments]\nconnect_timeout=11\n")
	for name, c := range map[string]struct {
		env        map[string]string
		parameters string
		want       time.Duration
	}{
		"nothing is set":         {nil, "", defaultConnectTimeout},
		"the URL's":              {nil, "?connect_timeout=7", 7 * time.Second},
		"the environment's":      {map[string]string{"PGCONNECT_TIMEOUT": "9"}, "", 9 * time.Second},
		"the URL's before both":  {map[string]string{"PGCONNECT_TIMEOUT": "9"}, "?connect_timeout=7", 7 * time.Second},
		"the service's":          {map[string]string{"PGSERVICE": "payments", "PGSERVICEFILE": services}, "", 11 * time.Second},
		"the URL's 0":            {nil, "?connect_timeout=0", 0},
		"the environment's 0":    {map[string]string{"PGCONNECT_TIMEOUT": "0"}, "", 0},
		"an empty environment's": {map[string]string{"PGCONNECT_TIMEOUT": ""}, "", defaultConnectTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			setenv(t, c.env)
			config, err := poolConfig("postgres://corridor@localhost/corridor" + c.parameters)
			require.NoError(t, err)
			require.Equal(t, c.want, config.ConnConfig.ConnectTimeout)
		})
	}
}

// A failure to lock has a code and one line, and errors of the function are unchanged.
func TestAloneReturnsACodedErrorIfItCannotLock(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	away, err := connect(ctx, "postgres://canaryrole:canarysecret@"+refusing(t)+"/corridor?sslmode=disable")
	require.NoError(t, err)
	defer away.Close()
	err = away.alone(ctx, func() error { panic("not alone") })
	require.Equal(t, errcodes.StorageUnavailable, errcodes.Of(err), "%v", err)
	requireUntold(t, err.Error(), "canary", "127.0.0.1")

	there, err := connect(t.Context(), emptyDatabase(t))
	require.NoError(t, err)
	defer there.Close()
	for _, want := range []error{nil, errors.New("uncoded"), errcodes.New(errcodes.Conflict, "")} {
		require.Equal(t, want, there.alone(t.Context(), func() error { return want }))
	}
	cancel()
	require.Equal(t, errcodes.Canceled, errcodes.Of(away.alone(ctx, func() error { panic("not alone") })))
}
