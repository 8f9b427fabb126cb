package cmd

import (
	"encoding/json"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVersionIsThatOfCorridor(t *testing.T) {
	vcs := []debug.BuildSetting{{Key: "vcs.revision", Value: "1a2b3c"}, {Key: "vcs.modified", Value: "true"}}
	dependency := []*debug.Module{{Path: "example.com/other", Version: "v9.9.9"}, {Path: module + "/adapters/cmd", Version: "v1.2.3"}}
	for name, c := range map[string]struct {
		info *debug.BuildInfo
		want build
		line string
	}{
		"unknown": {nil, build{Version: "devel"}, "corridor devel, commit unknown, "},
		"built in the repository": {
			&debug.BuildInfo{Main: debug.Module{Path: module + "/adapters/cmd", Version: "(devel)"}, Settings: vcs},
			build{Version: "devel", Commit: "1a2b3c", Modified: true}, "corridor devel, commit 1a2b3c (modified), ",
		},
		"installed": {
			&debug.BuildInfo{Main: debug.Module{Path: module + "/adapters/cmd", Version: "v1.2.3"}},
			build{Version: "v1.2.3"}, "corridor v1.2.3, commit unknown, ",
		},
		"a program with adapters of its own": {
			&debug.BuildInfo{Main: debug.Module{Path: "example.com/shop", Version: "v7.0.0"}, Deps: dependency, Settings: vcs},
			build{Version: "v1.2.3"}, "corridor v1.2.3, commit unknown, ",
		},
		"a program beside a working copy of corridor": {
			&debug.BuildInfo{Main: debug.Module{Path: "example.com/shop"}, Deps: []*debug.Module{{Path: module + "/adapters/cmd", Version: "v0.0.0"}}},
			build{Version: "devel"}, "corridor devel, commit unknown, ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.want.Go = runtime.Version()
			require.Equal(t, c.want, buildOf(c.info))
			require.Equal(t, c.line+runtime.Version(), c.want.String())
		})
	}
}

func TestVersionIsPrinted(t *testing.T) {
	info, ok := debug.ReadBuildInfo()
	require.True(t, ok)
	for _, args := range [][]string{{"version"}, {"--version"}} {
		code, out, errs := command(t, "", nil, args...)
		require.Zero(t, code, errs)
		require.Equal(t, buildOf(info).String()+"\n", out)
	}
	code, out, errs := command(t, "", nil, "version", "--json")
	require.Zero(t, code, errs)
	var read build
	require.NoError(t, json.Unmarshal([]byte(out), &read))
	require.Equal(t, buildOf(info), read)
}
