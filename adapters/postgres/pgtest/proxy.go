package pgtest

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// Proxy forwards connections to a server, and can cut, refuse and stall them. It is
// safe for concurrent use. It reads the protocol, so connections are not encrypted:
// [Proxy.DSN] has sslmode=disable.
type Proxy struct {
	dsn      string
	socket   string
	server   *pgconn.Config
	sessions sync.WaitGroup

	mutex    sync.Mutex
	listener net.Listener
	open     map[*session]struct{}
	armed    *Armed
	gate     chan struct{} // closed when traffic may pass
	closed   bool
}

// NewProxy returns a proxy for the server and database of dsn, and closes it when the
// test ends. The server need not run until a client connects.
func NewProxy(tb testing.TB, dsn string) *Proxy {
	tb.Helper()
	p, err := newProxy(dsn)
	if err != nil {
		tb.Fatal("pgtest: ", err)
	}
	tb.Cleanup(func() {
		p.close()
		_ = os.RemoveAll(filepath.Dir(p.socket))
	})
	return p
}

func newProxy(dsn string) (*Proxy, error) {
	dsn = with(dsn, map[string]string{"sslmode": "disable"})
	server, err := pgconn.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "pgtest-")
	if err == nil && len(folder) > socketPathMax {
		_ = os.Remove(folder)
		folder, err = os.MkdirTemp("/tmp", "pgtest-")
	}
	if err != nil {
		return nil, err
	}
	p := &Proxy{
		dsn:    with(dsn, map[string]string{"host": folder, "port": port}),
		socket: filepath.Join(folder, ".s.PGSQL."+port),
		server: server, open: make(map[*session]struct{}), gate: make(chan struct{}),
	}
	close(p.gate)
	return p, p.Accept()
}

// DSN returns the DSN of the database through the proxy.
func (p *Proxy) DSN() string { return p.dsn }

// Arm sets the next fault, replacing an earlier one, and starts counting.
func (p *Proxy) Arm(fault Fault) *Armed {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.armed != nil {
		p.armed.Disarm()
	}
	p.armed = arm(fault)
	return p.armed
}

// Cut cuts all connections. The proxy still accepts new ones.
func (p *Proxy) Cut() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for s := range p.open {
		s.cut()
	}
}

// Refuse rejects new clients until [Proxy.Accept], like a server that is not running.
// Open connections stay open.
func (p *Proxy) Refuse() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.listener != nil {
		_ = p.listener.Close()
		p.listener = nil
	}
}

// Accept accepts new clients again. It fails if the socket cannot be created.
func (p *Proxy) Accept() error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.listener != nil || p.closed {
		return nil
	}
	listener, err := net.Listen("unix", p.socket) //nolint:noctx // the socket is local and the call does not wait
	if err != nil {
		return err
	}
	p.listener = listener
	p.sessions.Go(func() { p.serve(listener) })
	return nil
}

// Stall stops forwarding on all connections until [Proxy.Resume], like a network that
// drops all packets.
func (p *Proxy) Stall() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	select {
	case <-p.gate:
		p.gate = make(chan struct{})
	default:
	}
}

// Resume forwards what [Proxy.Stall] stopped.
func (p *Proxy) Resume() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	select {
	case <-p.gate:
	default:
		close(p.gate)
	}
}

func (p *Proxy) serve(listener net.Listener) {
	for {
		client, err := listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err == nil {
			p.sessions.Go(func() { p.session(client) })
		}
	}
}

// now returns the current gate and fault.
func (p *Proxy) now() (gate <-chan struct{}, armed *Armed) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.gate, p.armed
}

func (p *Proxy) close() {
	p.mutex.Lock()
	p.closed = true
	p.mutex.Unlock()
	p.Refuse()
	p.mutex.Lock()
	for s := range p.open {
		s.close()
	}
	p.mutex.Unlock()
	p.sessions.Wait()
}

// Side is one of the two senders on a connection through a [Proxy].
type Side int

// The sides.
const (
	// Client sends a startup message, then Parse, Bind, Execute, Sync and others.
	Client Side = iota
	// Backend is the server, which answers ParseComplete, DataRow, ReadyForQuery
	// and others.
	Backend
)

// Fault describes where a [Proxy] cuts a connection. Messages and bytes are counted
// over all connections from [Proxy.Arm] on, without cancel requests, which are
// dropped once the fault has happened. With neither Messages nor Bytes the fault never
// happens; with both, it happens at the first.
type Fault struct {
	// Of is the side whose messages or bytes are counted.
	Of Side
	// Messages is the number, from 1, of the message after which the proxy cuts. After
	// the last answer of an operation, the caller may not see an error.
	Messages int
	// Drop makes the proxy cut before that message, which is then lost.
	Drop bool
	// Bytes is how many bytes pass before the cut, from 1, usually ending in the
	// middle of a message.
	Bytes int
}

// Armed is a fault that has been set by [Proxy.Arm].
type Armed struct {
	fault Fault
	fired chan struct{}
	over  chan struct{} // closed once the server has ended the session that was cut

	mutex    sync.Mutex
	done     bool
	hit      bool
	messages int
	bytes    int
}

func arm(fault Fault) *Armed {
	return &Armed{fault: fault, fired: make(chan struct{}), over: make(chan struct{})}
}

// Fired is closed when the connection is cut.
func (a *Armed) Fired() <-chan struct{} { return a.fired }

// Disarm reports whether the fault has happened, and prevents it from happening later.
func (a *Armed) Disarm() bool {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.done = true
	return a.hit
}

func (a *Armed) happened() bool {
	if a == nil {
		return false
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.hit
}

// Wait waits for the fault to happen and for the server to process what reached it
// before the cut and end the session: its data is then final.
func (a *Armed) Wait() {
	<-a.fired
	<-a.over
}

// pass counts a message of side. It returns how many of its bytes to forward and
// whether to cut the connection after them. A nil fault never cuts.
func (a *Armed) pass(side Side, size int) (forward int, cut bool) {
	if a == nil || side != a.fault.Of {
		return size, false
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.done {
		return size, false
	}
	left := a.fault.Bytes - a.bytes
	a.messages++
	a.bytes += size
	switch {
	case a.messages == a.fault.Messages && a.fault.Drop:
		forward, cut = 0, true
	case a.fault.Bytes > 0 && left <= size:
		forward, cut = left, true
	default:
		forward, cut = size, a.messages == a.fault.Messages
	}
	if cut {
		a.done, a.hit = true, true
	}
	return forward, cut
}
