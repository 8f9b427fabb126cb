package skeleton

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
)

//go:embed templates
var templates embed.FS

// adapterName matches the names that ports.AccountConnector allows and that begin with a
// letter, as names of packages must.
var adapterName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)

// CheckName rejects invalid names of adapters and those in taken.
func CheckName(name string, taken []string) error {
	switch {
	case !adapterName.MatchString(name):
		return fmt.Errorf("the name must be 1 to 32 lower-case letters, digits and hyphens that begin with a letter, not %q", name)
	case slices.Contains(taken, name):
		return fmt.Errorf("the name %s is in use: settings and results could not distinguish the two", name)
	default:
		return nil
	}
}

// CheckFolder rejects names that the go command treats specially.
func CheckFolder(dir string) error {
	if base := filepath.Base(dir); base == "vendor" || base == "testdata" {
		return fmt.Errorf("go does not build packages in a folder named %s; choose another with --dir", base)
	}
	return nil
}

// names are the variables of the templates.
type names struct {
	Name    string // the adapter's
	Package string
	Env     string // prefix of its environment variables
}

func newNames(kind, name string) names {
	pkg := strings.ReplaceAll(name, "-", "")
	if token.IsKeyword(pkg) || pkg == "main" || pkg == "documentation" { // go build ignores package documentation
		pkg += kind
	}
	return names{name, pkg, "CORRIDOR_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))}
}

// File is one file of a skeleton; its path is relative, with slashes.
type File struct {
	Path string
	Text []byte
}

// Files returns the skeleton of an adapter of the kind, which is the name of a folder in
// templates. The templates' delimiters are << and >>, because scenarios contain
// {{secret}}.
func Files(kind, name string) ([]File, error) {
	root := "templates/" + kind
	var files []File
	err := fs.WalkDir(templates, root, func(at string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		source, err := templates.ReadFile(at)
		if err != nil {
			return err
		}
		text, err := render(source, newNames(kind, name))
		if err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		to := strings.TrimSuffix(strings.TrimPrefix(at, root+"/"), ".tmpl")
		if path.Ext(to) == ".go" {
			text, err = format.Source(text) // the alignment depends on the name's length
		}
		files = append(files, File{to, text})
		return err
	})
	return files, err
}

func render(source []byte, n names) ([]byte, error) {
	t, err := template.New("").Delims("<<", ">>").Parse(string(source))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, n)
	return out.Bytes(), err
}

// GoMod returns the go.mod of a module that contains only the adapter.
func GoMod(name string) File {
	return File{"go.mod", []byte("module example.org/" + name + "\n\ngo 1.26.0\n")}
}

// ModuleOf returns the folder of the module that a new folder dir would belong to, or ""
// if there is none.
func ModuleOf(dir string) (string, error) { return above(dir, "go.mod") }

// Workspace reports whether the module in a folder belongs to a workspace.
func Workspace(module string) (bool, error) {
	folder, err := above(filepath.Join(module, "package"), "go.work")
	return folder != "", err
}

// above returns the nearest folder above dir that has the file, or "" if there is none.
func above(dir, file string) (string, error) {
	at, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for up := filepath.Dir(at); up != at; at, up = up, filepath.Dir(up) {
		_, err := os.Stat(filepath.Join(up, file))
		if !errors.Is(err, fs.ErrNotExist) {
			return up, err
		}
	}
	return "", nil
}

// Write creates dir with the files. If it fails, it removes dir.
func Write(dir string, files []File) error {
	const folders, readable = 0o755, 0o644
	err := os.Mkdir(dir, folders)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w; choose another NAME, or another folder with --dir", err)
	}
	if err != nil {
		return err
	}
	for _, f := range files {
		to := filepath.Join(dir, filepath.FromSlash(f.Path))
		err := os.MkdirAll(filepath.Dir(to), folders)
		if err == nil {
			err = os.WriteFile(to, f.Text, readable)
		}
		if err != nil {
			return errors.Join(err, os.RemoveAll(dir))
		}
	}
	return nil
}
