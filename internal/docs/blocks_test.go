package docs_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// languages are those of code blocks, with the check of a block. The rest of the proof is
// where the code is: the statements of SQL are run by internal/integration/operations,
// the commands of the shell are parsed, and those of the page for callers run, by
// adapters/cmd.
var languages = map[string]func(page, block) error{
	"go":      page.excerpt,
	"ts":      page.excerpt,
	"json":    func(_ page, b block) error { return readJSON(b.code) },
	"sh":      func(_ page, b block) error { return readShell(b.code) },
	"sql":     func(page, block) error { return nil },
	"text":    func(page, block) error { return nil }, // what a command prints, or a form
	"csv":     func(page, block) error { return nil },
	"mermaid": func(page, block) error { return nil },
}

func TestCodeOnPagesIsCheckedCode(t *testing.T) {
	count := map[string]int{}
	for _, p := range pages(t) {
		for _, b := range p.blocks(t) {
			check, known := languages[b.language]
			if !known {
				t.Errorf("%s:%d: a block of language %q", p.path, b.first, b.language)
				continue
			}
			count[b.language]++
			if err := check(p, b); err != nil {
				t.Errorf("%s:%d: %v", p.path, b.first, err)
			}
		}
	}
	for _, language := range []string{"go", "sh", "json", "sql"} {
		require.NotZero(t, count[language], language)
	}
}

// excerpt checks that the block is a part of the file to which the page links next to it,
// which is compiled with its package. The indentation may differ.
func (p page) excerpt(b block) error {
	file := p.sourceOf(b)
	if file == "" {
		return errors.New("no link to the source of the block next to it")
	}
	source, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		return err
	}
	if !strings.Contains("\n"+flush(string(source)), "\n"+flush(b.code)) {
		return errors.New("the block is not in " + file)
	}
	return nil
}

// sourceOf returns the source file to which the page links next to the block.
func (p page) sourceOf(b block) string {
	for _, i := range []int{b.last + 1, b.last + 2, b.last + 3, b.first - 3, b.first - 4, b.first - 5} {
		if i < 0 || i >= len(p.lines) {
			continue
		}
		for _, target := range links(p.lines[i]) {
			if relative(target) && filepath.Ext(target) == "."+b.language {
				return filepath.Join(filepath.Dir(p.path), target)
			}
		}
	}
	return ""
}

// flush returns code without indentation and empty lines: what is left of an excerpt is in
// the same order in its source.
func flush(code string) string {
	var b strings.Builder
	for line := range strings.Lines(code) {
		if text := strings.TrimSpace(line); text != "" {
			b.WriteString(text + "\n")
		}
	}
	return b.String()
}

// readJSON reads one or more values.
func readJSON(code string) error {
	d := json.NewDecoder(strings.NewReader(code))
	for {
		var value any
		if err := d.Decode(&value); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// readShell lets bash read the commands without running them.
func readShell(code string) error {
	bash, err := exec.LookPath("bash")
	if err != nil {
		return nil //nolint:nilerr // a machine without it has nothing to check with
	}
	read := exec.Command(bash, "-n")
	read.Stdin = strings.NewReader(code)
	if said, err := read.CombinedOutput(); err != nil {
		return errors.New(string(said))
	}
	return nil
}

// The README can be read standing, and its Go at a glance.
func TestTheReadmeIsShort(t *testing.T) {
	readme := page{"README.md", readLines(t, "README.md")}
	require.LessOrEqual(t, len(readme.lines), 150)
	for _, b := range readme.blocks(t) {
		require.LessOrEqual(t, b.last-b.first+1, 20, "README.md:%d", b.first)
	}
}

// An author reads one page for a port.
func TestThePagesOfAdaptersAreShort(t *testing.T) {
	found := 0
	for _, p := range pages(t) {
		if strings.HasPrefix(p.path, filepath.Join("internal", "docs", "adapters")) {
			found++
			require.LessOrEqual(t, len(p.lines), 120, p.path)
		}
	}
	require.NotZero(t, found)
}
