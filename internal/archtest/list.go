package archtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
)

// Package is what the rules need to know of one package, as go list tells it.
type Package struct {
	ImportPath string
	Name       string
	Doc        string // first sentence of the package comment
	Standard   bool
	GoFiles    []string
	Imports    []string // of the files that are not tests
	Deps       []string // Imports and theirs, to the end

	TestImports, XTestImports []string
}

// List returns the packages of the workspace in root and all that they depend on,
// tests apart. A package that does not parse, or whose imports cannot be found,
// is an error, not a gap.
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
