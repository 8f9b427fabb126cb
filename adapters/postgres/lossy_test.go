package postgres_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"sync"

	"github.com/jackc/pgx/v5/pgxpool"
)

// losing is a network that loses the acknowledgement of the next statement that
// is executed: behind its commit, or by losing the statement itself.
type losing struct {
	mu     sync.Mutex
	armed  bool
	before bool // the statement does not arrive
}

func (l *losing) arm() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.armed = true
}

// takes reports whether this statement is the one, once.
func (l *losing) takes() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.armed
	l.armed = false
	return was
}

// dial makes connections of a pool pass through the network.
func (l *losing) dial(c *pgxpool.Config) {
	below := c.ConnConfig.DialFunc
	c.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := below(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &lossyConn{Conn: conn, network: l}, nil
	}
}

type lossyConn struct {
	net.Conn
	network *losing
	started bool // the startup message has no type
	lost    bool
}

func (c *lossyConn) Write(p []byte) (int, error) {
	if !c.started {
		c.started = true
		return c.Conn.Write(p)
	}
	if !executes(p) || !c.network.takes() {
		return c.Conn.Write(p)
	}
	c.lost = true
	if c.network.before {
		return len(p), nil
	}
	if _, err := c.Conn.Write(p); err != nil {
		return 0, err
	}
	return len(p), untilReady(c.Conn)
}

func (c *lossyConn) Read(p []byte) (int, error) {
	if c.lost {
		return 0, io.ErrUnexpectedEOF
	}
	return c.Conn.Read(p)
}

// executes reports whether the messages hold an Execute.
func executes(p []byte) bool {
	for len(p) >= 5 {
		if p[0] == 'E' {
			return true
		}
		p = p[min(len(p), 1+int(binary.BigEndian.Uint32(p[1:5]))):]
	}
	return false
}

// untilReady reads the server's answer to its end.
func untilReady(conn net.Conn) error {
	for {
		var head [5]byte
		if _, err := io.ReadFull(conn, head[:]); err != nil {
			return err
		}
		if _, err := io.CopyN(io.Discard, conn, int64(binary.BigEndian.Uint32(head[1:]))-4); err != nil {
			return err
		}
		if head[0] == 'Z' {
			return nil
		}
	}
}
