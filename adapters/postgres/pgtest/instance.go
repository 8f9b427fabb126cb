package pgtest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	superuser = "postgres"
	port      = "5432" // names the socket; nothing listens on the network

	// socketPathMax is the longest folder that fits every system's socket addresses,
	// which include PostgreSQL's name of the socket.
	socketPathMax = 100 - len("/.s.PGSQL."+port)

	pollEvery = 5 * time.Millisecond
)

// instance is a cluster's folder and its processes. The processes are polled, not
// waited for in a goroutine, so that leak checks in the middle of a test find nothing.
type instance struct {
	bin    string
	folder string // data, log and, if its path is short enough, the socket
	socket string // the folder of the socket
	runAs  *syscall.Credential
	guard  *guard

	pid    atomic.Int64 // of the postmaster; 0 if it is not running
	paused atomic.Bool
	killed bool // the postmaster could not clean up
}

func prepare(bin, within string) (*instance, error) {
	runAs, err := unprivileged()
	if err != nil {
		return nil, err
	}
	in := &instance{bin: bin, runAs: runAs}
	if in.folder, err = in.makeFolder(within); err != nil {
		return nil, err
	}
	if in.socket = in.folder; len(in.socket) > socketPathMax {
		if in.socket, err = in.makeFolder("/tmp"); err != nil {
			return nil, errors.Join(err, os.RemoveAll(in.folder))
		}
	}
	if in.guard, err = newGuard(in.folder, in.socket); err != nil {
		return nil, errors.Join(err, os.RemoveAll(in.folder), os.RemoveAll(in.socket))
	}
	return in, nil
}

// makeFolder creates a folder that only the server's user can enter.
func (in *instance) makeFolder(within string) (string, error) {
	if within == "" && in.runAs != nil {
		within = "/tmp" // that user may not be able to enter TMPDIR
	}
	folder, err := os.MkdirTemp(within, "pgtest-")
	if err != nil || in.runAs == nil {
		return folder, err
	}
	return folder, os.Chown(folder, int(in.runAs.Uid), int(in.runAs.Gid))
}

func (in *instance) data() string { return filepath.Join(in.folder, "data") }

func (in *instance) running() bool { return in.pid.Load() != 0 }

// initialise creates the data folder and appends settings to its configuration. All
// clients of the socket are trusted: the mode of its folder decides who they are.
func (in *instance) initialise(settings string) error {
	err := in.spawn("initdb", "--pgdata", in.data(), "--username", superuser, "--auth", "trust",
		"--encoding", "UTF8", "--locale", "C", "--no-sync", "--no-instructions")
	if err != nil {
		return err
	}
	status, err := in.reap()
	if err != nil {
		return err
	}
	if status.ExitStatus() != 0 {
		return fmt.Errorf("initdb failed: %s", in.logTail())
	}
	return appendTo(filepath.Join(in.data(), "postgresql.conf"), settings)
}

// spawn starts a program of PostgreSQL in a new session, so that a terminal's
// interrupt does not reach it, and without inherited variables such as PGDATA.
func (in *instance) spawn(name string, arguments ...string) error {
	log, err := os.OpenFile(in.logFile(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	cmd := exec.Command(filepath.Join(in.bin, name), arguments...) //nolint:gosec,noctx // PostgreSQL's own program, which outlives the call
	cmd.Dir, cmd.Env = in.folder, []string{"PATH=" + in.bin + ":" + os.Getenv("PATH"), "HOME=" + in.folder, "LC_ALL=C"}
	cmd.Stdout, cmd.Stderr = log, log // go test would wait for processes that inherit its output
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: in.runAs}
	if err := errors.Join(cmd.Start(), log.Close()); err != nil {
		return err
	}
	in.pid.Store(int64(cmd.Process.Pid))
	err = in.guard.watch(cmd.Process.Pid)
	_ = cmd.Process.Release() // reap waits by pid
	return err
}

// reap waits until the process has ended, at most for patience.
func (in *instance) reap() (syscall.WaitStatus, error) {
	for end := time.Now().Add(patience); ; time.Sleep(pollEvery) {
		status, ended, err := in.ended()
		if ended || err != nil {
			return status, err
		}
		if time.Now().After(end) {
			return status, fmt.Errorf("process %d did not end within %v: %s", in.pid.Load(), patience, in.logTail())
		}
	}
}

// ended reports, without waiting, whether the process has ended.
func (in *instance) ended() (status syscall.WaitStatus, ended bool, err error) {
	pid, err := syscall.Wait4(int(in.pid.Load()), &status, syscall.WNOHANG, nil)
	if errors.Is(err, syscall.EINTR) {
		return status, false, nil
	}
	if err != nil || pid == 0 {
		return status, false, err
	}
	in.pid.Store(0)
	return status, true, in.guard.watch(0)
}

func (in *instance) signal(signal syscall.Signal) error {
	return syscall.Kill(int(in.pid.Load()), signal)
}

func (in *instance) logFile() string { return filepath.Join(in.folder, "log") }

// logTail returns the end of PostgreSQL's log.
func (in *instance) logTail() string {
	const most = 2000
	text, err := os.ReadFile(in.logFile())
	if err != nil {
		return err.Error()
	}
	return string(bytes.TrimSpace(text[max(0, len(text)-most):]))
}

// remove kills the server if it is running and removes the folders.
func (in *instance) remove() error {
	if in.running() {
		_ = in.signal(syscall.SIGKILL)
		_, _ = in.reap()
	}
	return in.guard.release()
}

// guardScript reads the pid of the server from its input, whose end means that the
// test process has ended. It then ends the server and removes the folders. It waits
// for the postmaster to remove its pid file: the pid itself would remain as a zombie
// if no process reaps it.
const guardScript = `
pid=0
while read -r line; do pid=$line; done
if [ "$pid" != 0 ]; then
	kill -CONT "$pid"
	kill -QUIT "$pid"
	tries=0
	while [ -e "$1/data/postmaster.pid" ] && [ $tries -lt 100 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
	kill -KILL "$pid"
fi
rm -rf -- "$@"
`

// guard is a shell that outlives the test process, even if that is killed.
type guard struct {
	shell *exec.Cmd
	input *os.File
}

func newGuard(folders ...string) (*guard, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	g := &guard{input: write}
	g.shell = exec.Command("/bin/sh", append([]string{"-c", guardScript, "pgtest"}, folders...)...) //nolint:gosec,noctx // the script above, which outlives the call
	g.shell.Dir, g.shell.Stdin = "/", read
	g.shell.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := errors.Join(g.shell.Start(), read.Close()); err != nil {
		return nil, fmt.Errorf("%w (and %w)", err, write.Close())
	}
	return g, nil
}

// watch sets the pid of the process to end; 0 means none.
func (g *guard) watch(pid int) error {
	_, err := fmt.Fprintln(g.input, pid)
	return err
}

// release makes the guard remove the folders, and waits for it.
func (g *guard) release() error {
	if err := g.input.Close(); err != nil {
		return err
	}
	return g.shell.Wait()
}
