package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/modfile"
)

// parsed returns a module whose go.mod has the lines.
func parsed(t *testing.T, dir, lines string) Module {
	t.Helper()
	path := root
	if dir != "." {
		path += "/" + dir
	}
	file, err := modfile.Parse("go.mod", []byte("module "+path+"\n\ngo 1.26.0\n\n"+lines), nil)
	require.NoError(t, err)
	return Module{Dir: dir, Path: path, File: file}
}

func TestModulesComeAfterTheirRequirements(t *testing.T) {
	base := parsed(t, ".", "require example.com/x v1.0.0")
	store := parsed(t, "adapters/sqlite", "require "+root+" v0.0.0")
	command := parsed(t, "adapters/cmd", "require "+root+"/adapters/sqlite v0.0.0")
	order, err := sorted([]Module{command, store, base})
	require.NoError(t, err)
	assert.Equal(t, []string{".", "adapters/sqlite", "adapters/cmd"}, []string{order[0].Dir, order[1].Dir, order[2].Dir})

	_, err = sorted([]Module{command, base})
	require.ErrorContains(t, err, "cycle", "it requires one that is not there")
	circle := parsed(t, "adapters/sqlite", "require "+root+"/adapters/cmd v0.0.0")
	_, err = sorted([]Module{base, command, circle})
	require.ErrorContains(t, err, "cycle")
}

func TestModulesAreThoseOfTheWorkspace(t *testing.T) {
	modules, err := Modules("../../..")
	require.NoError(t, err)
	require.Equal(t, ".", modules[0].Dir)
	require.Equal(t, "v0.1.0", modules[0].tag("v0.1.0"))
	last := modules[len(modules)-1]
	require.Equal(t, "adapters/cmd", last.Dir)
	require.Equal(t, "adapters/cmd/v0.1.0", last.tag("v0.1.0"))
	for i := range modules {
		require.NotEqual(t, "internal/integration", modules[i].Dir)
	}
}

func TestAReleaseRequiresTheVersion(t *testing.T) {
	m := parsed(t, "adapters/cmd", "require "+root+" v0.0.0\n\nreplace "+root+" => ../..")
	require.NoError(t, m.at("v0.1.0"))
	text, err := m.File.Format()
	require.NoError(t, err)
	assert.Contains(t, string(text), "require "+root+" v0.1.0")
	assert.NotContains(t, string(text), "replace")

	foreign := parsed(t, "adapters/cmd", "replace example.com/x => ../x")
	require.ErrorContains(t, foreign.at("v0.1.0"), "example.com/x", "a release cannot replace what it requires")
}

func TestReleaseRejectsBadVersionsAndTrees(t *testing.T) {
	for _, version := range []string{"", "0.1.0", "v0.1", "v2.0.0", "v0.1.0+build"} {
		_, err := Release(t.Context(), t.TempDir(), version, Proxy(t.TempDir()))
		assert.ErrorContains(t, err, "version", version)
	}
	repository := t.TempDir()
	for _, args := range [][]string{{"init", "--quiet"}, {"-c", "user.name=c", "-c", "user.email=c@example.com", "commit", "--quiet", "--allow-empty", "--message", "begun"}} {
		_, err := git(t.Context(), repository, args...)
		require.NoError(t, err)
	}
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(repository, name), []byte(text), 0o600))
	}
	write("go.mod", "module "+root+"\n\ngo 1.26.0\n")
	write("go.work", "go 1.26.0\n\nuse .\n")
	_, err := Release(t.Context(), repository, rehearsed, Proxy(t.TempDir()))
	require.ErrorContains(t, err, "changes")

	for _, args := range [][]string{{"add", "--all"}, {"-c", "user.name=c", "-c", "user.email=c@example.com", "commit", "--quiet", "--message", "a module"}, {"tag", rehearsed}} {
		_, err := git(t.Context(), repository, args...)
		require.NoError(t, err)
	}
	_, err = Release(t.Context(), repository, rehearsed, Proxy(t.TempDir()))
	require.ErrorContains(t, err, "tag "+rehearsed+" exists")
}
