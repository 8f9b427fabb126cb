package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../.."

// page is a Markdown file.
type page struct {
	path  string // relative to the root
	lines []string
}

// block is the code between two fences.
type block struct {
	language    string
	first, last int // lines of the page, from 1: the code without its fences
	code        string
}

// pages returns the files that people read, in order.
func pages(t *testing.T) []page {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if name := entry.Name(); entry.IsDir() && (name == ".git" || name == "testdata" || name == "node_modules") {
			return fs.SkipDir
		}
		if filepath.Ext(path) == ".md" {
			relative, errRel := filepath.Rel(root, path)
			require.NoError(t, errRel)
			paths = append(paths, relative)
		}
		return err
	})
	require.NoError(t, err)
	all := make([]page, len(paths))
	for i, path := range paths {
		all[i] = page{path, readLines(t, path)}
	}
	require.Greater(t, len(all), 10, "the pages")
	return all
}

func readLines(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	require.NoError(t, err)
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// blocks returns the page's code blocks. An open fence fails the test.
func (p page) blocks(t *testing.T) (all []block) {
	t.Helper()
	open := false
	var b block
	for i, line := range p.lines {
		language, fence := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case fence && !open:
			b, open = block{language: language, first: i + 2}, true
		case fence:
			b.last = i
			b.code = strings.Join(p.lines[b.first-1:b.last], "\n") + "\n"
			all, open = append(all, b), false
		}
	}
	require.False(t, open, "%s: the last code block does not end", p.path)
	return all
}

// prose returns the lines of the page, with those of code blocks empty.
func (p page) prose(t *testing.T) []string {
	t.Helper()
	lines := append([]string(nil), p.lines...)
	for _, b := range p.blocks(t) {
		for i := b.first - 2; i <= b.last; i++ {
			lines[i] = ""
		}
	}
	return lines
}

var (
	linkTarget = regexp.MustCompile(`\]\(([^()\s]+(?:\([^()\s]*\))?)\)`)
	codeSpan   = regexp.MustCompile("`[^`]*`")
)

// links returns the targets of the links of a line. Code spans have none, but a link's text
// may be one.
func links(line string) (targets []string) {
	for _, m := range linkTarget.FindAllStringSubmatch(codeSpan.ReplaceAllString(line, ""), -1) {
		targets = append(targets, m[1])
	}
	return targets
}

// relative reports whether a link leads to a file of the repository.
func relative(target string) bool { return !regexp.MustCompile(`^[a-z]+:`).MatchString(target) }
