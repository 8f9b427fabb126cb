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

// userModule is a module in a workspace with the modules of this one, so that it needs no
// version of a library that this test does not need itself.
func userModule(t *testing.T) (dir string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	dir = t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.org/shop\n\ngo 1.26.0\n")
	work, err := os.ReadFile(filepath.Join(root, "go.work"))
	require.NoError(t, err)
	uses := strings.ReplaceAll(string(work), "\t.", "\t"+root+"/.")
	write(t, filepath.Join(dir, "go.work"), strings.Replace(uses, "use (\n", "use (\n\t.\n", 1))
	sums, err := os.ReadFile(filepath.Join(root, "go.work.sum"))
	require.NoError(t, err)
	write(t, filepath.Join(dir, "go.work.sum"), string(sums))
	return dir
}

// goRun runs the go command without a network, with the flags of this test's own build.
func goRun(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	run := exec.CommandContext(t.Context(), "go", args...)
	run.Dir = dir
	run.Env = append(os.Environ(), "GOPROXY=off", "GOWORK="+filepath.Join(dir, "go.work"))
	out, err := run.CombinedOutput()
	return string(out), err
}

// The names include some with another meaning in Go.
func TestASkeletonPassesItsSuite(t *testing.T) {
	t.Parallel()
	module := userModule(t)
	names := []string{"my-bank", "type", "main", "documentation", "context", "string", "t", "a" + strings.Repeat("-9", 15) + "z"}
	for _, name := range names {
		code, out, errs := command(t, "", nil, "new", "connector", name, "--dir", filepath.Join(module, name))
		require.Zero(t, code, errs)
		require.Empty(t, errs)
		require.Contains(t, out, filepath.Join(module, name, "testdata", "found.json"))
		require.Contains(t, out, "ASSUMED")
	}
	out, err := goRun(t, module, "vet", "-tags", "contract", "./...")
	require.NoError(t, err, out)
	out, err = goRun(t, module, "list", "-f", "{{.Name}}", "./...") // a package that go ignores is not listed
	require.NoError(t, err, out)
	require.Len(t, strings.Fields(out), len(names), out)
	out, err = goRun(t, module, "test", "-tags", "contract", "-v", "./my-bank")
	require.NoError(t, err, out)
	require.Contains(t, out, "--- PASS: TestConforms/scenario_try_later_date")
	require.Contains(t, out, "--- PASS: ExampleNew")
	require.Contains(t, out, "CORRIDOR_MY_BANK_SECRET_KEY is not set", "the live test says what it lacks")
	require.NotRegexp(t, `--- SKIP: TestConforms`, out)
	require.Contains(t, out, "11 of 11 scenarios are assumed, 0 more in part")
}

