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

	"github.com/jackc/pgx/v5/pgconn"
)

// Options are the options of [New]. The zero value is the quickest cluster.
type Options struct {
	// Durable makes commits wait for the disk, which is PostgreSQL's default.
	// Without it fsync, synchronous_commit and full_page_writes are off: the last
	// commits may be lost if the postmaster is killed.
	Durable bool
	// Settings are settings of postgresql.conf. They override those that the package
	// writes, such as max_connections = 200.
	Settings map[string]string
	// Dir is where the cluster's folder is created; the user that the server runs as
	// must be able to enter it. The default is /dev/shm if it has 2 GiB free and
	// Durable is not set, and otherwise the machine's temporary folder, for root /tmp.
	Dir string
}

// Cluster is a running server. Its methods are safe for concurrent use, except those
// that start and stop it.
type Cluster struct {
	admin string // the DSN for creating databases
	own   *instance

	private        bool                // no other test uses the cluster
	administrators chan *pgconn.PgConn // idle connections to admin; nil if private, since that server may be stopped

	mutex  sync.Mutex
	filled map[*Template]string
	idle   map[*Template][]*database // emptied for the next test
}

// New starts a cluster for this test only and removes it when the test ends. nil
// means the zero [Options]. The test fails if the server rejects a setting. Without
// binaries it is skipped, or fails if CORRIDOR_REQUIRE_POSTGRES is set: New does not
// use the server of CORRIDOR_TEST_POSTGRES.
func New(tb testing.TB, options *Options) *Cluster {
	tb.Helper()
	if binaries() == "" {
		absent(tb, noBinaries+"; this test does not use the server of "+serverVariable)
	}
	c, stop, err := Start(options)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(stop)
	return c
}

// Start is [New] for programs, such as benchmarks, which call stop at the end. nil
// means the zero [Options].
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

// DSN returns the URL of the maintenance database "postgres", or the value of
// CORRIDOR_TEST_POSTGRES. Tests create their tables in a [Cluster.Database].
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

// close stops and removes the server. It first restarts a killed one, because only
// PostgreSQL frees the shared memory that remains; if that fails, the memory leaks.
func (c *Cluster) close() {
	c.tidy()
	if c.own == nil {
		return
	}
	_ = c.resume()
	if c.own.killed {
		_ = c.start(context.Background())
	}
	_ = c.own.stop(Immediate)
	_ = c.own.remove()
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
		settings["max_wal_size"] = "128MB" // copies of databases are written to the log, too
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
