package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/corridor-go/corridor/adapters/cmd/internal/skeleton"
	"github.com/corridor-go/corridor/adapters/service"
)

type newCmd struct {
	Connector newConnectorCmd `cmd:"" help:"Create the skeleton of a connector with a test that runs the conformance suite."`
}

type newConnectorCmd struct {
	Name string `arg:""                                                          help:"The connector's name in results: lower-case letters, digits, hyphens."`
	Dir  string `help:"The folder to create; default ./NAME. It must not exist." type:"path"`
}

// Run creates the package. It writes only to its folder.
func (c *newConnectorCmd) Run(world *surroundings) error {
	dir := cmp.Or(c.Dir, c.Name)
	connectors := world.parts.Connectors
	taken := make([]string, len(connectors))
	for i, kind := range connectors {
		taken[i] = kind.Name
	}
	if err := errors.Join(skeleton.CheckName(c.Name, taken), skeleton.CheckFolder(dir)); err != nil {
		return service.Reject(err)
	}
	files, err := skeleton.Connector(c.Name)
	if err != nil {
		return err
	}
	if err := skeleton.Write(dir, files); err != nil {
		return service.Reject(err)
	}
	return announce(world, dir, files)
}

func announce(world *surroundings, dir string, files []skeleton.File) error {
	var text strings.Builder
	text.WriteString("created:\n")
	for _, f := range files {
		text.WriteString("  " + filepath.Join(dir, filepath.FromSlash(f.Path)) + "\n")
	}
	_, _ = fmt.Fprintf(&text, `next:
  1. go test in %[1]s: it passes with an invented provider.
  2. Replace everything marked ASSUMED (grep -rn ASSUMED %[1]s) by what your provider documents,
     scenarios first; see internal/docs/connectors.md of corridor.
`, dir)
	_, err := fmt.Fprint(world.stdout, text.String())
	return err
}
