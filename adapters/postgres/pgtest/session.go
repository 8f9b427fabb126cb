package pgtest

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"
)

// session is one client and its connection to the server.
type session struct {
	proxy           *Proxy
	client, backend net.Conn

	once   sync.Once
	broken chan struct{} // closed by the cut
	fault  *Armed        // the fault that cut it, if any
}

// session serves client until both sides have ended.
func (p *Proxy) session(client net.Conn) {
	defer func() { _ = client.Close() }()
	network, address := pgconn.NetworkAddress(p.server.Host, p.server.Port)
	backend, err := net.Dial(network, address) //nolint:noctx // a socket of this machine, or a server that the test chose
	if err != nil {
		return
	}
	s := &session{proxy: p, client: client, backend: backend, broken: make(chan struct{})}
	if !p.enter(s) {
		_ = backend.Close()
		return
	}
	defer p.leave(s)
	var requests sync.WaitGroup
	requests.Go(func() { s.forward(Client, client, backend) })
	s.forward(Backend, backend, client)
	// The server has ended the session: nothing more will arrive.
	s.close()
	requests.Wait()
	if s.fault != nil {
		close(s.fault.over)
	}
}

func (p *Proxy) enter(s *session) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.closed {
		return false
	}
	p.open[s] = struct{}{}
	return true
}

func (p *Proxy) leave(s *session) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	delete(p.open, s)
}

// cut closes the client's side at once. The server's side gets an end of input, and
// its answers are read and discarded: if it were closed, an unread answer would reset
// the connection and requests on their way could be lost.
func (s *session) cut() {
	s.once.Do(func() {
		close(s.broken)
		_ = s.client.Close()
	})
}

// close closes both sides.
func (s *session) close() {
	s.cut()
	_ = s.backend.Close()
}

// forward forwards messages until from ends or the session is cut.
func (s *session) forward(side Side, from io.Reader, to io.Writer) {
	reader := bufio.NewReader(from)
	startup, counts := side == Client, true
	for {
		message, err := readMessage(reader, startup)
		if err != nil {
			break
		}
		if startup {
			startup, counts = false, !cancels(message)
		}
		if !s.pass(side, message, counts, to) {
			break
		}
	}
	s.cut()
	if side == Backend {
		_, _ = io.Copy(io.Discard, reader)
	} else if half, ok := to.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
}

// pass forwards one message once the proxy's gate is open. It reports whether the
// connection still works.
func (s *session) pass(side Side, message []byte, counts bool, to io.Writer) bool {
	gate, armed := s.proxy.now()
	if !counts {
		if armed.happened() {
			return false // otherwise a driver's cancel request would race with the session that Wait waits for
		}
		armed = nil
	}
	select {
	case <-s.broken:
		return false
	case <-gate:
	}
	forward, cut := armed.pass(side, len(message))
	if cut && side == Client {
		s.cut() // before the server can answer
	}
	_, err := to.Write(message[:forward])
	if cut {
		s.cut()
		s.fault = armed
		close(armed.fired)
	}
	return err == nil && !cut
}

// A message begins with a type byte and a big-endian length, which includes its own
// bytes. A client's first message has no type (PostgreSQL, chapter "Frontend/Backend
// Protocol", "Message Formats").
const (
	lengthSize = 4
	typeSize   = 1

	// messageMax is the maximum length; other protocols, such as TLS, exceed it.
	messageMax = 1 << 28
)

// cancels reports whether a startup message asks to cancel another session's
// statement. Drivers send it in the background when they abandon a statement.
func cancels(startup []byte) bool {
	const code = 80877102 // in the place of the protocol's version
	return len(startup) >= 2*lengthSize && binary.BigEndian.Uint32(startup[lengthSize:]) == code
}

// readMessage reads one whole message.
func readMessage(r *bufio.Reader, startup bool) ([]byte, error) {
	head := lengthSize + typeSize
	if startup {
		head = lengthSize
	}
	message := make([]byte, head)
	if _, err := io.ReadFull(r, message); err != nil {
		return nil, err
	}
	length := int64(binary.BigEndian.Uint32(message[head-lengthSize:]))
	if length < lengthSize || length > messageMax {
		return nil, fmt.Errorf("pgtest: message length %d, want %d to %d", length, lengthSize, messageMax)
	}
	whole := bytes.NewBuffer(message) // grows with the bytes that arrive, not with the stated length
	_, err := io.CopyN(whole, r, length-lengthSize)
	return whole.Bytes(), err
}
