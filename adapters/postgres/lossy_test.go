package postgres_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgxpool"
)

// losing is a network that loses the acknowledgement of the next statement: after its
// commit, or by losing the statement itself.
type losing struct {
	mu     sync.Mutex
	armed  bool
	before bool // the statement is lost
}

func (l *losing) arm() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.armed = true
}

// takes reports, once, whether this is the statement to lose.
func (l *losing) takes() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.armed
	l.armed = false
	return was
}

// dial makes connections of a pool go through the network.
func (l *losing) dial(c *pgxpool.Config) {
	below := c.ConnConfig.DialFunc
	c.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := below(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &lossyConn{mutedConn: mutedConn{Conn: conn}, network: l}, nil
	}
}

type lossyConn struct {
	mutedConn

	network *losing
	started bool        // the startup message has no type
	cut     atomic.Bool // by this network, before anything was sent
}

func (c *lossyConn) Write(p []byte) (int, error) {
	if !c.started {
		c.started = true
		return c.Conn.Write(p)
	}
	if !executes(p) || !c.network.takes() {
		return c.Conn.Write(p)
	}
	if c.network.before {
		c.cut.Store(true)
		return len(p), c.Close()
	}
	c.muted.Store(true)
	return c.Conn.Write(p)
}

func (c *lossyConn) Read(p []byte) (int, error) {
	n, err := c.mutedConn.Read(p)
	if errors.Is(err, errAnswered) || c.cut.Load() {
		return 0, io.ErrUnexpectedEOF
	}
	return n, err
}

// errAnswered means that the server has answered and the driver does not get the answer.
var errAnswered = errors.New("the server has answered")

// mutedConn withholds the server's answer from the driver once it is muted. It is muted
// before the request is written: while a write takes long, the driver reads in another
// goroutine.
type mutedConn struct {
	net.Conn

	muted  atomic.Bool
	answer []byte // one read at a time
}

// Read returns errAnswered once it has withheld the whole answer.
func (c *mutedConn) Read(p []byte) (int, error) {
	for !ready(c.answer) {
		n, err := c.Conn.Read(p)
		if err != nil || !c.muted.Load() {
			return n, err
		}
		c.answer = append(c.answer, p[:n]...)
	}
	return 0, errAnswered
}

// ready reports whether the messages end with ReadyForQuery, whose body is one byte.
func ready(answer []byte) bool {
	last := answer[max(0, len(answer)-6):]
	return len(last) == 6 && bytes.HasPrefix(last, []byte{'Z', 0, 0, 0, 5})
}

// executes reports whether the messages contain an Execute.
func executes(p []byte) bool {
	for len(p) >= 5 {
		if p[0] == 'E' {
			return true
		}
		p = p[min(len(p), 1+int(binary.BigEndian.Uint32(p[1:5]))):]
	}
	return false
}
