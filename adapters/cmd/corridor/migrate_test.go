package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMigrate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "corridor.db")
	for range 2 {
		code, out, errs := command(t, "", nil, "migrate", "--store", "sqlite:"+path)
		require.Zero(t, code, errs)
		require.Contains(t, out, "up to date")
	}
	code, _, _ := command(t, "", nil, "migrate", "--store", "sqlite:"+path+"/below")
	require.Equal(t, exitRejected, code)
}
