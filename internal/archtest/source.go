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
	"strings"
)

// SourceRule forbids names and statements in the non-test files of some packages.
type SourceRule struct {
	Packages []string // patterns, as in Layer
	// Except are files, relative to the module, to which the rule does not apply.
	Except []string
	// Names are the forbidden names by import path.
	Names map[string][]string
	// NoGo forbids the go statement. Goroutines must be started with something that waits
	// for them, such as errgroup, singleflight or WaitGroup.Go.
	NoGo bool
}

var wallClock = map[string][]string{
	"time": {"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"},
}

// SourceRules ensure that callers control time, goroutines and output.
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
	{ // a library writes to no terminal
		Packages: append([]string{"errcodes", "ports/...", "adapters/..."}, domain...),
		Except:   []string{"adapters/cmd"},
		Names:    map[string][]string{"fmt": {"Print", "Printf", "Println"}},
	},
}

// Source returns each place in packages that violates a rule.
func Source(root string, packages []Package, rules []SourceRule) ([]string, error) {
	var found []string
	for folder, p := range ownOf(packages) {
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

// ruleFor merges the rules that apply to a file.
func ruleFor(folder, file string, rules []SourceRule) SourceRule {
	merged := SourceRule{Names: map[string][]string{}}
	for _, r := range rules {
		if !matchAny(folder, r.Packages) || prefixAny(file, r.Except) {
			continue
		}
		merged.NoGo = merged.NoGo || r.NoGo
		for from, names := range r.Names {
			merged.Names[from] = slices.Concat(merged.Names[from], names)
		}
	}
	return merged
}

func scan(file string, source []byte, rule SourceRule) (found []string, err error) {
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	packages := map[string]string{} // import paths by their names in the file
	for _, spec := range parsed.Imports {
		name := path.Base(importPath(spec))
		if spec.Name != nil {
			name = spec.Name.Name
		}
		packages[name] = importPath(spec)
	}
	for n := range ast.Preorder(parsed) {
		if what := rule.bars(n, packages); what != "" {
			found = append(found, fmt.Sprintf("%s: %s", fset.Position(n.Pos()), what))
		}
	}
	return found, nil
}

// bars returns what is forbidden about a node, or "".
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

func importPath(spec *ast.ImportSpec) string { return strings.Trim(spec.Path.Value, "\"`") }
