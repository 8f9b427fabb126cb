package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var consumers = flag.Bool("consumers", false, "pack a release and build programs that embed it; takes minutes, because everything is compiled again")

const rehearsed = "v0.1.0"

// TestConsumers rehearses a release of the working tree and builds users' programs
// outside the repository, to check what each kind of user has to download.
func TestConsumers(t *testing.T) {
	if !*consumers {
		t.Skip("it compiles every dependency again: go test ./internal/integration/release -consumers")
	}
	proxy := Proxy(t.TempDir())
	repository := clone(t)
	tags, err := Release(t.Context(), repository, rehearsed, proxy)
	require.NoError(t, err)
	env, err := proxyEnv(t.Context(), proxy)
	require.NoError(t, err)
	c := consumer{env: append(env, "GOFLAGS=-modcacherw -trimpath -buildvcs=false")}

	t.Run("each module is tagged, has its licence and no replace lines", func(t *testing.T) {
		modules, err := Modules(repository)
		require.NoError(t, err)
		require.Len(t, tags, len(modules))
		require.Equal(t, rehearsed, tags[0], "the root is what all others require")
		for i := range modules {
			assert.Empty(t, modules[i].File.Replace, modules[i].Path)
			files, err := proxy.Files(&modules[i], rehearsed)
			require.NoError(t, err)
			assert.Contains(t, files, "LICENSE", modules[i].Path)
		}
	})
	t.Run("rate locks in memory, in a service with its own libraries", c.rateLocks)
	t.Run("rate locks on SQLite", func(t *testing.T) {
		c.embed(t, `
	store, err := sqlite.Open(context.Background(), "locks.db", nil)
	fmt.Println(store, err)
	_, err = ratelock.New(ratelock.Ports{Locks: store.RateLocks()}, ratelock.Terms{}, nil)
	fmt.Println(err)`, "context", "fmt", root+"/adapters/sqlite", root+"/ratelock")
	})
	t.Run("rate locks on PostgreSQL", func(t *testing.T) {
		c.embed(t, `
	store, err := postgres.New(context.Background(), nil, nil)
	fmt.Println(store, err)
	_, err = ratelock.New(ratelock.Ports{Locks: store.RateLocks()}, ratelock.Terms{}, nil)
	fmt.Println(err)`, "context", "fmt", root+"/adapters/postgres", root+"/ratelock")
	})
	t.Run("the whole service", c.wholeService)
	t.Run("the command", c.command)
}

// clone copies the working tree, including changes, into a new repository.
func clone(t *testing.T) string {
	t.Helper()
	from, err := filepath.Abs("../../..")
	require.NoError(t, err)
	listed, err := git(t.Context(), from, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	require.NoError(t, err)
	to := t.TempDir()
	for name := range strings.SplitSeq(strings.TrimSuffix(listed, "\x00"), "\x00") {
		text, err := os.ReadFile(filepath.Join(from, name))
		if os.IsNotExist(err) {
			continue // deleted but not committed
		}
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(to, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(to, name), text, 0o644))
	}
	for name, value := range map[string]string{"AUTHOR_NAME": "corridor", "AUTHOR_EMAIL": "corridor@example.com", "COMMITTER_NAME": "corridor", "COMMITTER_EMAIL": "corridor@example.com"} {
		t.Setenv("GIT_"+name, value)
	}
	for _, args := range [][]string{{"init", "--quiet"}, {"add", "--all"}, {"commit", "--quiet", "--message", "as it is"}} {
		_, err := git(t.Context(), to, args...)
		require.NoError(t, err)
	}
	return to
}

// consumer is a user of the release.
type consumer struct{ env []string }

func (c consumer) run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	out, err := command(t.Context(), dir, c.env, name, args...)
	require.NoError(t, err)
	return out
}

// module creates a module with one program.
func (c consumer) module(t *testing.T, body string, imports []string, requires ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	c.run(t, dir, "go", "mod", "init", "shop.example/service")
	for _, r := range requires {
		c.run(t, dir, "go", "mod", "edit", "-require", r)
	}
	write(t, dir, "main.go", body, imports)
	c.run(t, dir, "go", "mod", "tidy")
	return dir
}

