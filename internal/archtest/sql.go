package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// databaseClock matches what SQL calls the current time: a database's clock
// would be a second timeline beside the caller's.
var databaseClock = regexp.MustCompile(
	`(?i)\bnow\(\)|\bcurrent_(timestamp|date|time)\b|\bclock_timestamp\(|\bunixepoch\(\)|` +
		`\b(date|time|datetime|julianday|unixepoch|strftime)\([^)]*'now'`)

// DatabaseClocks returns each file below the folder that asks a database for
// the time: SQL files whole, Go files by their string literals, tests apart.
func DatabaseClocks(module fs.FS, folder string) ([]string, error) {
	var found []string

	err := fs.WalkDir(module, folder, func(name string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}

		text, err := sqlIn(module, name)
		if m := databaseClock.FindString(text); m != "" {
			found = append(found, fmt.Sprintf("%s asks the database for the time: %s", name, m))
		}

		return err
	})

	return found, err
}

// sqlIn gives the text of a file that may be SQL; "" for other files.
func sqlIn(module fs.FS, name string) (string, error) {
	switch {
	case path.Ext(name) == ".sql":
		text, err := fs.ReadFile(module, name)

		return string(text), err
	case path.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go"):
		source, err := fs.ReadFile(module, name)
		if err != nil {
			return "", err
		}

		return literals(name, source)
	default:
		return "", nil
	}
}

func literals(name string, source []byte) (string, error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}

	var text strings.Builder

	ast.Inspect(parsed, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			text.WriteString(lit.Value)
			text.WriteByte('\n')
		}

		return true
	})

	return text.String(), nil
}
