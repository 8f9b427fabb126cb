package archtest

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// ModuleRule is what one module of the repository may require directly, including for
// tests.
type ModuleRule struct {
	// Dir is the module's folder, "." for the root.
	Dir string
	// Own are the folders of modules of the repository that it may require. They must
	// precede it in the table, so that there are no cycles. Every module may require the
	// root.
	Own []string
	// Outside are the paths of other modules; "*" allows all.
	Outside []string
	// Untagged modules are never released, so they may use internal packages of other
	// modules.
	Untagged bool
}

// tests are the libraries that every module may use in tests.
var tests = []string{testify, rapid, "go.uber.org/goleak", xsync}

// ModuleRules lists the modules of the workspace, each after those that it requires. An
// embedder of a module pays for what it requires.
var ModuleRules = []ModuleRule{
	{Dir: ".", Outside: []string{
		apd, xsync, "golang.org/x/text", "github.com/benbjohnson/clock", "go.uber.org/mock",
	}},
	{Dir: "adapters/connector/resilient", Outside: []string{"github.com/failsafe-go/failsafe-go"}},
	{Dir: "adapters/files/blob", Outside: []string{"gocloud.dev"}},
	{Dir: "adapters/format/xlsx", Outside: []string{"github.com/xuri/excelize/v2"}},
	{Dir: "adapters/httpserver", Outside: []string{
		"github.com/getkin/kin-openapi", "github.com/prometheus/client_golang", "github.com/swaggest/swgui", "golang.org/x/time",
	}},
	{Dir: "adapters/postgres", Outside: []string{
		"github.com/anishathalye/porcupine", "github.com/jackc/pgx/v5", "github.com/pressly/goose/v3",
	}},
	{Dir: "adapters/sqlite", Outside: []string{"github.com/pressly/goose/v3", "modernc.org/sqlite"}},
	{Dir: "adapters/webhook", Outside: []string{"github.com/standard-webhooks/standard-webhooks/libraries"}},
	{Dir: "adapters/river", Own: []string{"adapters/postgres"}, Outside: []string{
		"github.com/jackc/pgx/v5", "github.com/riverqueue/river",
		"github.com/riverqueue/river/riverdriver/riverpgxv5", "github.com/riverqueue/river/rivertype",
	}},
	{Dir: "adapters/service", Own: []string{
		"adapters/connector/resilient", "adapters/format/xlsx", "adapters/httpserver", "adapters/postgres",
		"adapters/river", "adapters/sqlite", "adapters/webhook",
	}, Outside: []string{"github.com/jackc/pgx/v5", "github.com/prometheus/client_golang"}},
	{Dir: "adapters/cmd", Own: []string{
		"adapters/connector/resilient", "adapters/format/xlsx", "adapters/httpserver", "adapters/postgres",
		"adapters/river", "adapters/service", "adapters/sqlite", "adapters/webhook",
	}, Outside: []string{
		"github.com/alecthomas/kong", "github.com/benbjohnson/clock", "github.com/jackc/pgx/v5", "github.com/xuri/excelize/v2",
	}},
	{Dir: "internal/integration", Own: []string{
		"adapters/httpserver", "adapters/postgres", "adapters/river", "adapters/sqlite",
	}, Outside: []string{"*"}, Untagged: true},
}

// Requirement is one requirement of a go.mod.
type Requirement struct {
	Path     string
	Indirect bool
}

// Requirements returns the requirements of each module of the workspace in root, by the
// module's folder.
func Requirements(ctx context.Context, root string) (map[string][]Requirement, error) {
	text, err := goOutput(ctx, root, "work", "edit", "-json")
	if err != nil {
		return nil, err
	}
	var work struct{ Use []struct{ DiskPath string } }
	if err := json.Unmarshal(text, &work); err != nil {
		return nil, err
	}
	all := map[string][]Requirement{}
	for _, use := range work.Use {
		text, err := goOutput(ctx, filepath.Join(root, use.DiskPath), "mod", "edit", "-json")
		if err != nil {
			return nil, err
		}
		var file struct{ Require []Requirement }
		if err := json.Unmarshal(text, &file); err != nil {
			return nil, err
		}
		all[path.Clean(use.DiskPath)] = file.Require
	}
	return all, nil
}

// Required returns the requirements that the rules do not allow, the modules without a
// rule, and the rules without a module.
func Required(modules map[string][]Requirement, rules []ModuleRule) []string {
	var found []string
	above := map[string]bool{}
	for _, rule := range rules {
		requires, there := modules[rule.Dir]
		if !there {
			found = append(found, "go.work does not use "+rule.Dir)
		}
		for _, r := range requires {
			indirect := r.Indirect && !isOwn(r.Path) // required by its own requirements
			if !indirect && !rule.allows(r.Path, above) {
				found = append(found, fmt.Sprintf("module %s requires %s", rule.Dir, r.Path))
			}
		}
		above[rule.Dir] = true
	}
	for dir := range modules {
		if !above[dir] {
			found = append(found, "module "+dir+" has no rule")
		}
	}
	slices.Sort(found)
	return found
}

// Unruled returns the folders with a go.mod that have no rule and are not in outside,
// which are the modules outside the workspace.
func Unruled(repository fs.FS, rules []ModuleRule, outside ...string) ([]string, error) {
	for _, r := range rules {
		outside = append(outside, r.Dir)
	}
	var found []string
	err := walk(repository, func(name string) {
		if dir := path.Dir(name); path.Base(name) == "go.mod" && !slices.Contains(outside, dir) {
			found = append(found, "module "+dir+" has no rule")
		}
	})
	return found, err
}

func (r ModuleRule) allows(required string, above map[string]bool) bool {
	if !isOwn(required) {
		return slices.Contains(r.Outside, "*") || slices.Contains(r.Outside, required) || slices.Contains(tests, required)
	}
	if required == Module {
		return r.Dir != "."
	}
	dir := strings.TrimPrefix(required, Module+"/")
	return above[dir] && slices.Contains(r.Own, dir)
}

func isOwn(modulePath string) bool {
	return modulePath == Module || strings.HasPrefix(modulePath, Module+"/")
}

// Borrowed returns the imports of another module's internal packages, including those of
// tests. Users upgrade modules one by one, and internal packages are not stable.
func Borrowed(packages []Package, rules []ModuleRule) []string {
	var found []string
	for importer, p := range ownOf(packages) {
		home := moduleOf(importer, rules)
		if home.Untagged {
			continue
		}
		for _, imported := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			name, own := relative(imported)
			if own && slices.Contains(strings.Split(name, "/"), "internal") && moduleOf(name, rules).Dir != home.Dir {
				found = append(found, fmt.Sprintf("%s imports %s of another module", importer, name))
			}
		}
	}
	return found
}

// moduleOf returns the rule of the module that contains a package.
func moduleOf(name string, rules []ModuleRule) ModuleRule {
	for dir := name; dir != "."; dir = path.Dir(dir) {
		if i := slices.IndexFunc(rules, func(r ModuleRule) bool { return r.Dir == dir }); i >= 0 {
			return rules[i]
		}
	}
	return ModuleRule{Dir: "."}
}
