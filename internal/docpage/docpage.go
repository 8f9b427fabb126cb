// Package docpage compares the generated pages of the documentation with the data that
// drives the code, and reads the blocks of the others so that tests can run them.
package docpage

import (
	"flag"
	"os"
	"strings"
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

// Block returns the block of the page in the language that contains the text. It must be
// the only one.
func Block(tb testing.TB, file, language, text string) string {
	tb.Helper()
	page, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	var found []string
	for _, rest := range strings.Split(string(page), "\n```"+language+"\n")[1:] {
		if block, _, closed := strings.Cut(rest, "\n```"); closed && strings.Contains(block, text) {
			found = append(found, block)
		}
	}
	if len(found) != 1 {
		tb.Fatalf("%s has %d %s blocks that contain %q, want one", file, len(found), language, text)
	}
	return found[0]
}
