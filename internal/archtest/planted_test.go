package archtest_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/corridor-go/corridor/internal/archtest"
)

const (
	module = archtest.Module + "/"
	apd    = "github.com/cockroachdb/apd/v3"
)

// std contains packages of the standard library.
func std(paths ...string) []archtest.Package {
	packages := make([]archtest.Package, 0, len(paths))
	for _, p := range paths {
		packages = append(packages, archtest.Package{ImportPath: p, Standard: true})
	}

	return packages
}

func TestAPlantedImportIsCaught(t *testing.T) {
	for name, c := range map[string]struct{ importer, imported string }{
		"codes import a module":                      {"errcodes", apd},
		"codes import the ports":                     {"errcodes", module + "ports"},
		"ports import the domain":                    {"ports", module + "ratelock"},
		"ports import another decimal library":       {"ports", "github.com/shopspring/decimal"},
		"ports open files":                           {"ports", "os"},
		"the banks directory imports the domain":     {"ports/banks", module + "validation"},
		"a suite imports testify":                    {"ports/portstest", "github.com/stretchr/testify/require"},
		"a suite imports a store":                    {"ports/portstest", module + "adapters/memory"},
		"the suites of stores import testify":        {"ports/portstest/storetest", "github.com/stretchr/testify/require"},
		"the suites of connectors import one":        {"ports/portstest/connectortest", module + "adapters/connector/sandbox"},
		"a fake imports testing":                     {"ports/portstest/fake", "testing"},
		"a suite imports the model of rapid":         {"ports/portstest/storetest", module + "ports/portstest/storemodel"},
		"one domain package imports another":         {"ratelock", module + "validation"},
		"a domain package imports another's rules":   {"ratelock", module + "validation/market"},
		"the rules of markets import the service":    {"validation/market", module + "validation"},
		"the comparison of names imports markets":    {"validation/names", module + "validation/market"},
		"the rules of markets open files":            {"validation/market", "os"},
		"failures import the service":                {"authstate/failures", module + "authstate"},
		"the matcher imports the reports":            {"report/match", module + "report"},
		"the domain imports an adapter":              {"ratelock", module + "adapters/memory"},
		"the domain speaks HTTP":                     {"report", "net/http"},
		"the domain speaks SQL":                      {"validation", "database/sql"},
		"the domain opens files":                     {"authstate", "os"},
		"the domain uses math/rand":                  {"ratelock", "math/rand/v2"},
		"the domain imports the mock clock":          {"ratelock", "github.com/benbjohnson/clock"},
		"the domain imports a neighbour of x/sync":   {"ratelock", "golang.org/x/synctest"},
		"the domain imports a suite":                 {"ratelock", module + "ports/portstest"},
		"a driven adapter imports the domain":        {"adapters/sqlite", module + "ratelock"},
		"a driven adapter imports another":           {"adapters/feed/chain", module + "adapters/feed/ecb"},
		"an adapter imports one with a similar path": {"adapters/feed/ecb", module + "adapters/feed/ecbx"},
		"a driven adapter imports testify":           {"adapters/sqlite", "github.com/stretchr/testify/assert"},
		"a driven adapter imports testing":           {"adapters/sqlite", "testing"},
		"a driven adapter uses math/rand":            {"adapters/feed/sandbox", "math/rand"},
		"client authentication speaks HTTP":          {"adapters/clientauth", "net/http"},
		"the HTTP server imports a store":            {"adapters/httpserver", module + "adapters/sqlite"},
		"the HTTP server imports a test validator":   {"adapters/httpserver", "github.com/getkin/kin-openapi/openapi3"},
		"the wire shapes import the domain":          {"adapters/httpserver/wire", module + "ratelock"},
		"ports imports a module":                     {"ports", "golang.org/x/text/currency"},
		"the command imports a suite":                {"adapters/cmd", module + "ports/portstest"},
		"the service imports the command":            {"adapters/service", module + "adapters/cmd/corridor"},
		"the service imports the root's internals":   {"adapters/service", module + "internal/ids"},
	} {
		t.Run(name, func(t *testing.T) {
			packages := append(
				std("os", "net/http", "database/sql", "math/rand", "math/rand/v2", "testing"),
				archtest.Package{ImportPath: module + c.importer, Imports: []string{c.imported}})

			found := archtest.Imports(packages, archtest.Layers)
			if len(found) != 1 || !strings.HasSuffix(found[0], "imports "+c.imported) {
				t.Errorf("found %q; want the import of %s", found, c.imported)
			}
		})
	}
}

