package archtest

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

// Imports returns the imports that violate the table of layers, one sentence each, and
// the packages of this module that are in no layer.
func Imports(packages []Package, layers []Layer) []string {
	var found []string
	standard := standardOf(packages)
	for path, p := range ownOf(packages) {
		i := slices.IndexFunc(layers, func(l Layer) bool { return matchAny(path, l.Packages) })
		if i < 0 {
			found = append(found, path+" is in no layer")
			continue
		}
		for _, imported := range p.Imports {
			if !layers[i].allows(path, imported, standard[imported]) {
				found = append(found, fmt.Sprintf("%s (%s) imports %s", path, layers[i].Name, imported))
			}
		}
	}
	return found
}

// Linked returns the packages that embedding would link against a Closure. Closures of
// packages that are not in the list are skipped.
func Linked(packages []Package, closures []Closure) []string {
	var found []string
	standard := standardOf(packages)
	for _, c := range closures {
		i := slices.IndexFunc(packages, func(p Package) bool { return p.ImportPath == Module+"/"+c.Package })
		if i < 0 {
			continue
		}
		for _, dep := range packages[i].Deps {
			path, own := relative(dep)
			promised := own && matchAny(path, c.Own) || !own && prefixAny(dep, c.Outside)
			if !standard[dep] && !promised {
				found = append(found, c.Package+" links "+dep)
			}
		}
	}
	return found
}

// Undocumented returns the packages of this module without a package comment.
func Undocumented(packages []Package) []string {
	var found []string
	for path, p := range ownOf(packages) {
		opening := "Package " + p.Name + " "
		if p.Name == "main" {
			opening = "Command " + path[strings.LastIndex(path, "/")+1:] + " "
		}
		if !strings.HasPrefix(p.Doc, opening) {
			found = append(found, fmt.Sprintf("the package comment of %s does not begin with %q", path, opening))
		}
	}
	return found
}

func (l Layer) allows(importer, imported string, standard bool) bool {
	path, own := relative(imported)
	switch {
	case prefixAny(imported, TestOnly):
		return prefixAny(imported, l.Outside) && (!own || matchAny(path, l.Own))
	case standard:
		return !slices.Contains(l.NotStd, imported)
	case own:
		return matchAny(path, l.Own) || strings.HasPrefix(path, importer+"/")
	default:
		return slices.Contains(l.Outside, "*") || prefixAny(imported, l.Outside)
	}
}

func standardOf(packages []Package) map[string]bool {
	standard := make(map[string]bool, len(packages))
	for _, p := range packages {
		standard[p.ImportPath] = p.Standard
	}
	return standard
}

// ownOf yields the packages of this module by their path within it.
func ownOf(packages []Package) iter.Seq2[string, Package] {
	return func(yield func(string, Package) bool) {
		for _, p := range packages {
			if path, own := relative(p.ImportPath); own && !yield(path, p) {
				return
			}
		}
	}
}

// relative returns the path of a package within this module; own is false for packages of
// other modules.
func relative(importPath string) (path string, own bool) {
	return strings.CutPrefix(importPath, Module+"/")
}

func matchAny(path string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		above, all := strings.CutSuffix(pattern, "...")
		return path == strings.TrimSuffix(above, "/") || all && strings.HasPrefix(path, above)
	})
}

func prefixAny(path string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool {
		return path == prefix || strings.HasPrefix(path, prefix+"/")
	})
}
