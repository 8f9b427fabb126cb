package archtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	var stdout, stderr bytes.Buffer

	const fields = "-json=ImportPath,Name,Doc,Standard,GoFiles,Imports,Deps,TestImports,XTestImports"

	cmd := exec.CommandContext(ctx, "go", "list", "-deps", fields, "work")
	cmd.Dir, cmd.Stdout, cmd.Stderr = root, &stdout, &stderr

	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("go list in %s: %w\n%s", root, err, stderr.Bytes())
	}

	return decode(&stdout)
}

func decode(r io.Reader) ([]Package, error) {
	var packages []Package

	for dec := json.NewDecoder(r); ; {
		var p Package

		switch err := dec.Decode(&p); {
		case errors.Is(err, io.EOF):
			return packages, nil
		case err != nil:
			return nil, fmt.Errorf("output of go list: %w", err)
		}

		packages = append(packages, p)
	}
}
