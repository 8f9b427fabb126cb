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
)

// patience bounds each step. A healthy server needs much less.
const patience = time.Minute

// Template is a database of which others are copies, which is far quicker than
// filling each. It belongs in a package variable.
type Template struct {
	fill  func(ctx context.Context, dsn string) error
	empty string
}

// NewTemplate returns a template that fill fills, once per cluster. fill gets the DSN
// of an empty database and must close its connections before it returns, since
// PostgreSQL does not copy a database that is in use.
func NewTemplate(fill func(ctx context.Context, dsn string) error) *Template {
	return &Template{fill: fill}
}

// EmptiedBy returns a template whose databases on [Server] are used again, which is far
// quicker than a copy for each test. After a test that passed, all sessions of its
// database are ended and sql empties it. The test must leave tables, functions and
// settings as they were.
//
// Tests may share sessions: those whose application_name is [Kept] stay. They must be idle
// when a test ends, and be closed before the tests of the package end.
func (t *Template) EmptiedBy(sql string) *Template { return &Template{fill: t.fill, empty: sql} }

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
	d, err := c.take(tb.Context(), template, source)
	if err != nil {
		tb.Fatal("pgtest: making a database: ", err)
	}
	tb.Cleanup(func() {
		if !tb.Failed() && c.put(template, d) {
			return
		}
		if err := c.forget(d); err != nil {
			tb.Error("pgtest: dropping the database: ", err)
		}
	})
	return c.dsn(d.name)
}

func (c *Cluster) dsn(database string) string {
	return with(c.admin, map[string]string{"dbname": database})
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
	if err := template.fill(ctx, c.dsn(name)); err != nil {
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
