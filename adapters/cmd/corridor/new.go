package main

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"go/format"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/corridor-go/corridor/adapters/service"

	"github.com/corridor-go/corridor/ports"
)

//go:embed skeleton
var skeletons embed.FS

type newCmd struct {
	Connector newConnectorCmd `cmd:"" help:"Write the skeleton of a connector, whose test calls the conformance suite."`
}

type newConnectorCmd struct {
	Name string `arg:""                                                        help:"The connector's name, as results will show it: lower-case letters, digits, hyphens."`
	Dir  string `help:"The folder to make; default ./NAME. It must not exist." type:"path"`
}

// Run writes the package. It touches nothing beside its folder.
func (c *newConnectorCmd) Run(world *surroundings) error {
	dir := c.Dir
	if dir == "" {
		dir = c.Name
	}
	if err := errors.Join(checkConnectorName(c.Name), checkFolder(dir)); err != nil {
		return service.Reject(err)
	}
	files, err := renderConnector(c.Name)
	if err != nil {
		return err
	}
	if err := writeFolder(dir, files); err != nil {
		return service.Reject(err)
	}
	return announce(world, dir, files)
}

// connectorName is what ports.AccountConnector wants, and a letter first: a
// package's name begins with one.
var connectorName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)

func checkConnectorName(name string) error {
	switch {
	case !connectorName.MatchString(name):
		return fmt.Errorf("a connector's name has 1 to 32 lower-case letters, digits and hyphens, a letter first, not %q", name)
	case name == ports.ProviderRules || slices.ContainsFunc(parts().Connectors, func(k service.ConnectorKind) bool { return k.Name == name }):
		return fmt.Errorf("the name %s is taken: results would not tell the two apart", name)
	default:
		return nil
	}
}

// checkFolder refuses names that the go command gives a meaning of its own.
func checkFolder(dir string) error {
	if base := filepath.Base(dir); base == "vendor" || base == "testdata" {
		return fmt.Errorf("go builds no packages in a folder named %s; choose another by --dir", base)
	}
	return nil
}

// skeletonName is what the templates are filled with.
type skeletonName struct {
	Name    string // the connector's
	Package string
	Env     string // what its variables begin with
}

func newSkeletonName(name string) skeletonName {
	pkg := strings.ReplaceAll(name, "-", "")
	if token.IsKeyword(pkg) || pkg == "main" || pkg == "documentation" { // go build leaves the last out
		pkg += "connector"
	}
	return skeletonName{name, pkg, "CORRIDOR_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))}
}

// skeletonFile is one file of a skeleton; its path is relative, with slashes.
type skeletonFile struct {
	path string
	text []byte
}

// renderConnector fills the templates. Their delimiters are << and >>, since
// scenarios have {{secret}} in them.
func renderConnector(name string) ([]skeletonFile, error) {
	const root, suffix = "skeleton", ".tmpl"
	var files []skeletonFile
	err := fs.WalkDir(skeletons, root, func(at string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		source, err := skeletons.ReadFile(at)
		if err != nil {
			return err
		}
		text, err := render(source, newSkeletonName(name))
		if err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		to := strings.TrimSuffix(strings.TrimPrefix(at, root+"/"), suffix)
		if path.Ext(to) == ".go" {
			text, err = format.Source(text) // columns depend on the name's length
		}
		files = append(files, skeletonFile{to, text})
		return err
	})
	return files, err
}

func render(source []byte, names skeletonName) ([]byte, error) {
	t, err := template.New("").Delims("<<", ">>").Parse(string(source))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, names)
	return out.Bytes(), err
}

// writeFolder makes dir with the files in it, or leaves nothing behind.
func writeFolder(dir string, files []skeletonFile) error {
	const folders, readable = 0o755, 0o644
	if err := os.Mkdir(dir, folders); err != nil {
		return err
	}
	for _, f := range files {
		to := filepath.Join(dir, filepath.FromSlash(f.path))
		err := os.MkdirAll(filepath.Dir(to), folders)
		if err == nil {
			err = os.WriteFile(to, f.text, readable)
		}
		if err != nil {
			return errors.Join(err, os.RemoveAll(dir))
		}
	}
	return nil
}

func announce(world *surroundings, dir string, files []skeletonFile) error {
	var text strings.Builder
	text.WriteString("made:\n")
	for _, f := range files {
		text.WriteString("  " + filepath.Join(dir, filepath.FromSlash(f.path)) + "\n")
	}
	_, _ = fmt.Fprintf(&text, `next:
  1. go test in %[1]s: it passes, against a provider that is made up.
  2. Put what your provider documents where the word ASSUMED stands (grep -rn ASSUMED %[1]s),
     scenarios first; internal/docs/connectors.md of corridor shows how.
`, dir)
	_, err := fmt.Fprint(world.stdout, text.String())
	return err
}
