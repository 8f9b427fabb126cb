package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/errcodes"
)

// A server that shuts down can end a session with a FATAL error right after it has
// committed a statement: the error does not show the statement's outcome.
func TestAFatalErrorAfterACommit(t *testing.T) {
	t.Parallel()
	var armed atomic.Pointer[func(request []byte) bool]
	dsn := emptied(t)
	pool := connect(t, dsn, func(c *pgxpool.Config) {
		below := c.ConnConfig.DialFunc
		c.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := below(ctx, network, address)
			return &fatalConn{mutedConn: mutedConn{Conn: conn}, armed: &armed}, err
		}
	})
	commits := func(request []byte) bool { return bytes.Contains(request, []byte("commit\x00")) }
	for name, change := range map[string]struct {
		hook postgres.Hook
		ends func(request []byte) bool
	}{"a statement": {nil, executes}, "a transaction": {idle{}, commits}} {
		store := on(t, pool, &postgres.Config{SkipMigrate: true, Hook: change.hook})
		l := activeLock(name, "rl "+name, epoch)
		c := mint(bookOf(t, store, name), l)
		armed.Store(&change.ends)
		requireCode(t, errcodes.OutcomeUnknown, store.RateLocks().Save(t.Context(), c))
		require.EqualValues(t, 1, bookOf(t, store, name).Version, "%s was committed", name)
	}
}

// fatalConn replaces the answer after a commit with a FATAL error.
type fatalConn struct {
	mutedConn

	armed *atomic.Pointer[func(request []byte) bool]
	last  []byte // what is left to read; nil before the server has answered
}

func (c *fatalConn) Write(p []byte) (int, error) {
	if ends := c.armed.Load(); ends != nil && (*ends)(p) && c.armed.CompareAndSwap(ends, nil) {
		c.muted.Store(true)
	}
	return c.Conn.Write(p)
}

func (c *fatalConn) Read(p []byte) (int, error) {
	if n, err := c.mutedConn.Read(p); !errors.Is(err, errAnswered) {
		return n, err
	}
	if c.last == nil {
		refusal := pgproto3.ErrorResponse{Severity: "FATAL", SeverityUnlocalized: "FATAL", Code: "57P01", Message: "shutting down"}
		var err error
		if c.last, err = refusal.Encode(nil); err != nil {
			return 0, err
		}
	}
	if len(c.last) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.last)
	c.last = c.last[n:]
	return n, nil
}