func TestAnAllowedImportIsNotReported(t *testing.T) {
	packages := append(std("time", "net/http", "database/sql", "database/sql/driver", "testing"),
		archtest.Package{ImportPath: module + "errcodes", Imports: []string{"time", "net/http"}},
		archtest.Package{ImportPath: module + "ports", Imports: []string{"time", module + "errcodes", apd}},
		archtest.Package{ImportPath: module + "ports/portstest", Imports: []string{"testing", module + "ports"}},
		archtest.Package{ImportPath: module + "ports/portstest/connectortest", Imports: []string{
			"testing", "net/http", module + "ports/portstest", module + "ports/portstest/internal/kit",
		}},
		archtest.Package{ImportPath: module + "ports/portsmock", Imports: []string{"go.uber.org/mock/gomock"}},
		archtest.Package{ImportPath: module + "ratelock", Imports: []string{
			"database/sql/driver", module + "ports", module + "internal/ids", apd, "golang.org/x/sync/errgroup",
		}},
		archtest.Package{ImportPath: module + "validation", Imports: []string{
			module + "ports", module + "validation/market", module + "validation/names",
		}},
		archtest.Package{ImportPath: module + "adapters/sqlite", Imports: []string{
			"database/sql", "modernc.org/sqlite", module + "ports", module + "adapters/sqlite/migrations",
		}},
		archtest.Package{ImportPath: module + "adapters/httpserver", Imports: []string{"net/http", module + "ratelock"}},
		archtest.Package{ImportPath: module + "adapters/cmd", Imports: []string{
			module + "adapters/sqlite", "github.com/benbjohnson/clock",
		}},
	)

	if found := archtest.Imports(packages, archtest.Layers); len(found) != 0 {
		t.Errorf("reported %q", found)
	}
}

func TestAPackageWithoutALayerIsCaught(t *testing.T) {
	for _, path := range []string{"util", "internal/helpers", "ratelock/internal/x", "ports/extra", "adaptersx"} {
		found := archtest.Imports([]archtest.Package{{ImportPath: module + path}}, archtest.Layers)
		if want := []string{path + " is in no layer"}; !slices.Equal(found, want) {
			t.Errorf("%s: found %q, want %q", path, found, want)
		}
	}
}

func TestAForbiddenLinkedPackageIsCaught(t *testing.T) {
	packages := append(std("time"), archtest.Package{
		ImportPath: module + "ratelock",
		Deps: []string{
			"time", apd, "golang.org/x/sync/singleflight", module + "ports",
			"golang.org/x/text/unicode/norm", module + "adapters/httpserver/wire",
		},
	})

	want := []string{"ratelock links golang.org/x/text/unicode/norm", "ratelock links " + module + "adapters/httpserver/wire"}
	if found := archtest.Linked(packages, archtest.Closures); !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
}

func TestAPlantedRequirementIsCaught(t *testing.T) {
	rules := []archtest.ModuleRule{
		{Dir: ".", Outside: []string{apd}},
		{Dir: "adapters/sqlite", Own: []string{"adapters/cmd"}, Outside: []string{"modernc.org/sqlite"}},
		{Dir: "adapters/cmd", Own: []string{"adapters/sqlite"}, Outside: []string{"*"}},
	}
	for name, c := range map[string]struct {
		dir      string
		requires archtest.Requirement
		want     string
	}{
		"an allowed library":            {".", archtest.Requirement{Path: apd}, ""},
		"a test library":                {".", archtest.Requirement{Path: "pgregory.net/rapid"}, ""},
		"an indirect requirement":       {".", archtest.Requirement{Path: "example.com/deep", Indirect: true}, ""},
		"a driver in the root":          {".", archtest.Requirement{Path: "modernc.org/sqlite"}, "module . requires modernc.org/sqlite"},
		"the root requires an adapter":  {".", archtest.Requirement{Path: module + "adapters/sqlite"}, "module . requires " + module + "adapters/sqlite"},
		"an adapter requires the root":  {"adapters/sqlite", archtest.Requirement{Path: archtest.Module}, ""},
		"the command requires anything": {"adapters/cmd", archtest.Requirement{Path: "example.com/any"}, ""},
		"the command requires a store":  {"adapters/cmd", archtest.Requirement{Path: module + "adapters/sqlite"}, ""},
		"a cycle that is listed":        {"adapters/sqlite", archtest.Requirement{Path: module + "adapters/cmd"}, "module adapters/sqlite requires " + module + "adapters/cmd"},
		"an own module, indirectly":     {"adapters/cmd", archtest.Requirement{Path: module + "adapters/x", Indirect: true}, "module adapters/cmd requires " + module + "adapters/x"},
		"a module without a rule":       {"adapters/new", archtest.Requirement{Path: apd}, "module adapters/new has no rule"},
	} {
		t.Run(name, func(t *testing.T) {
			modules := map[string][]archtest.Requirement{".": nil, "adapters/sqlite": nil, "adapters/cmd": nil}
			modules[c.dir] = []archtest.Requirement{c.requires}

			if found := strings.Join(archtest.Required(modules, rules), "\n"); found != c.want {
				t.Errorf("found %q, want %q", found, c.want)
			}
		})
	}

	found := archtest.Required(map[string][]archtest.Requirement{".": nil, "adapters/cmd": nil}, rules)
	if want := []string{"go.work does not use adapters/sqlite"}; !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
}

