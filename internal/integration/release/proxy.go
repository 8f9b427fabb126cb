package main

import (
	"archive/zip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"
)

// Proxy is a folder that serves modules as GOPROXY=file://FOLDER. See
// https://go.dev/ref/mod#goproxy-protocol.
type Proxy string

// Add packs the committed state of a module, as the go command packs a tag: without
// nested modules, and with the root's LICENSE.
func (p Proxy) Add(repository string, m *Module, version string) error {
	dir, err := p.folder(m)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(repository, m.Dir, "go.mod"))
	if err != nil {
		return err
	}
	info := fmt.Sprintf(`{"Version":%q,"Time":%q}`, version, time.Now().UTC().Format(time.RFC3339))
	for name, text := range map[string][]byte{version + ".mod": mod, version + ".info": []byte(info), "list": []byte(version + "\n")} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return pack(filepath.Join(dir, version+".zip"), repository, m, version)
}

func pack(file, repository string, m *Module, version string) error {
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	packed := modzip.CreateFromVCS(out, module.Version{Path: m.Path, Version: version}, repository, "HEAD", strings.TrimPrefix(m.Dir, "."))
	return errors.Join(packed, out.Close())
}

func (p Proxy) folder(m *Module) (string, error) {
	escaped, err := module.EscapePath(m.Path)
	return filepath.Join(string(p), filepath.FromSlash(escaped), "@v"), err
}

// Files returns the paths of the files in the packed module.
func (p Proxy) Files(m *Module, version string) ([]string, error) {
	dir, err := p.folder(m)
	if err != nil {
		return nil, err
	}
	packed, err := zip.OpenReader(filepath.Join(dir, version+".zip"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = packed.Close() }()
	var names []string
	for _, f := range packed.File {
		names = append(names, f.Name[len(m.Path+"@"+version+"/"):])
	}
	return names, nil
}
