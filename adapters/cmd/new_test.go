package cmd

import (
	"go/format"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// adapterKinds are the kinds of adapters, each with a test that its skeleton passes.
var adapterKinds = map[string]string{
	"connector": "TestConforms/scenario_try_later_date",
	"feed":      "TestConforms/a_source_with_too_many_currencies_is_not_used",
	"sink":      "TestConforms/a_failed_delivery_returns_an_error_with_a_code",
	"codes":     "TestTheTableHasNoMistakes",
	"store":     "TestConforms/Outbox/a_claim_can_be_settled_once",
}

// feedInEmptyFolder creates the feed bank outside of any module and runs the commands that
// it prints, except the tests. It returns the new module.
func feedInEmptyFolder(t *testing.T) (dir string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	dir = filepath.Join(t.TempDir(), "bank")
	code, out, errs := command(t, "", nil, "new", "feed", "bank", "--dir", dir)
	require.Zero(t, code, errs)
	require.Empty(t, errs)
	require.Contains(t, out, "\nnext, in "+dir+":\n")
	commands := regexp.MustCompile(`(?m)^       (.*)$`).FindAllStringSubmatch(out, -1)
	require.Len(t, commands, 3, out)
	require.Equal(t, "go test -v .", commands[1][1])
	page, err := os.ReadFile(filepath.Join(root, "internal", "docs", "adapters", "README.md"))
	require.NoError(t, err)
	require.Contains(t, string(page), commands[0][1]+"\n"+commands[1][1]+"\n")
	for _, c := range append(commands[:1], commands[2]) {
		out, err := inFolder(t, dir, "sh", "-c", strings.ReplaceAll(c[1], "../corridor", root))
		require.NoError(t, err, "%s\n%s", c[1], out)
	}
	return dir
}

// inFolder runs a command in dir without a network, with the flags of this test's own build.
func inFolder(t *testing.T, dir, name string, args ...string) (string, error) {
	t.Helper()
	run := exec.CommandContext(t.Context(), name, args...)
	run.Dir = dir
	run.Env = append(os.Environ(), "GOPROXY=off", "GOWORK=")
	out, err := run.CombinedOutput()
	return string(out), err
}

// createIn creates an adapter in a module.
func createIn(t *testing.T, module, kind, name, folder string) {
	t.Helper()
	code, out, errs := command(t, "", nil, "new", kind, name, "--dir", filepath.Join(module, folder))
	require.Zero(t, code, errs)
	require.Contains(t, out, "\nnext, in "+module+":\n")
	require.Contains(t, out, "go test -v ./"+folder+"\n")
	require.NotContains(t, out, "go work init", "the module has a workspace")
	require.Contains(t, out, "go work use . $(")
	require.Equal(t, kind == "codes", strings.Contains(out, "normalise do not read them yet"))
	require.Contains(t, out, "internal/docs/adapters/"+kind+".md")
	require.NoFileExists(t, filepath.Join(module, folder, "go.mod"))
}

// addProgram adds the program of internal/docs/adapters/README.md to the module of a feed.
func addProgram(t *testing.T, module string) {
	t.Helper()
	program, err := os.ReadFile(filepath.Join("testdata", "own", "main.go"))
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(module, "cmd"), 0o700))
	write(t, filepath.Join(module, "cmd", "main.go"), string(program))
}