func TestAModuleOutsideTheWorkspaceIsCaught(t *testing.T) {
	files := fstest.MapFS{"go.mod": {}, "adapters/sqlite/go.mod": {}, "internal/bench/go.mod": {}, "adapters/new/go.mod": {}, "x/testdata/go.mod": {}}

	found, err := archtest.Unruled(files, archtest.ModuleRules, "internal/bench")
	if err != nil {
		t.Fatal(err)
	}

	if want := []string{"module adapters/new has no rule"}; !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
}

func TestABorrowedInternalPackageIsCaught(t *testing.T) {
	packages := []archtest.Package{
		{ImportPath: module + "ratelock", Imports: []string{module + "internal/background"}},
		{ImportPath: module + "adapters/sqlite", Imports: []string{module + "adapters/sqlite/internal/jsonlist"}},
		{ImportPath: module + "internal/integration/wire", Imports: []string{module + "internal/background"}},
		{ImportPath: module + "adapters/postgres", Imports: []string{module + "adapters/sqlite/internal/jsonlist"}},
		{ImportPath: module + "adapters/river", TestImports: []string{module + "internal/docpage"}},
		{ImportPath: module + "adapters/webhook", XTestImports: []string{module + "internal/docpage"}},
	}

	want := []string{
		"adapters/postgres imports adapters/sqlite/internal/jsonlist of another module",
		"adapters/river imports internal/docpage of another module",
		"adapters/webhook imports internal/docpage of another module",
	}
	if found := archtest.Borrowed(packages, archtest.ModuleRules); !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
}

func TestACrowdedFolderIsCaught(t *testing.T) {
	files := fstest.MapFS{
		"a/1.go": {}, "a/2.go": {}, "a/3.go": {},
		"b/1.go": {}, "b/2.go": {}, "b/3_test.go": {}, "b/4.txt": {},
		"c/1.go": {}, "c/2.go": {}, "c/3.go": {},
		"c/testdata/1.go": {}, "c/testdata/2.go": {}, "c/testdata/3.go": {},
	}

	found, err := archtest.Crowded(files, 2)
	if err != nil {
		t.Fatal(err)
	}

	if want := []string{"a has 3 Go files, at most 2", "c has 3 Go files, at most 2"}; !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
}

func TestAMissingPackageCommentIsCaught(t *testing.T) {
	packages := []archtest.Package{
		{ImportPath: module + "ports", Name: "ports", Doc: "Package ports holds the interfaces."},
		{ImportPath: module + "adapters/cmd/corridor", Name: "main", Doc: "Command corridor serves."},
		{ImportPath: module + "report", Name: "report"},
		{ImportPath: module + "authstate", Name: "authstate", Doc: "This package is nice."},
	}

	found := archtest.Undocumented(packages)
	if len(found) != 2 || !strings.Contains(found[0], "report") || !strings.Contains(found[1], "authstate") {
		t.Errorf("found %q; want report and authstate", found)
	}
}

