package archtest

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// MostFiles is how many Go files, tests apart, a reader takes in at one sitting.
const MostFiles = 25

// Crowded returns the folders with more Go files than most, tests apart.
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

// isSource reports whether a file is in Go and no test.
func isSource(name string) bool {
	return path.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go")
}

// walk calls visit for each file, apart from those below testdata and folders whose
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
