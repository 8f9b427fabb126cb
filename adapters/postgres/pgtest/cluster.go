package pgtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Options of [New]. The zero value is the quickest cluster.
type Options struct {
	// Durable makes commits wait for the disk, as a server's do by default.
	// Without it fsync, synchronous_commit and full_page_writes are off: a
	// commit of the last moments may be lost when the postmaster is killed.
	Durable bool
	// Settings are lines of postgresql.conf beside those that the package
	// writes, and win over them. max_connections is 200 without it.
	Settings map[string]string
	// Dir is the folder that the cluster's folder is made in. When empty, memory
	// where there is plenty of it (/dev/shm) and not Durable, else the temporary
	// folder of the machine, for root /tmp. A postmaster that runs as another user must be able
	// to enter it.
	Dir string
}

// Cluster is a running server. Its methods may be called from any goroutine,
// those that start and stop it from one at a time.
type Cluster struct {
	admin string // the DSN that databases are made with
	own   *instance

	// private says that no other test uses the cluster.
	private bool

	mutex  sync.Mutex
	filled map[*Template]string
}

// New starts a cluster for this test alone, and removes it when the test ends.
// nil is the zero [Options]. A setting that the server refuses fails the test;
// without binaries the test is skipped, or fails where CORRIDOR_REQUIRE_POSTGRES
// is set: a server of CORRIDOR_TEST_POSTGRES is not ours to break.
func New(tb testing.TB, options *Options) *Cluster {
	tb.Helper()
	if binaries() == "" {
		absent(tb, noBinaries+"; this test needs a server of its own, "+serverVariable+" is none")
	}
	c, stop, err := Start(options)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(stop)
	return c
}

// Start is [New] for a program, such as a benchmark, which stops the cluster
// itself. nil is the zero [Options].
func Start(options *Options) (c *Cluster, stop func(), err error) {
	bin := binaries()
	if bin == "" {
		return nil, nil, errors.New("pgtest: " + noBinaries)
	}
	c, err = create(bin, *cmp.Or(options, &Options{}))
	if err != nil {
		return nil, nil, fmt.Errorf("pgtest: %w", err)
	}
	c.private = true
	return c, c.close, nil
}

// DSN is the URL of the maintenance database "postgres", or what
// CORRIDOR_TEST_POSTGRES says. Tests keep their tables in a [Cluster.Database].
func (c *Cluster) DSN() string { return c.admin }

func create(bin string, options Options) (*Cluster, error) {
	if options.Dir == "" && !options.Durable {
		options.Dir = memoryFolder()
	}
	in, err := prepare(bin, options.Dir)
	if err != nil {
		return nil, err
	}
	if err := in.initialise(configuration(in.socket, options)); err != nil {
		return nil, fmt.Errorf("%w (and after it: %w)", err, in.remove())
	}
	c := &Cluster{own: in, admin: with("postgres:///postgres?user="+superuser+"&sslmode=disable", map[string]string{"host": in.socket, "port": port})}
	if err := c.start(context.Background()); err != nil {
		return nil, fmt.Errorf("%w (and after it: %w)", err, in.remove())
	}
	return c, nil
}

// close also restarts a killed server, since only PostgreSQL itself gives back
// the shared memory that it left; a server too broken for that loses only that.
func (c *Cluster) close() {
	if c.own == nil {
		c.dropTemplates()
		return
	}
	_ = c.resume()
	if c.own.killed {
		_ = c.start(context.Background())
	}
	_ = c.own.stop(Immediate)
	_ = c.own.remove()
}

// dropTemplates leaves a server of CORRIDOR_TEST_POSTGRES as it was.
func (c *Cluster) dropTemplates() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for _, name := range c.filled {
		_ = c.drop(context.Background(), name) // tests have ended, nobody is left to tell
	}
}

func configuration(socket string, options Options) string {
	settings := map[string]string{
		"listen_addresses":        "",
		"unix_socket_directories": socket,
		"port":                    port,
		"max_connections":         "200",
		"log_line_prefix":         "%m [%p] %d ",
	}
	if !options.Durable {
		for _, name := range []string{"fsync", "synchronous_commit", "full_page_writes"} {
			settings[name] = "off"
		}
		settings["max_wal_size"] = "128MB" // each copy of a database is in the log, too
		settings["min_wal_size"] = "32MB"
	}
	maps.Copy(settings, options.Settings)
	var lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		lines.WriteString(name + " = '" + strings.ReplaceAll(settings[name], "'", "''") + "'\n")
	}
	return lines.String()
}

func appendTo(path, text string) error {
	file, err := os.OpenFile(filepath.Clean(path), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}
