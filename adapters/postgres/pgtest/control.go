package pgtest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Mode is how [Cluster.Stop] ends a server, like pg_ctl stop --mode.
type Mode int

// The modes of PostgreSQL.
const (
	// Fast ends sessions and writes everything to the disk: nothing is left to recover.
	Fast Mode = iota
	// Smart waits until the last client has disconnected.
	Smart
	// Immediate aborts: the next start recovers, as after a crash.
	Immediate
)

var modeSignals = map[Mode]syscall.Signal{Fast: syscall.SIGINT, Smart: syscall.SIGTERM, Immediate: syscall.SIGQUIT}

var (
	errShared     = errors.New("pgtest: other tests use this cluster; use one of pgtest.New")
	errNotRunning = errors.New("pgtest: the server is not running")
	errRunning    = errors.New("pgtest: the server is already running")
)

// Start starts a stopped or killed server again and returns when it accepts
// connections, after crash recovery if needed. DSNs do not change. Start fails if the
// server is running or is that of [Server].
func (c *Cluster) Start() error {
	switch {
	case !c.private:
		return errShared
	case c.own.running():
		return errRunning
	}
	return c.start(context.Background())
}

// Stop ends the server and returns when it has ended. It fails after a minute (Smart
// waits for connected clients), and if the server is not running or is that of
// [Server].
func (c *Cluster) Stop(mode Mode) error {
	if err := c.breakable(); err != nil {
		return err
	}
	return c.own.stop(mode)
}

// KillPostmaster sends SIGKILL to the server's first process and returns when the
// others have noticed that and ended. A process that computes without a pause is
// killed after 10 seconds. KillPostmaster fails if the server is not running or is
// that of [Server].
func (c *Cluster) KillPostmaster() error {
	if err := c.breakable(); err != nil {
		return err
	}
	return c.own.kill()
}

// Pause sends SIGSTOP to all processes of the server: connections stay open, and the
// server does not answer until [Cluster.Resume]. Pause fails if the server is not
// running or is that of [Server].
func (c *Cluster) Pause() error {
	if err := c.breakable(); err != nil {
		return err
	}
	c.own.paused.Store(true)
	return c.own.pause()
}

// Resume continues a paused server, and has no effect on one that is not paused. It
// fails if the server is not running or is that of [Server].
func (c *Cluster) Resume() error {
	if err := c.breakable(); err != nil {
		return err
	}
	return c.resume()
}

func (c *Cluster) resume() error {
	if !c.own.running() || !c.own.paused.Swap(false) {
		return nil
	}
	return c.own.unpause()
}

func (c *Cluster) breakable() error {
	switch {
	case !c.private:
		return errShared
	case !c.own.running():
		return errNotRunning
	}
	return nil
}

// start starts the server and returns when it accepts connections.
func (c *Cluster) start(ctx context.Context) error {
	in := c.own
	if err := in.spawn("postgres", "-D", in.data()); err != nil {
		return err
	}
	in.killed = false
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for ; ; time.Sleep(pollEvery) {
		if _, ended, err := in.ended(); ended || err != nil {
			return errors.Join(errors.New("the server did not start: "+in.logTail()), err)
		}
		conn, err := pgconn.Connect(ctx, c.admin)
		if err == nil {
			return conn.Close(ctx)
		}
		if ctx.Err() != nil {
			return fmt.Errorf("the server did not accept a connection within %v: %w: %s", patience, err, in.logTail())
		}
	}
}

func (in *instance) stop(mode Mode) error {
	if !in.running() {
		return nil
	}
	if err := in.signal(modeSignals[mode]); err != nil {
		return err
	}
	_, err := in.reap()
	return err
}

func (in *instance) kill() error {
	const grace = 10 * time.Second
	if err := in.freeze(); err != nil {
		return err
	}
	left := children(int(in.pid.Load()))
	if err := in.signal(syscall.SIGKILL); err != nil {
		return err
	}
	if in.paused.Swap(false) {
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGCONT) // a stopped process would not notice the postmaster's end
		}
	}
	if _, err := in.reap(); err != nil {
		return err
	}
	in.killed = true
	for end := time.Now().Add(grace); ; time.Sleep(pollEvery) {
		left = slices.DeleteFunc(left, func(pid int) bool { return !alive(pid) })
		if len(left) == 0 {
			return nil
		}
		if time.Now().After(end) {
			for _, pid := range left {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
			end = time.Now().Add(grace)
		}
	}
}

// freeze stops the postmaster, which then has no child that it has not started yet: a
// session that it is about to start when the signal arrives begins before freeze returns.
func (in *instance) freeze() error {
	if err := in.signal(syscall.SIGSTOP); err != nil {
		return err
	}
	return stopped(int(in.pid.Load()))
}

func (in *instance) pause() error {
	if err := in.freeze(); err != nil {
		return err
	}
	all := children(int(in.pid.Load()))
	if err := signalEach(all, syscall.SIGSTOP); err != nil {
		return err
	}
	for _, pid := range all {
		if err := stopped(pid); err != nil {
			return err
		}
	}
	return nil
}

func (in *instance) unpause() error {
	all := children(int(in.pid.Load()))
	return errors.Join(in.signal(syscall.SIGCONT), signalEach(all, syscall.SIGCONT))
}

func signalEach(pids []int, signal syscall.Signal) error {
	for _, pid := range pids {
		if err := syscall.Kill(pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
	}
	return nil
}

// Folder returns the folder of the cluster, which contains its data in "data" and its
// log in "log". For the server of CORRIDOR_TEST_POSTGRES it returns "".
func (c *Cluster) Folder() string {
	if c.own == nil {
		return ""
	}
	return filepath.Clean(c.own.folder)
}
