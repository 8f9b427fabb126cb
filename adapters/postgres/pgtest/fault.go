package pgtest

import "sync"

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
