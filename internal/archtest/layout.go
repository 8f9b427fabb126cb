package archtest

import (
	"bufio"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Layout names all that may lie at the top of the module, dot files apart.
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

// Strays returns what lies at the top and should not, and what is missing.
// What .gitignore names is a user's own.
func Strays(module fs.FS, top Layout) ([]string, error) {
	ignored, err := ignoredAtTop(module)
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

		if !slices.Contains(allowed, e.Name()) && !strings.HasPrefix(e.Name(), ".") && !matches(e.Name(), ignored) {
			found = append(found, e.Name()+" does not belong at the top")
		}
	}

	for _, name := range required(top) {
		if _, err := fs.Stat(module, name); err != nil {
			found = append(found, name+" is missing")
		}
	}

	return found, nil
}

func required(top Layout) []string {
	names := slices.Clone(top.Files)
	for _, p := range top.Packages {
		names = append(names, path.Join(p, "doc.go"))
	}

	return names
}

func ignoredAtTop(module fs.FS) ([]string, error) {
	file, err := module.Open(".gitignore")
	if err != nil {
		return nil, err
	}
	defer file.Close()

	var patterns []string

	lines := bufio.NewScanner(file)
	for lines.Scan() {
		pattern := strings.Trim(lines.Text(), "/")
		if pattern != "" && !strings.HasPrefix(pattern, "#") {
			patterns = append(patterns, pattern)
		}
	}

	return patterns, lines.Err()
}

func matches(name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, err := path.Match(pattern, name)

		return err == nil && ok
	})
}
