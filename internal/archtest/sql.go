package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
)

// databaseClock matches the current time in SQL. The database's clock would disagree with
// the caller's.
var databaseClock = regexp.MustCompile(
	`(?i)\bnow\(\)|\bcurrent_(timestamp|date|time)\b|\bclock_timestamp\(|\bunixepoch\(\)|` +
		`\b(date|time|datetime|julianday|unixepoch|strftime)\([^)]*'now'`)

// DatabaseClocks returns each file below the folder that uses a database's clock. It
// searches SQL files and the string literals of non-test Go files.
func DatabaseClocks(module fs.FS, folder string) ([]string, error) {
	var found []string
	err := fs.WalkDir(module, folder, func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".sql" && !isSource(name) {
			return err
		}
		text, err := fs.ReadFile(module, name)
		if err == nil && path.Ext(name) == ".go" {
			text, err = literals(name, text)
		}
		if m := databaseClock.Find(text); m != nil {
			found = append(found, fmt.Sprintf("%s uses the database's clock: %s", name, m))
		}
		return err
	})
	return found, err
}

func literals(name string, source []byte) (text []byte, err error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for n := range ast.Preorder(parsed) {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			text = append(append(text, lit.Value...), '\n')
		}
	}
	return text, nil
}