// The first skeleton is created in an empty folder, the others in its module. The names
// include some with another meaning in Go.
func TestEachSkeletonPassesItsSuite(t *testing.T) {
	t.Parallel()
	module := feedInEmptyFolder(t)
	addProgram(t, module)
	packages := 2
	for kind := range adapterKinds {
		for _, name := range []string{"my-bank", "type"} {
			createIn(t, module, kind, name, kind+"-"+name)
			packages++
		}
	}
	for _, name := range []string{"main", "documentation", "context", "string", "t", "a" + strings.Repeat("-9", 15) + "z"} {
		createIn(t, module, "connector", name, name)
		packages++
	}
	out, err := inFolder(t, module, "go", "vet", "-tags", "contract", "./...")
	require.NoError(t, err, out)
	out, err = inFolder(t, module, "go", "list", "-f", "{{.Name}}", "./...") // a package that go ignores is not listed
	require.NoError(t, err, out)
	require.Len(t, strings.Fields(out), packages, out)
	args := []string{"test", "-tags", "contract", "-v"}
	for kind := range adapterKinds {
		args = append(args, "./"+kind+"-my-bank")
	}
	out, err = inFolder(t, module, "go", args...)
	require.NoError(t, err, out)
	for _, passes := range adapterKinds {
		require.Contains(t, out, "--- PASS: "+passes)
	}
	require.Equal(t, len(adapterKinds), strings.Count(out, "--- PASS: Example"), out)
	require.Contains(t, out, "CORRIDOR_MY_BANK_SECRET_KEY is not set", "the live test says what it lacks")
	require.Contains(t, out, "11 of 11 scenarios are assumed, 0 more in part")
	// The store is not durable; the names of its suites begin with a capital.
	require.NotRegexp(t, "--- SKIP: TestConforms/[a-z]", out)
}

// A bug in each skeleton makes its tests fail, the one that is named among them.
func TestABugInASkeletonIsFound(t *testing.T) {
	onlyFull(t, "it compiles and runs a module")
	t.Parallel()
	module := feedInEmptyFolder(t)
	for kind, bug := range map[string]struct{ file, code, wrong, fails string }{
		"connector": {"answers.go", `"ACCOUNT_NOT_FOUND": ports.OutcomeNotFound`, `"ACCOUNT_NOT_FOUND": ports.OutcomeUnusable`, "TestConforms/each_scenario"},
		"feed":      {"answer.go", `At: ports.Millis\(r.At\)`, "At: ports.Millis(now)", "TestConforms/a_price_keeps_its_source's_time_between_calls"},
		"sink":      {"sink.go", "reply.Status < 300", "reply.Status < 600", "TestConforms/a_failed_delivery_returns_an_error_with_a_code"},
		"codes":     {"codes.csv", "payinInsufficientFunds,payoutInsufficientFunds", "payoutInsufficientFunds,payinInsufficientFunds", "TestTheTableHasNoMistakes"},
		"store":     {"ratelocks.go", "Version != c.Book.Version", "Version < c.Book.Version", "TestConforms/RateLockStore/version_0_creates_a_book,_once"},
	} {
		createIn(t, module, kind, "my-bank", kind)
		change(t, filepath.Join(module, kind, bug.file), bug.code, bug.wrong)
		out, err := inFolder(t, module, "go", "test", "-v", "./"+kind)
		require.Error(t, err, kind)
		require.Contains(t, out, "--- FAIL: "+bug.fails, kind)
	}
}

// A program with an own feed is the whole command, which knows the feed.
func TestAProgramWithAnOwnFeedServesIt(t *testing.T) {
	onlyFull(t, "it links a program")
	t.Parallel()
	module := feedInEmptyFolder(t)
	addProgram(t, module)
	out, err := inFolder(t, module, "go", "build", "-o", "own", "./cmd")
	require.NoError(t, err, out)
	out, err = inFolder(t, module, "./own", "serve", "--help")
	require.NoError(t, err, out)
	require.Contains(t, out, "bank:URL")
	out, err = inFolder(t, module, "./own", "serve", "--sandbox", "--store", "memory:", "--listen", "127.0.0.1:0", "--feed", "bank:ftp://example.com")
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, exitRejected, exit.ExitCode(), out)
	require.Contains(t, out, "https")
}

// change replaces matches of the pattern in a file, of which there must be at least one.
func change(t *testing.T, path, pattern, text string) {
	t.Helper()
	old, err := os.ReadFile(path)
	require.NoError(t, err)
	at := regexp.MustCompile(pattern)
	require.Regexp(t, at, string(old))
	write(t, path, at.ReplaceAllLiteralString(string(old), text))
}