// The lines on the page are those that the skeleton needs.
func TestThePagesTokensCanBeAddedToASkeleton(t *testing.T) {
	onlyFull(t, "it compiles and runs a module")
	t.Parallel()
	page, err := os.ReadFile("../../internal/docs/connectors.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(page), "\n## Tokens\n")
	require.True(t, found)
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(section, 2)
	require.Len(t, blocks, 2)

	module := userModule(t)
	dir := filepath.Join(module, "my-bank")
	code, _, errs := command(t, "", nil, "new", "connector", "my-bank", "--dir", dir)
	require.Zero(t, code, errs)
	change(t, filepath.Join(dir, "connector.go"), "\tcaller \\*httpcall.Caller\n", "\tcaller *httpcall.Caller\n\ttokens *httpcall.Tokens\n")
	change(t, filepath.Join(dir, "connector.go"), "\t\"context\"\n", "\t\"context\"\n\t\"net/http\"\n")
	change(t, filepath.Join(dir, "connector.go"), `\treturn &Connector\{.*?\}, nil\n`, blocks[0][1])
	change(t, filepath.Join(dir, "connector.go"), `(?s)\treply, err := c\.caller\.Do\(.*?\n\t\}\)\n`, blocks[1][1])
	change(t, filepath.Join(dir, "connector_test.go"), `Scenarios: os.DirFS\("testdata"\),`, `Scenarios: os.DirFS("testdata"), Tokens: []string{"/oauth/token"}, TokenLife: 3600e9,`)
	scenarios, err := filepath.Glob(filepath.Join(dir, "testdata", "*.json"))
	require.NoError(t, err)
	for _, s := range scenarios {
		change(t, s, `Bearer \{\{secret\}\}`, "Bearer a-token")
		change(t, s, `"exchanges": \[`, `"exchanges": [{
			"request": {"method": "POST", "path": "/oauth/token", "headers": {"Authorization": "Basic {{secret}}"}},
			"response": {"status": 200, "body": {"access_token": "a-token", "expires_in": 3600}}
		},`)
	}
	out, err := goRun(t, module, "test", "-v", "-run", "TestConforms", "./my-bank")
	require.NoError(t, err, out)
	require.Contains(t, out, "--- PASS: TestConforms/an_expired_token_is_replaced")
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
	code, out, errs := command(t, "", nil, "new", "connector", "my-bank")
	require.Zero(t, code, errs)
	var files []string
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		require.NoError(t, err)
		if entry.IsDir() {
			return nil
		}
		at, err := filepath.Rel(dir, path)
		require.NoError(t, err)
		files = append(files, at)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Contains(t, out, "  "+at+"\n", "the created files are printed")
		require.NotRegexp(t, "<<|>>|%!", string(text), at)
		if filepath.Ext(at) == ".json" {
			require.Contains(t, string(text), `"title": "ASSUMED: `, at)
			require.Regexp(t, `"assumed": \[\s*"all"\s*\]`, string(text), at)
			return nil
		}
		clean, err := format.Source(text)
		require.NoError(t, err, at)
		require.Equal(t, string(clean), string(text), at)
		return nil
	}))
	for _, file := range files {
		require.True(t, strings.HasPrefix(file, "my-bank"+string(filepath.Separator)), file)
	}
	for _, want := range []string{"doc.go", "config.go", "connector.go", "answers.go", "connector_test.go", "live_test.go"} {
		require.Contains(t, files, filepath.Join("my-bank", want))
	}
}

func TestNewConnectorRejectsBadNamesAndFolders(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, "taken", "somebody's")
	require.NoError(t, os.Mkdir("there", 0o700))
	write(t, filepath.Join("there", "file"), "somebody's")
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"no name":                   {[]string{""}, "1 to 32"},
		"a name too long":           {[]string{"a" + strings.Repeat("b", 32)}, "1 to 32"},
		"capitals":                  {[]string{"MyBank"}, "lower-case"},
		"a digit first":             {[]string{"9bank"}, "begin with a letter"},
		"a hyphen first":            {[]string{"--", "-bank"}, "begin with a letter"},
		"an underscore":             {[]string{"my_bank"}, "lower-case"},
		"a path":                    {[]string{"../bank"}, "lower-case"},
		"a letter beyond ASCII":     {[]string{"bänk"}, "lower-case"},
		"a name with a line break":  {[]string{"bank\nbank"}, "lower-case"},
		"a connector's name":        {[]string{"paystack", "--dir", "mine"}, "in use"},
		"the rules' name":           {[]string{"rules"}, "in use"},
		"an existing folder":        {[]string{"there"}, "exists"},
		"an existing file":          {[]string{"my-bank", "--dir", "taken"}, "exists"},
		"a folder in a missing one": {[]string{"my-bank", "--dir", "none/below"}, "no such file"},
		"a folder that go ignores":  {[]string{"testdata"}, "--dir"},
		"a folder of go's vendor":   {[]string{"my-bank", "--dir", "vendor"}, "--dir"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := command(t, "", nil, append([]string{"new", "connector"}, c.args...)...)
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
