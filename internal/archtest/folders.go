package archtest

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// MostFiles is how many non-test Go files of one folder a reader can take in.
const MostFiles = 25

// Crowded returns the folders with more than most non-test Go files.
func Crowded(module fs.FS, most int) ([]string, error) {
	files := map[string]int{}
	err := walk(module, func(name string) {
		if isSource(name) {
			files[path.Dir(name)]++
		}
	})
	var found []string
	for folder, n := range files {
		if n > most {
			found = append(found, fmt.Sprintf("%s has %d Go files, at most %d", folder, n, most))
		}
	}
	slices.Sort(found)
	return found, err
}

// isSource reports whether the file is a non-test Go file.
func isSource(name string) bool {
	return path.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go")
}

// walk calls visit for each file, except those below testdata and below folders whose
// name begins with a dot.
func walk(module fs.FS, visit func(name string)) error {
	return fs.WalkDir(module, ".", func(name string, d fs.DirEntry, err error) error {
		switch base := path.Base(name); {
		case err != nil:
			return err
		case !d.IsDir():
			visit(name)
		case name != "." && (strings.HasPrefix(base, ".") || base == "testdata"):
			return fs.SkipDir
		}
		return nil
	})
}
