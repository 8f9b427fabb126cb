package archtest

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Layout is everything that may be at the top of the module, except dot files.
type Layout struct {
	Packages []string // folders with a doc.go
	Folders  []string
	Files    []string
}

// Top is the module's layout.
var Top = Layout{
	Packages: append([]string{"errcodes", "ports"}, domain...),
	Folders:  []string{"adapters", "internal"},
	Files: []string{
		"go.mod", "go.sum", "go.work", "go.work.sum", "README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md",
	},
}

// Strays returns what must not be at the top, and what is missing there. Files that
// .gitignore names are ignored.
func Strays(module fs.FS, top Layout) ([]string, error) {
	ignored, err := fs.ReadFile(module, ".gitignore")
	if err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(module, ".")
	if err != nil {
		return nil, err
	}
	var found []string
	for _, e := range entries {
		allowed := top.Files
		if e.IsDir() {
			allowed = slices.Concat(top.Packages, top.Folders)
		}
		if !slices.Contains(allowed, e.Name()) && !strings.HasPrefix(e.Name(), ".") && !matches(e.Name(), string(ignored)) {
			found = append(found, e.Name()+" must not be at the top")
		}
	}
	required := slices.Clone(top.Files)
	for _, p := range top.Packages {
		required = append(required, path.Join(p, "doc.go"))
	}
	for _, name := range required {
		if _, err := fs.Stat(module, name); err != nil {
			found = append(found, name+" is missing")
		}
	}
	return found, nil
}

// matches reports whether a line of .gitignore matches a name at the top.
func matches(name, ignored string) bool {
	for line := range strings.Lines(ignored) {
		if ok, err := path.Match(strings.Trim(line, "/\r\n"), name); ok && err == nil {
			return true
		}
	}
	return false
}
