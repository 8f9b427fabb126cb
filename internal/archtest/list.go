package archtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
)

// Package is the part of go list's output for one package that the rules need.
type Package struct {
	ImportPath string
	Name       string
	Doc        string // first sentence of the package comment
	Standard   bool
	GoFiles    []string
	Imports    []string // of the non-test files
	Deps       []string // direct and indirect imports

	TestImports, XTestImports []string
}

// List returns the packages of the workspace in root and all their dependencies, without
// those of tests. It returns an error if a package does not parse or an import cannot be
// found.
func List(ctx context.Context, root string) ([]Package, error) {
	const fields = "-json=ImportPath,Name,Doc,Standard,GoFiles,Imports,Deps,TestImports,XTestImports"
	listed, err := goOutput(ctx, root, "list", "-deps", fields, "work")
	if err != nil {
		return nil, err
	}
	var packages []Package
	for dec := json.NewDecoder(bytes.NewReader(listed)); dec.More(); {
		var p Package
		if err := dec.Decode(&p); err != nil {
			return nil, fmt.Errorf("output of go list: %w", err)
		}
		packages = append(packages, p)
	}
	return packages, nil
}

func goOutput(ctx context.Context, dir string, args ...string) ([]byte, error) {
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Stderr = dir, &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s in %s: %w\n%s", args[0], dir, err, stderr.Bytes())
	}
	return out, nil
}
