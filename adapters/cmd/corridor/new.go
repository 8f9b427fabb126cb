package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/corridor-go/corridor/adapters/cmd/corridor/internal/skeleton"
	"github.com/corridor-go/corridor/adapters/service"
)

type newCmd struct {
	Connector newConnectorCmd `cmd:"" help:"Write the skeleton of a connector, whose test calls the conformance suite."`
}

type newConnectorCmd struct {
	Name string `arg:""                                                        help:"The connector's name, as results will show it: lower-case letters, digits, hyphens."`
	Dir  string `help:"The folder to make; default ./NAME. It must not exist." type:"path"`
}

// Run writes the package. It touches nothing beside its folder.
func (c *newConnectorCmd) Run(world *surroundings) error {
	dir := cmp.Or(c.Dir, c.Name)
	connectors := parts().Connectors
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
	text.WriteString("made:\n")
	for _, f := range files {
		text.WriteString("  " + filepath.Join(dir, filepath.FromSlash(f.Path)) + "\n")
	}
	_, _ = fmt.Fprintf(&text, `next:
  1. go test in %[1]s: it passes, against a provider that is made up.
  2. Put what your provider documents where the word ASSUMED stands (grep -rn ASSUMED %[1]s),
     scenarios first; internal/docs/connectors.md of corridor shows how.
`, dir)
	_, err := fmt.Fprint(world.stdout, text.String())
	return err
}
