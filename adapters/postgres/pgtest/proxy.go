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

// Proxy passes connections on to a server until it is told to cut, refuse or
// stall them. Its methods may be called from any goroutine. It reads the
// protocol, so that connections are not encrypted: [Proxy.DSN] says so.
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

// NewProxy is a proxy in front of the server and database of dsn, and closes it
// when the test ends. It needs the server only when a client comes.
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

// DSN leads to the same database as the one that the proxy was made with,
// through the proxy.
func (p *Proxy) DSN() string { return p.dsn }

// Arm sets the one fault to come, in the place of an earlier one, and begins to
// count.
func (p *Proxy) Arm(fault Fault) *Armed {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.armed != nil {
		p.armed.Disarm()
	}
	p.armed = arm(fault)
	return p.armed
}

// Cut ends all connections. New ones are taken.
func (p *Proxy) Cut() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for s := range p.open {
		s.cut()
	}
}

// Refuse turns new clients away, as a server that does not run, until
// [Proxy.Accept]. Connections stay.
func (p *Proxy) Refuse() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.listener != nil {
		_ = p.listener.Close()
		p.listener = nil
	}
}

// Accept takes new clients again. It fails when the socket cannot be made.
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

// Stall holds back what both sides send, on open connections, until
// [Proxy.Resume]: a network that loses all without a word.
func (p *Proxy) Stall() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	select {
	case <-p.gate:
		p.gate = make(chan struct{})
	default:
	}
}

// Resume lets pass what [Proxy.Stall] held back.
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

// now is what traffic obeys at the moment.
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

// Side is an end of a connection through a [Proxy].
type Side int

// The ends.
const (
	// Client sends a startup message, then Parse, Bind, Execute, Sync and others.
	Client Side = iota
	// Backend is the server, which answers ParseComplete, DataRow, ReadyForQuery
	// and others.
	Backend
)

// Fault says where a [Proxy] cuts a connection. What is counted, is counted over
// all connections from [Proxy.Arm] on, but for requests to cancel: those are lost
// once the fault has happened. With neither Messages nor Bytes it never
// happens; with both, what comes first counts.
type Fault struct {
	// Of is whose messages or bytes are counted.
	Of Side
	// Messages is the number, from 1, of the message that the cut follows. Behind
	// the last answer of an operation its caller may see no error.
	Messages int
	// Drop makes the cut come before that message instead, which is then lost.
	Drop bool
	// Bytes is how many bytes pass before the cut, from 1: in the middle of a
	// message, mostly.
	Bytes int
}

// Armed is a fault that waits for its moment.
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

// Disarm says whether the fault happened, and keeps it from happening later.
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

// Wait returns when the server has worked off what reached it before the cut and
// ended the session: what it then holds is final. The fault has to have fired.
func (a *Armed) Wait() {
	<-a.fired
	<-a.over
}

// pass counts a message of side: how many of its bytes go on, and whether the
// connection is cut behind them. A nil fault lets all pass.
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