// The test also checks the contents of the files.
func TestASkeletonWritesOnlyToItsFolder(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for kind := range adapterKinds {
		code, out, errs := command(t, "", nil, "new", kind, "my-"+kind)
		require.Zero(t, code, errs)
		var files []string
		require.NoError(t, filepath.WalkDir("my-"+kind, func(path string, entry fs.DirEntry, err error) error {
			require.NoError(t, err)
			if !entry.IsDir() {
				files = append(files, filepath.Base(path))
				require.Contains(t, out, "  "+path+"\n", "the created files are printed")
				checkFile(t, path)
			}
			return nil
		}))
		require.Subset(t, files, []string{"doc.go", "go.mod"})
		require.Contains(t, out, "\nnext, in my-"+kind+":\n")
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, len(adapterKinds))
}

// checkFile checks that a file has no trace of its template, is formatted, and says what
// is invented.
func checkFile(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	text := string(data)
	require.NotRegexp(t, "<<|>>|%!", text, path)
	switch filepath.Ext(path) {
	case ".json":
		require.Contains(t, text, `"title": "ASSUMED: `, path)
		require.Regexp(t, `"assumed": \[\s*"all"\s*\]`, text, path)
	case ".go":
		clean, err := format.Source(data)
		require.NoError(t, err, path)
		require.Equal(t, string(clean), text, path)
		if filepath.Base(path) == "doc.go" {
			require.Contains(t, text, "ASSUMED: ", path)
		}
	}
}

func TestNewRejectsBadNamesAndFolders(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, "taken", "somebody's")
	require.NoError(t, os.Mkdir("there", 0o700))
	write(t, filepath.Join("there", "file"), "somebody's")
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"no name":                   {[]string{"connector", ""}, "1 to 32"},
		"a name too long":           {[]string{"connector", "a" + strings.Repeat("b", 32)}, "1 to 32"},
		"capitals":                  {[]string{"feed", "MyBank"}, "lower-case"},
		"a digit first":             {[]string{"sink", "9bank"}, "begin with a letter"},
		"a hyphen first":            {[]string{"connector", "--", "-bank"}, "begin with a letter"},
		"an underscore":             {[]string{"codes", "my_bank"}, "lower-case"},
		"a path":                    {[]string{"connector", "../bank"}, "lower-case"},
		"a letter beyond ASCII":     {[]string{"store", "bänk"}, "lower-case"},
		"a name with a line break":  {[]string{"connector", "bank\nbank"}, "lower-case"},
		"a connector's name":        {[]string{"connector", "paystack", "--dir", "mine"}, "in use"},
		"the rules' name":           {[]string{"connector", "rules"}, "in use"},
		"a feed's name":             {[]string{"feed", "ecb"}, "in use"},
		"a store's name":            {[]string{"store", "sqlite"}, "in use"},
		"an existing folder":        {[]string{"connector", "there"}, "file exists; choose another NAME, or another folder with --dir"},
		"an existing file":          {[]string{"connector", "my-bank", "--dir", "taken"}, "exists"},
		"a folder in a missing one": {[]string{"feed", "my-bank", "--dir", "none/below"}, "no such file"},
		"a folder that go ignores":  {[]string{"connector", "testdata"}, "--dir"},
		"a folder of go's vendor":   {[]string{"feed", "my-bank", "--dir", "vendor"}, "--dir"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := command(t, "", nil, append([]string{"new"}, c.args...)...)
			require.Equal(t, exitRejected, code, errs)
			require.Empty(t, out)
			require.Contains(t, errs, c.says)
			require.Equal(t, 1, strings.Count(errs, "\n"), errs)
			entries, err := os.ReadDir(dir)
			require.NoError(t, err)
			require.Len(t, entries, 2, "something was written")
			entries, err = os.ReadDir("there")
			require.NoError(t, err)
			require.Len(t, entries, 1)
		})
	}
}

func TestNewRejectsAnUnknownKind(t *testing.T) {
	code, _, errs := command(t, "", nil, "new", "fed", "my-bank")
	require.Equal(t, exitRejected, code)
	require.Contains(t, errs, `"connector","feed","sink","codes","store"`)
}
