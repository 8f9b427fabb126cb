package cmd

import (
	"cmp"
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

type versionCmd struct {
	JSON bool `help:"Print one JSON object." name:"json"`
}

// Help names the flag that does the same.
func (versionCmd) Help() string { return `"corridor --version" prints the same.` }

// build describes the program.
type build struct {
	Version  string `json:"version"`            // of corridor; devel if it is unknown
	Commit   string `json:"commit,omitempty"`   // of the program's own repository, if that is corridor's
	Modified bool   `json:"modified,omitempty"` // the working tree differed from the commit
	Go       string `json:"go"`
}

// Run prints what the Go tool has recorded in the program.
func (c *versionCmd) Run(world *surroundings) error {
	info, _ := debug.ReadBuildInfo()
	b := buildOf(info)
	if c.JSON {
		return json.NewEncoder(world.stdout).Encode(b)
	}
	_, err := fmt.Fprintln(world.stdout, b)
	return err
}

const module = "github.com/corridor-go/corridor"

// buildOf returns the build of a program, which may be another than corridor with corridor
// as a dependency. info may be nil.
func buildOf(info *debug.BuildInfo) build {
	b := build{Version: "devel", Go: runtime.Version()}
	if info == nil {
		return b
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	version := info.Main.Version
	if ours(info.Main.Path) {
		b.Commit, b.Modified = settings["vcs.revision"], settings["vcs.modified"] == "true"
	} else {
		version = ""
		for _, m := range info.Deps {
			if m.Path == module+"/adapters/cmd" {
				version = m.Version
			}
		}
	}
	if version != "" && version != "(devel)" && version != "v0.0.0" { // v0.0.0 is a replaced module
		b.Version = version
	}
	return b
}

func ours(path string) bool { return path == module || strings.HasPrefix(path, module+"/") }

// String returns the build in one line.
func (b build) String() string {
	commit := cmp.Or(b.Commit, "unknown")
	if b.Modified {
		commit += " (modified)"
	}
	return "corridor " + b.Version + ", commit " + commit + ", " + b.Go
}
