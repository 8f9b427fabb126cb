// Package docpage compares the generated pages of the documentation with the data that
// drives the code.
package docpage

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write the generated pages")

// Check compares the page with the file. Run the test with -update to write it.
func Check(t *testing.T, file, page string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	onDisk, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(onDisk) != page {
		t.Fatalf("%s is out of date; run: go test -run '^%s$' -update", file, t.Name())
	}
}
