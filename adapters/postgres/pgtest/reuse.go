package pgtest

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Kept is the application_name of sessions that outlive their tests: see
// [Template.EmptiedBy].
const Kept = "pgtest-kept"

// database is the database of a test, or one that was emptied for the next test.
type database struct {
	name string
	conn *pgconn.PgConn // empties it; nil before the first time
}

// execute runs sql on the server's maintenance database. A new session costs the server
// more than most statements do, so the shared server's are used again.
func (c *Cluster) execute(ctx context.Context, sql string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, err := c.administrator(ctx)
	if err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, sql).ReadAll(); err != nil {
		return errors.Join(err, conn.Close(ctx))
	}
	select {
	case c.administrators <- conn:
		return nil
	default:
		return conn.Close(ctx)
	}
}

func (c *Cluster) administrator(ctx context.Context) (*pgconn.PgConn, error) {
	select {
	case conn := <-c.administrators:
		return conn, nil
	default:
		return pgconn.Connect(ctx, c.admin)
	}
}

// take returns an emptied database, or a copy of source.
func (c *Cluster) take(ctx context.Context, template *Template, source string) (*database, error) {
	c.mutex.Lock()
	if idle := c.idle[template]; len(idle) > 0 {
		defer c.mutex.Unlock()
		c.idle[template] = idle[:len(idle)-1]
		return idle[len(idle)-1], nil
	}
	c.mutex.Unlock()
	name, err := c.copied(ctx, source)
	return &database{name: name}, err
}

// put empties the database for the next test. It reports whether that is possible.
func (c *Cluster) put(template *Template, d *database) bool {
	if template == nil || template.empty == "" || c.private || c.emptied(template, d) != nil {
		return false
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.idle == nil {
		c.idle = make(map[*Template][]*database)
	}
	c.idle[template] = append(c.idle[template], d)
	return true
}

// othersEnd ends what a test has left running. It returns the sessions that it found:
// one that is told to end may still commit what it has begun.
const othersEnd = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()" +
	" AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND application_name <> '" + Kept + "'"

func (c *Cluster) emptied(template *Template, d *database) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if d.conn == nil {
		if d.conn, err = pgconn.Connect(ctx, c.dsn(d.name)); err != nil {
			return err
		}
	}
	for ; ; time.Sleep(pollEvery) {
		results, err := d.conn.Exec(ctx, othersEnd).ReadAll()
		if err != nil {
			return err
		}
		if len(results[0].Rows) == 0 {
			break
		}
	}
	_, err = d.conn.Exec(ctx, template.empty).ReadAll()
	return err
}

// forget closes the database's connection and drops the database.
func (c *Cluster) forget(d *database) error {
	if d.conn != nil {
		shut(d.conn)
	}
	return c.drop(context.Background(), d.name)
}

// shut closes a connection whose session the server ends in any case.
func shut(conn *pgconn.PgConn) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_ = conn.Close(ctx)
}

// tidy closes the connections of the package. On a server of CORRIDOR_TEST_POSTGRES it
// drops the databases that remain, too.
func (c *Cluster) tidy() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for _, idle := range c.idle {
		for _, d := range idle {
			if c.own == nil {
				_ = c.forget(d) // no test is left that could report the error
			} else {
				shut(d.conn)
			}
		}
	}
	if c.own == nil {
		for _, name := range c.filled {
			_ = c.drop(context.Background(), name)
		}
	}
	for len(c.administrators) > 0 {
		shut(<-c.administrators)
	}
}
