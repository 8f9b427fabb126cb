package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/corridor-go/corridor/adapters/cmd/internal/skeleton"
	"github.com/corridor-go/corridor/adapters/service"
	"github.com/corridor-go/corridor/ports"
)

type newCmd struct {
	Kind string `arg:""                                                          enum:"connector,feed,sink,codes,store"                              help:"What to create: a connector (looks accounts up), a feed (prices), a sink (receives events), codes (failure codes of a scheme) or a store."`
	Name string `arg:""                                                          help:"The adapter's name: lower-case letters, digits, hyphens."`
	Dir  string `help:"The folder to create; default ./NAME. It must not exist." type:"path"`
}

// Run creates the package, with a go.mod unless it is in a module. It writes only to its
// folder.
func (c *newCmd) Run(world *surroundings) error {
	dir := cmp.Or(c.Dir, c.Name)
	if err := errors.Join(skeleton.CheckName(c.Name, namesInUse(c.Kind, world.parts)), skeleton.CheckFolder(dir)); err != nil {
		return service.Reject(err)
	}
	files, err := skeleton.Files(c.Kind, c.Name)
	if err != nil {
		return err
	}
	module, err := skeleton.ModuleOf(dir)
	if err != nil {
		return service.Reject(err)
	}
	if module == "" {
		module = dir
		files = append(files, skeleton.GoMod(c.Name))
	}
	if err := skeleton.Write(dir, files); err != nil {
		return service.Reject(err)
	}
	return c.announce(world, dir, module, files)
}

// namesInUse returns the names that a new adapter of the kind must not have. Sinks have no
// names, and codes may be named after the scheme that they add to.
func namesInUse(kind string, p service.Parts) []string {
	var names []string
	switch kind {
	case "connector":
		names = append(names, ports.ProviderRules)
		for _, c := range p.Connectors {
			names = append(names, c.Name)
		}
	case "feed":
		for _, f := range p.Feeds {
			names = append(names, f.Name)
		}
	case "store":
		for _, s := range p.Stores {
			names = append(names, s.Name)
		}
	}
	return names
}

// announce prints what was created and what to do next in the module.
func (c *newCmd) announce(world *surroundings, dir, module string, files []skeleton.File) error {
	pkg, err := packageIn(module, dir)
	if err != nil {
		return err
	}
	workspace, err := skeleton.Workspace(module)
	if err != nil {
		return err
	}
	var text strings.Builder
	text.WriteString("created:\n")
	for _, f := range files {
		text.WriteString("  " + filepath.Join(dir, filepath.FromSlash(f.Path)) + "\n")
	}
	begin, use := newWorkspace, portUse
	if workspace {
		begin = ""
	}
	if c.Kind == "codes" {
		use = codesUse
	}
	_, _ = fmt.Fprintf(&text, nextSteps, module, pkg, c.Kind, begin, use)
	_, err = fmt.Fprint(world.stdout, text.String())
	return err
}

// packageIn returns the folder dir of a module as the go command names it.
func packageIn(module, dir string) (string, error) {
	from, err := filepath.Abs(module)
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(from, to)
	if rel == "." {
		return rel, err
	}
	return "./" + filepath.ToSlash(rel), err
}

// nextSteps has the arguments module, package, kind, beginning of the workspace and use. A
// test runs the commands.
const nextSteps = `next, in %[1]s:
  1. Unless the module finds corridor already, which has no release yet: here its clone is ../corridor.
     If your clone is elsewhere, write its path in place of ../corridor.
       %[4]sgo work use . $(GOFLAGS= go -C ../corridor list -m -f '{{.Dir}}')
     go mod tidy does not know workspaces: corridor's internal/docs/embedding.md has replace lines for it.
  2. Run the port's suite. It passes with what is invented.
       go test -v %[2]s
  3. Replace what is marked ASSUMED; the tests fail until the code follows.
       grep -rn ASSUMED %[2]s
  4. Read corridor's internal/docs/adapters/%[3]s.md: the order of the steps, the contract, common
     mistakes. %[5]s
`

// newWorkspace creates the workspace of a module that has none.
const newWorkspace = "cp ../corridor/go.work.sum . && go work init && "

// What step 4 says of the use of an adapter and of codes.
const (
	portUse  = "README.md beside it has the main of 20 lines that makes the adapter part of corridor serve."
	codesUse = "It shows how the codes go into authstate.Policy; corridor serve and normalise do not read them yet."
)
