package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
)

// SourceRule bars names and statements from the source of some packages, test
// files apart.
type SourceRule struct {
	Packages []string // patterns, as in Layer
	// Except are files, relative to the module, that the rule spares.
	Except []string
	// Names are barred, by import path.
	Names map[string][]string
	// NoGo bars the go statement: whoever starts a goroutine says who waits for
	// it, which errgroup and singleflight do.
	NoGo bool
}

var wallClock = map[string][]string{
	"time": {"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"},
}

// SourceRules keep time and goroutines in the callers' hands.
var SourceRules = []SourceRule{
	{
		Packages: append([]string{
			"errcodes", "ports", "ports/banks", "adapters/httpserver/wire", "adapters/clientauth",
		}, domain...),
		Except: []string{"ports/clock.go"},
		Names:  wallClock,
		NoGo:   true,
	},
	{
		Packages: []string{"adapters/..."},
		Except:   []string{"adapters/cmd", "adapters/postgres/pgtest", "adapters/service"},
		Names:    wallClock,
	},
}

// Source returns each place in packages that breaks a rule.
func Source(root string, packages []Package, rules []SourceRule) ([]string, error) {
	var found []string

	for _, p := range packages {
		folder, own := relative(p.ImportPath)
		if !own {
			continue
		}

		for _, name := range p.GoFiles {
			file := path.Join(folder, name)

			source, err := os.ReadFile(filepath.Join(root, file))
			if err != nil {
				return nil, err
			}

			barred, err := scan(file, source, ruleFor(folder, file, rules))
			if err != nil {
				return nil, err
			}

			found = append(found, barred...)
		}
	}

	return found, nil
}

// ruleFor merges the rules that cover a file.
func ruleFor(folder, file string, rules []SourceRule) SourceRule {
	merged := SourceRule{Names: map[string][]string{}}

	for _, r := range rules {
		if !matchAny(folder, r.Packages) || prefixAny(file, r.Except) {
			continue
		}

		merged.NoGo = merged.NoGo || r.NoGo
		for from, names := range r.Names {
			merged.Names[from] = append(slices.Clone(merged.Names[from]), names...)
		}
	}

	return merged
}

func scan(file string, source []byte, rule SourceRule) ([]string, error) {
	fset := token.NewFileSet()

	parsed, err := parser.ParseFile(fset, file, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}

	var (
		found    []string
		packages = importNames(parsed)
	)

	ast.Inspect(parsed, func(n ast.Node) bool {
		if what := rule.bars(n, packages); what != "" {
			found = append(found, fmt.Sprintf("%s: %s", fset.Position(n.Pos()), what))
		}

		return true
	})

	return found, nil
}

// bars names what is wrong with a node; "" if nothing is.
func (r SourceRule) bars(n ast.Node, packages map[string]string) string {
	switch n := n.(type) {
	case *ast.GoStmt:
		if r.NoGo {
			return "a go statement"
		}
	case *ast.ImportSpec:
		if n.Name != nil && n.Name.Name == "." && r.Names[importPath(n)] != nil {
			return "a dot import of " + importPath(n)
		}
	case *ast.SelectorExpr:
		if x, ok := n.X.(*ast.Ident); ok && slices.Contains(r.Names[packages[x.Name]], n.Sel.Name) {
			return packages[x.Name] + "." + n.Sel.Name
		}
	}

	return ""
}

// importNames maps the name that a file gives to a package to its path.
func importNames(file *ast.File) map[string]string {
	names := make(map[string]string, len(file.Imports))

	for _, spec := range file.Imports {
		from := importPath(spec)

		if spec.Name != nil {
			names[spec.Name.Name] = from
		} else {
			names[path.Base(from)] = from
		}
	}

	return names
}

func importPath(spec *ast.ImportSpec) string {
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return spec.Path.Value
	}

	return path
}