func write(t *testing.T, dir, name, body string, imports []string) {
	t.Helper()
	source := "package main\n\nimport (\n\t" + strings.Join(imports, "\n\t") + "\n)\n\n" + body + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(source), 0o644))
}

// embed builds a program with the given body of main.
func (c consumer) embed(t *testing.T, body string, imports ...string) (dir string) {
	t.Helper()
	for i := range imports {
		imports[i] = fmt.Sprintf("%q", imports[i])
	}
	dir = c.module(t, "func main() {"+body+"\n}", imports)
	c.run(t, dir, "go", "build", "-o", os.DevNull, ".")
	for line := range strings.Lines(c.run(t, dir, "go", "list", "-m", "all")) {
		if path, version, _ := strings.Cut(strings.TrimSpace(line), " "); own(path) {
			assert.Equal(t, rehearsed, version, path)
		}
	}
	return dir
}

// rateLocks adds rate locks in memory to a service with other libraries: it gets few new
// modules, and its own versions do not change.
func (c consumer) rateLocks(t *testing.T) {
	requires := []string{
		"github.com/jackc/pgx/v5@v5.7.2", "google.golang.org/grpc@v1.69.2",
		"go.opentelemetry.io/otel@v1.33.0", "github.com/prometheus/client_golang@v1.20.5",
	}
	imports := []string{
		`_ "github.com/jackc/pgx/v5/pgxpool"`, `_ "google.golang.org/grpc"`,
		`_ "go.opentelemetry.io/otel"`, `_ "github.com/prometheus/client_golang/prometheus/promhttp"`,
	}
	dir := c.module(t, "func main() { locks() }\n\nfunc locks() {}", imports, requires...)
	before := strings.Split(strings.TrimSpace(c.run(t, dir, "go", "list", "-m", "all")), "\n")
	for _, r := range requires {
		require.Contains(t, before, strings.Replace(r, "@", " ", 1))
	}
	write(t, dir, "main.go", "func main() { locks() }", imports)
	write(t, dir, "locks.go", `func locks() {
	store, err := memory.New(nil)
	fmt.Println(err)
	_, err = ratelock.New(ratelock.Ports{Locks: store.RateLocks()}, ratelock.Terms{}, nil)
	fmt.Println(err)
}`, []string{`"fmt"`, `"` + root + `/adapters/memory"`, `"` + root + `/ratelock"`})
	c.run(t, dir, "go", "mod", "tidy")
	c.run(t, dir, "go", "build", "-o", os.DevNull, ".")
	after := strings.Split(strings.TrimSpace(c.run(t, dir, "go", "list", "-m", "all")), "\n")
	var added []string
	for _, line := range after {
		if !slices.Contains(before, line) {
			added = append(added, line)
		}
	}
	t.Logf("%d modules are new:\n%s", len(added), strings.Join(added, "\n"))
	assert.LessOrEqual(t, len(added), 8, "the lines of go list -m all that are new, corridor's included")
	for _, line := range before {
		assert.Contains(t, after, line, "a module of the service's own has moved or gone")
	}
}

// wholeService builds another main with the service package.
func (c consumer) wholeService(t *testing.T) {
	c.embed(t, `
	settings := service.Defaults()
	settings.Sandbox, settings.Store = true, "memory:"
	s, err := service.New(context.Background(), &settings, service.Shipped(), nil)
	if err != nil {
		panic(err)
	}
	_ = s.Serve(context.Background())`, "context", root+"/adapters/service")
}

// command installs the command and runs it.
func (c consumer) command(t *testing.T) {
	bin := t.TempDir()
	c.env = append(slices.Clone(c.env), "GOBIN="+bin)
	c.run(t, bin, "go", "install", "-ldflags", "-s -w", root+"/adapters/cmd/corridor@"+rehearsed)
	binary := filepath.Join(bin, "corridor")
	info, err := os.Stat(binary)
	require.NoError(t, err)
	const most = 35_000_000
	t.Logf("the stripped binary has %d bytes", info.Size())
	assert.LessOrEqual(t, info.Size(), int64(most), "bytes of the stripped binary")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, err := command(ctx, bin, nil, binary, "normalise", "mpesa-daraja", "1037", "--direction", "payin")
	require.NoError(t, err)
	require.Contains(t, out, `"timeout"`)
}
