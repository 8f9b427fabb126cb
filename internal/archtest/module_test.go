package archtest_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"os/exec"
	"strings"

	"github.com/corridor-go/corridor/internal/archtest"
)

var root = filepath.Join("..", "..")

// list also walks the module in this process, because the go command caches test results
// by the files that the test itself opens, not those that go list opens.
func list(t *testing.T) []archtest.Package {
	t.Helper()

	if err := filepath.WalkDir(root, func(_ string, _ os.DirEntry, err error) error { return err }); err != nil {
		t.Fatal(err)
	}

	packages, err := archtest.List(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}

	for _, path := range []string{"errcodes", "ports", "ratelock", "internal/archtest", "adapters/sqlite", "internal/integration/wire"} {
		if !slices.ContainsFunc(packages, func(p archtest.Package) bool {
			return p.ImportPath == archtest.Module+"/"+path
		}) {
			t.Fatalf("go list left %s out", path)
		}
	}

	return packages
}

func TestImportsGoOneWay(t *testing.T) {
	report(t, archtest.Imports(list(t), archtest.Layers))
}

func TestEmbeddingLinksNoMoreThanPromised(t *testing.T) {
	report(t, archtest.Linked(list(t), archtest.Closures))
}

func TestModulesRequireNoMoreThanTheirRules(t *testing.T) {
	modules, err := archtest.Requirements(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}

	report(t, archtest.Required(modules, archtest.ModuleRules))

	found, err := archtest.Unruled(os.DirFS(root), archtest.ModuleRules, "internal/bench")
	if err != nil {
		t.Fatal(err)
	}

	report(t, found)
}

func TestNoModuleImportsAnothersInternalPackages(t *testing.T) {
	report(t, archtest.Borrowed(list(t), archtest.ModuleRules))
}

func TestNoFolderHasTooManyFiles(t *testing.T) {
	found, err := archtest.Crowded(os.DirFS(root), archtest.MostFiles)
	if err != nil {
		t.Fatal(err)
	}

	report(t, found)
}

func TestEveryPackageHasAComment(t *testing.T) {
	report(t, archtest.Undocumented(list(t)))
}

func TestTimeAndGoroutinesComeFromOutside(t *testing.T) {
	found, err := archtest.Source(root, list(t), archtest.SourceRules)
	if err != nil {
		t.Fatal(err)
	}

	report(t, found)
}

func TestNoStoreUsesItsDatabasesClock(t *testing.T) {
	found, err := archtest.DatabaseClocks(os.DirFS(root), "adapters")
	if err != nil {
		t.Fatal(err)
	}

	report(t, found)
}

func TestTopLevelContainsOnlyTheListedFoldersAndFiles(t *testing.T) {
	found, err := archtest.Strays(os.DirFS(root), archtest.Top)
	if err != nil {
		t.Fatal(err)
	}

	own := untracked(t)
	report(t, slices.DeleteFunc(found, func(stray string) bool {
		return slices.ContainsFunc(own, func(name string) bool { return strings.HasPrefix(stray, name+" ") })
	}))
}

// untracked returns the names at the top that are not in the repository, such as a rates
// file or a log of somebody who tries things out. Without git it returns none.
func untracked(t *testing.T) []string {
	t.Helper()

	git := exec.CommandContext(t.Context(), "git", "ls-files", "--others", "--directory", "--no-empty-directory")
	git.Dir = root

	out, err := git.Output()
	if err != nil {
		t.Logf("every file counts as the project's: %v", err)

		return nil
	}

	var names []string
	for line := range strings.Lines(string(out)) {
		names = append(names, strings.TrimSuffix(strings.TrimSpace(line), "/"))
	}

	return names
}

func report(t *testing.T, found []string) {
	t.Helper()

	for _, v := range found {
		t.Error(v)
	}
}
