//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// child is a running service.
type child struct {
	cmd  *exec.Cmd
	addr string // host and port
	kill context.CancelFunc

	ready chan struct{} // closed once addr is set
	ended chan struct{} // closed once the process has ended and been measured for the last time

	mu      sync.Mutex
	peak    int64  // bytes
	stopped bool   // it reached the bound on memory
	last    string // its words, if it ended by itself
}

// serve starts the service in dir, with the arguments, and clients named in clients with
// their secrets. It kills a service whose memory reaches most bytes.
func serve(ctx context.Context, binary, dir string, most int64, clients map[string]string, args []string) (*child, error) {
	ctx, kill := context.WithCancel(ctx)
	args = append([]string{
		"serve", "--sandbox", "--listen", "127.0.0.1:0", "--store", "sqlite:" + filepath.Join(dir, "corridor.db"),
		"--report-files", "dir:" + filepath.Join(dir, "reports"),
	}, args...)
	c := &child{cmd: exec.CommandContext(ctx, binary, args...), kill: kill, ready: make(chan struct{}), ended: make(chan struct{})}
	var pairs []string
	for id, secret := range clients {
		pairs = append(pairs, id+":"+secret)
	}
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "CORRIDOR_") && !strings.HasPrefix(variable, "GOMEMLIMIT=") {
			c.cmd.Env = append(c.cmd.Env, variable)
		}
	}
	c.cmd.Env = append(c.cmd.Env, "CORRIDOR_CLIENTS="+strings.Join(pairs, ","))
	c.cmd.Dir = dir
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // also if this process is killed
	log, err := c.cmd.StderrPipe()
	if err == nil {
		err = c.cmd.Start()
	}
	if err != nil {
		kill()
		return nil, err
	}
	var watching sync.WaitGroup
	stop := make(chan struct{})
	watching.Go(func() { c.watch(most, stop) })
	go func() {
		c.listen(bufio.NewReader(log))
		_ = c.cmd.Wait() // how it ended is in ProcessState
		close(stop)
		watching.Wait()
		close(c.ended)
	}()
	return c, nil
}

// listen reads the log until the process ends: it must not block on it. It keeps the
// address and the first line of a last message.
func (c *child) listen(log *bufio.Reader) {
	for {
		line, err := log.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimSpace(line)
		if url, ok := strings.CutPrefix(line, "listening on http://"); ok && c.addr == "" {
			c.addr = url
			close(c.ready)
		}
		for _, opening := range []string{"corridor: ", "fatal error: ", "panic: "} {
			if c.mu.Lock(); c.last == "" && strings.HasPrefix(line, opening) {
				c.last = line
			}
			c.mu.Unlock()
		}
	}
}

// watch measures the memory until stop is closed.
func (c *child) watch(most int64, stop chan struct{}) {
	const every = 20 * time.Millisecond
	path := fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid)
	for {
		now, peak := memory(path)
		c.mu.Lock()
		c.peak = max(c.peak, peak)
		c.stopped = c.stopped || now >= most
		if c.stopped {
			c.kill()
		}
		c.mu.Unlock()
		select {
		case <-stop:
			return
		case <-time.After(every):
		}
	}
}

// memory returns the memory that a process has and the most that it had, in bytes. Both
// are 0 if it has ended.
func memory(path string) (now, peak int64) {
	status, err := os.ReadFile(path)
	if err != nil {
		return 0, 0
	}
	for line := range bytes.Lines(status) {
		name, value, _ := strings.Cut(string(line), ":")
		n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		switch {
		case err != nil: // another field
		case name == "VmRSS":
			now = n << 10
		case name == "VmHWM":
			peak = n << 10
		}
	}
	return now, peak
}

// up waits until the service listens. It reports false if it has ended instead.
func (c *child) up() (bool, error) {
	const limit = time.Minute
	select {
	case <-c.ready:
		return true, nil
	case <-c.ended:
		return false, nil
	case <-time.After(limit):
		return false, fmt.Errorf("the service does not listen after %s", limit)
	}
}

// end kills the service. died is how it ended before that, or empty.
func (c *child) end() (died string) {
	select {
	case <-c.ended:
		died = c.cmd.ProcessState.String()
	default:
	}
	c.kill()
	<-c.ended
	if died != "" && c.last != "" {
		died += ": " + c.last
	}
	return died
}

// refused reports whether the service ended because of an error of the setting, which may
// be empty.
func (c *child) refused(setting string) bool {
	return setting != "" && c.cmd.ProcessState.ExitCode() == 2 && strings.HasPrefix(c.last, "corridor: "+setting+" ")
}