func TestPlantedSourceIsCaught(t *testing.T) {
	for name, c := range map[string]struct{ path, source, want string }{
		"a go statement in the domain": {"ratelock", "package p\nfunc f() { go f() }", "a go statement"},
		"the wall clock in the domain": {"ratelock", "package p\nimport \"time\"\nvar t = time.Now()", "time.Now"},
		"the wall clock as a value":    {"report", "package p\nimport \"time\"\nvar now = time.Now", "time.Now"},
		"the wall clock by an alias":   {"ports", "package p\nimport wall \"time\"\nvar t = wall.Tick(1)", "time.Tick"},
		"the clock by a dot import":    {"validation", "package p\nimport . \"time\"\nvar t = Now()", "a dot import of time"},
		"a print in a driven adapter":  {"adapters/relay", "package p\nimport \"fmt\"\nfunc f() { fmt.Println() }", "fmt.Println"},
		"sleep in a driven adapter": {
			"adapters/feed/ecb", "package p\nimport \"time\"\nfunc f() { time.Sleep(1) }", "time.Sleep",
		},
		"a timer in client authentication": {
			"adapters/clientauth", "package p\nimport \"time\"\nvar t = time.AfterFunc(1, nil)", "time.AfterFunc",
		},
		"a timer in the HTTP server": {
			"adapters/httpserver", "package p\nimport \"time\"\nvar t = time.NewTimer(1)", "time.NewTimer",
		},
		"the go statement of an adapter":   {"adapters/sqlite", "package p\nfunc f() { go f() }", ""},
		"the wall clock of the service":    {"adapters/service", "package p\nimport \"time\"\nvar t = time.Now()", ""},
		"the wall clock of the command":    {"adapters/cmd", "package p\nimport \"time\"\nvar t = time.Now()", ""},
		"the names of times and durations": {"ratelock", "package p\nimport \"time\"\nvar d time.Duration = time.Hour", ""},
		"another package named time":       {"ratelock", "package p\nimport \"x/y/time\"\nvar t = time.Now()", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, c.path, "p.go"), c.source)

			found, err := archtest.Source(dir, []archtest.Package{
				{ImportPath: module + c.path, GoFiles: []string{"p.go"}},
			}, archtest.SourceRules)
			if err != nil {
				t.Fatal(err)
			}

			if c.want == "" && len(found) == 0 {
				return
			}

			if c.want == "" || len(found) != 1 || !strings.HasSuffix(found[0], ": "+c.want) {
				t.Errorf("found %q, want %q", found, c.want)
			}
		})
	}
}

func TestADatabaseClockIsCaught(t *testing.T) {
	files := fstest.MapFS{
		"adapters/a/1.sql":     {Data: []byte("CREATE TABLE t (at TEXT DEFAULT CURRENT_TIMESTAMP);")},
		"adapters/a/2.sql":     {Data: []byte("SELECT known, snow FROM t WHERE at < ?;")},
		"adapters/a/q.go":      {Data: []byte("package a\nconst q = `SELECT a FROM t WHERE at < now()`")},
		"adapters/a/s.go":      {Data: []byte("package a\nconst q = \"SELECT strftime('%s', 'now')\"")},
		"adapters/a/c.go":      {Data: []byte("package a\n// SELECT now() would be wrong.\nconst q = \"SELECT 1\"")},
		"adapters/a/q_test.go": {Data: []byte("package a\nconst q = \"SELECT now()\"")},
	}

	found, err := archtest.DatabaseClocks(files, "adapters")
	if err != nil {
		t.Fatal(err)
	}

	want := []string{
		"adapters/a/1.sql uses the database's clock: CURRENT_TIMESTAMP",
		"adapters/a/q.go uses the database's clock: now()",
		"adapters/a/s.go uses the database's clock: strftime('%s', 'now'",
	}
	if !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
}

func TestStraysAtTheTopAreCaught(t *testing.T) {
	layout := archtest.Layout{Packages: []string{"ports", "ratelock"}, Folders: []string{"internal"}, Files: []string{"go.mod"}}
	files := fstest.MapFS{
		".gitignore":       {Data: []byte("# notes\n\n/corridor.db*\n/out/\n*.test\n")},
		"go.mod":           {},
		"ports/doc.go":     {},
		"ratelock/lock.go": {},
		"internal/x/x.go":  {},
		"corridor.db-wal":  {},
		"out/report.csv":   {},
		"ports.test":       {},
		"notes.txt":        {},
		"util/util.go":     {},
		"internal.go":      {},
	}

	found, err := archtest.Strays(files, layout)
	if err != nil {
		t.Fatal(err)
	}

	want := []string{
		"internal.go must not be at the top",
		"notes.txt must not be at the top",
		"util must not be at the top",
		"ratelock/doc.go is missing",
	}
	if !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
}

func TestListFailsOnABrokenModule(t *testing.T) {
	for name, source := range map[string]string{
		"a package that does not parse":  "package",
		"an import of a missing module":  "package p\nimport _ \"example.invalid/gone\"",
		"an import of a missing package": "package p\nimport _ \"example.invalid/m/gone\"",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "go.mod"), "module example.invalid/m\n\ngo 1.26\n")
			write(t, filepath.Join(dir, "go.work"), "go 1.26\n\nuse .\n")
			write(t, filepath.Join(dir, "p", "p.go"), source)

			if packages, err := archtest.List(t.Context(), dir); err == nil {
				t.Errorf("List gave %d packages and no error", len(packages))
			}
		})
	}

	if _, err := archtest.List(t.Context(), filepath.Join(t.TempDir(), "gone")); err == nil {
		t.Error("List of a folder that is not there gave no error")
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()

	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}

	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
