package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/corridor-go/corridor/internal/archtest"
)

// root is the import path of the repository's root module.
const root = archtest.Module

// Module is one module of the workspace.
type Module struct {
	Dir  string // relative to the repository, "." for the root
	Path string
	File *modfile.File
}

// Modules returns the modules of go.work in dir that are released, each after all that it
// requires.
func Modules(dir string) ([]Module, error) {
	text, err := os.ReadFile(filepath.Join(dir, "go.work"))
	if err != nil {
		return nil, err
	}
	work, err := modfile.ParseWork("go.work", text, nil)
	if err != nil {
		return nil, err
	}
	var all []Module
	for _, use := range work.Use {
		m, err := readModule(dir, filepath.ToSlash(filepath.Clean(use.Path)))
		if err != nil {
			return nil, err
		}
		if !untagged(m.Dir) {
			all = append(all, m)
		}
	}
	return sorted(all)
}

// untagged reports whether a module is never released.
func untagged(dir string) bool {
	return slices.ContainsFunc(archtest.ModuleRules, func(r archtest.ModuleRule) bool { return r.Untagged && r.Dir == dir })
}

func readModule(repository, dir string) (Module, error) {
	name := filepath.Join(repository, dir, "go.mod")
	text, err := os.ReadFile(name)
	if err != nil {
		return Module{}, err
	}
	file, err := modfile.Parse(name, text, nil)
	if err != nil {
		return Module{}, err
	}
	return Module{Dir: dir, Path: file.Module.Mod.Path, File: file}, nil
}

// requires returns the modules of this repository that m requires.
func (m *Module) requires() (paths []string) {
	for _, r := range m.File.Require {
		if own(r.Mod.Path) {
			paths = append(paths, r.Mod.Path)
		}
	}
	return paths
}

func own(path string) bool { return path == root || strings.HasPrefix(path, root+"/") }

// sorted sorts the modules so that each follows those that it requires.
func sorted(all []Module) ([]Module, error) {
	var (
		order []Module
		done  = map[string]bool{}
	)
	for len(order) < len(all) {
		before := len(order)
		for _, m := range all {
			ready := !slices.ContainsFunc(m.requires(), func(path string) bool { return !done[path] })
			if ready && !done[m.Path] {
				order, done[m.Path] = append(order, m), true
			}
		}
		if len(order) == before {
			return nil, errors.New("the requirements have a cycle or include a module that go.work does not use")
		}
	}
	return order, nil
}

// at requires the modules of this repository at the version and removes the replace
// lines.
func (m *Module) at(version string) error {
	for _, path := range m.requires() {
		if err := m.File.AddRequire(path, version); err != nil {
			return err
		}
	}
	for _, r := range slices.Clone(m.File.Replace) {
		if !own(r.Old.Path) {
			return fmt.Errorf("%s replaces %s, which is not a module of this repository", m.Path, r.Old.Path)
		}
		if err := m.File.DropReplace(r.Old.Path, r.Old.Version); err != nil {
			return err
		}
	}
	m.File.Cleanup()
	return nil
}

// tag returns the git tag of the module's version.
func (m *Module) tag(version string) string {
	if m.Dir == "." {
		return version
	}
	return m.Dir + "/" + version
}
