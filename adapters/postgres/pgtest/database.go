package pgtest

import (
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// patience bounds each step. A healthy server needs much less.
const patience = time.Minute

// Template is a database of which others are copies, which is far quicker than
// filling each. It belongs in a package variable.
type Template struct {
	fill func(ctx context.Context, dsn string) error
}

// NewTemplate returns a template that fill fills, once per cluster. fill gets the DSN
// of an empty database and must close its connections before it returns, since
// PostgreSQL does not copy a database that is in use.
func NewTemplate(fill func(ctx context.Context, dsn string) error) *Template {
	return &Template{fill: fill}
}

// Database returns the DSN of a fresh database: a copy of template, or an empty one
// for nil. When the test ends, the database is dropped and its connections are closed.
// The user of the DSN owns the database, and is a superuser unless the server is that
// of CORRIDOR_TEST_POSTGRES.
func (c *Cluster) Database(tb testing.TB, template *Template) string {
	tb.Helper()
	source, err := c.source(tb.Context(), template)
	if err != nil {
		tb.Fatal("pgtest: filling the template: ", err)
	}
	name, err := c.copied(tb.Context(), source)
	if err != nil {
		tb.Fatal("pgtest: making a database: ", err)
	}
	tb.Cleanup(func() {
		if err := c.drop(context.Background(), name); err != nil {
			tb.Error("pgtest: dropping the database: ", err)
		}
	})
	return with(c.admin, map[string]string{"dbname": name})
}

// source returns the name of the database to copy. One test fills it, others wait.
func (c *Cluster) source(ctx context.Context, template *Template) (string, error) {
	if template == nil {
		return "template0", nil
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if name, ok := c.filled[template]; ok {
		return name, nil
	}
	name, err := c.copied(ctx, "template0")
	if err != nil {
		return "", err
	}
	if err := template.fill(ctx, with(c.admin, map[string]string{"dbname": name})); err != nil {
		return "", errors.Join(err, c.drop(ctx, name))
	}
	if c.filled == nil {
		c.filled = make(map[*Template]string)
	}
	c.filled[template] = name
	return name, nil
}

func (c *Cluster) copied(ctx context.Context, source string) (string, error) {
	name := strings.ToLower("corridor_test_" + strconv.Itoa(os.Getpid()) + "_" + rand.Text()[:12])
	return name, c.execute(ctx, "CREATE DATABASE "+name+" TEMPLATE "+source)
}

// drop drops a database, unless the server is stopped: then its folder is removed later.
func (c *Cluster) drop(ctx context.Context, name string) error {
	if c.own != nil {
		if err := c.resume(); err != nil || !c.own.running() {
			return err
		}
	}
	return c.execute(ctx, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
}

func (c *Cluster) execute(ctx context.Context, sql string) (err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, err := pgconn.Connect(ctx, c.admin)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, sql).ReadAll()
	return errors.Join(err, conn.Close(ctx))
}

// with returns dsn, a URL or a keyword string, with parameters replaced. "dbname" and
// "host" replace the URL's path and host.
func with(dsn string, parameters map[string]string) string {
	parsed, err := url.Parse(dsn)
	if err != nil || !strings.HasPrefix(parsed.Scheme, "postgres") {
		return dsn + keywords(parameters) // of a repeated keyword the last one counts
	}
	query := parsed.Query()
	for name, value := range parameters {
		query.Del(name)
		switch name {
		case "dbname":
			parsed.Path = "/" + value
		case "host":
			parsed.Host = ""
			query.Set(name, value)
		default:
			query.Set(name, value)
		}
	}
	parsed.RawQuery = query.Encode()
	return parsed.String()
}

func keywords(parameters map[string]string) string {
	var out strings.Builder
	quote := strings.NewReplacer(`\`, `\\`, `'`, `\'`)
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		out.WriteString(" " + name + "='" + quote.Replace(parameters[name]) + "'")
	}
	return out.String()
}
