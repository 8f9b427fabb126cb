//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// attackers are the connections of an attack.
type attackers struct {
	target string // host and port of the service
	secret string // of the client "attacker"
	most   int    // connections at once

	pace   pace
	opened atomic.Int64
	now    atomic.Int64 // open
	peak   atomic.Int64 // most open at once
	sent   atomic.Int64 // bytes

	mu      sync.Mutex
	answers map[string]int // by status, and "closed" and errors
}

// perSecond is how many connections are opened in a second, so that an attack measures
// what connections hold and not how fast a machine accepts them.
const perSecond = 5000

// pace spreads events in time.
type pace struct {
	mu   sync.Mutex
	next time.Time
}

// wait returns at the next free time, or when ctx ends.
func (p *pace) wait(ctx context.Context) {
	p.mu.Lock()
	now := time.Now()
	if p.next.Before(now) {
		p.next = now
	}
	p.next = p.next.Add(time.Second / perSecond)
	pause := p.next.Sub(now)
	p.mu.Unlock()
	idle(ctx, pause)
}

func idle(ctx context.Context, pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// crowd keeps n connections open until ctx ends, from 127.0.0.2 and the addresses after
// it. use gets each connection with its number, and one that it has finished with is replaced.
func (a *attackers) crowd(ctx context.Context, n, addresses int, use func(c *conn, i int)) error {
	var all sync.WaitGroup
	for i := range min(n, a.most) {
		from := &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(2+i%addresses))}
		all.Go(func() {
			for a.pace.wait(ctx); ctx.Err() == nil; a.pace.wait(ctx) {
				a.connect(ctx, from, func(c *conn) { use(c, i) })
			}
		})
	}
	all.Wait()
	if a.opened.Load() == 0 {
		return errNotReached
	}
	return nil
}

// connect opens a connection for use, and closes it afterwards, or when ctx ends, by a
// reset: the port is free at once.
func (a *attackers) connect(ctx context.Context, from *net.TCPAddr, use func(*conn)) {
	dialer := net.Dialer{LocalAddr: from, Timeout: patience, Control: smallBuffers}
	tcp, err := dialer.DialContext(ctx, "tcp", a.target)
	if err != nil {
		if ctx.Err() == nil {
			a.count(reason(err))
		}
		return
	}
	a.opened.Add(1)
	open := a.now.Add(1)
	for peak := a.peak.Load(); peak < open && !a.peak.CompareAndSwap(peak, open); peak = a.peak.Load() {
	}
	c := &conn{tcp: tcp.(*net.TCPConn), by: a, ctx: ctx}
	_ = c.tcp.SetLinger(0)
	stop := context.AfterFunc(ctx, c.close)
	use(c)
	if stop() {
		c.close()
	}
	a.now.Add(-1)
}

// smallBuffers makes the kernel hold little of what the service does not take, and of the
// answers that the attacker does not read.
func smallBuffers(_, _ string, raw syscall.RawConn) error {
	var failed error
	err := raw.Control(func(fd uintptr) {
		failed = errors.Join(
			syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4<<10),
			syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_SNDBUF, 64<<10))
	})
	return errors.Join(err, failed)
}

func (a *attackers) count(what string) {
	a.mu.Lock()
	a.answers[what]++
	a.mu.Unlock()
}

// String returns what the attackers did and were answered.
func (a *attackers) String() string {
	return fmt.Sprintf("attackers: %d connections, at most %d at once, %d MB sent, answered %s",
		a.opened.Load(), a.peak.Load(), a.sent.Load()/megabyte, counts(a.answers))
}

// conn is a connection of an attacker.
type conn struct {
	tcp *net.TCPConn
	by  *attackers
	ctx context.Context
}

func (c *conn) close() { _ = c.tcp.Close() }

// send sends bytes until the service has taken none for 5 s, and reports whether it has
// taken all.
func (c *conn) send(p []byte) bool {
	const stall = 5 * time.Second
	for len(p) > 0 {
		_ = c.tcp.SetWriteDeadline(time.Now().Add(stall))
		n, err := c.tcp.Write(p)
		c.by.sent.Add(int64(n))
		p = p[n:]
		if err != nil && (n == 0 || !isTimeout(err)) {
			return false
		}
	}
	return true
}

// trickle sends a byte a second until the service answers or closes the connection.
func (c *conn) trickle() {
	for c.silent(time.Second) {
		c.send([]byte("a"))
	}
}

// silent waits for an answer or the end of the connection, and counts it. It reports
// whether there was none. Without a time it waits until ctx ends.
func (c *conn) silent(wait time.Duration) bool {
	var deadline time.Time
	if wait > 0 {
		deadline = time.Now().Add(wait)
	}
	_ = c.tcp.SetReadDeadline(deadline)
	var answer [64]byte
	n, err := c.tcp.Read(answer[:])
	if isTimeout(err) {
		return true
	}
	if status, ok := bytes.CutPrefix(answer[:n], []byte("HTTP/1.1 ")); ok && len(status) >= 3 {
		c.by.count(string(status[:3]))
	} else if c.ctx.Err() == nil {
		c.by.count("closed")
	}
	return false
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}
