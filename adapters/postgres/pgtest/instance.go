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

	// socketPathMax is what every system allows in a socket's address, which
	// the name that PostgreSQL gives the socket is part of.
	socketPathMax = 100 - len("/.s.PGSQL."+port)

	pollEvery = 5 * time.Millisecond
)

// instance is a cluster's folder and the processes that work on it. Nobody waits
// for the processes in a goroutine: they are asked, so that leak checks in the
// middle of a test find nothing.
type instance struct {
	bin    string
	folder string // data, log and, if its path is short enough, the socket
	socket string // the folder of the socket
	runAs  *syscall.Credential
	guard  *guard

	pid    atomic.Int64 // of the postmaster, 0 when it does not run
	paused atomic.Bool
	killed bool // the postmaster had no chance to tidy up
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

// makeFolder makes a folder for the server's user alone.
func (in *instance) makeFolder(within string) (string, error) {
	if within == "" && in.runAs != nil {
		within = "/tmp" // TMPDIR, below /root for example, may be out of its reach
	}
	folder, err := os.MkdirTemp(within, "pgtest-")
	if err != nil || in.runAs == nil {
		return folder, err
	}
	return folder, os.Chown(folder, int(in.runAs.Uid), int(in.runAs.Gid))
}

func (in *instance) data() string { return filepath.Join(in.folder, "data") }

func (in *instance) running() bool { return in.pid.Load() != 0 }

// initialise makes the data folder with the settings behind its own. Whoever
// reaches the socket is trusted: the folder around it says who that is.
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

// spawn starts a program of PostgreSQL in a session of its own, where a
// terminal's interrupt does not reach it. Variables such as PGDATA stay outside.
func (in *instance) spawn(name string, arguments ...string) error {
	log, err := os.OpenFile(in.logFile(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	cmd := exec.Command(filepath.Join(in.bin, name), arguments...) //nolint:gosec,noctx // PostgreSQL's own program, which outlives the call
	cmd.Dir, cmd.Env = in.folder, []string{"PATH=" + in.bin + ":" + os.Getenv("PATH"), "HOME=" + in.folder, "LC_ALL=C"}
	cmd.Stdout, cmd.Stderr = log, log // go test would wait for holders of its own
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: in.runAs}
	if err := errors.Join(cmd.Start(), log.Close()); err != nil {
		return err
	}
	in.pid.Store(int64(cmd.Process.Pid))
	err = in.guard.watch(cmd.Process.Pid)
	_ = cmd.Process.Release() // reap waits by the number
	return err
}

// reap waits until the process has ended, with patience.
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

// ended asks without waiting.
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

// logTail is the end of what PostgreSQL wrote.
func (in *instance) logTail() string {
	const most = 2000
	text, err := os.ReadFile(in.logFile())
	if err != nil {
		return err.Error()
	}
	return string(bytes.TrimSpace(text[max(0, len(text)-most):]))
}

// remove takes the folders away.
func (in *instance) remove() error {
	if in.running() {
		_ = in.signal(syscall.SIGKILL)
		_, _ = in.reap()
	}
	return in.guard.release()
}

// guardScript is told the process to end when the test process is gone, and
// learns that from the end of its input. It removes the folders in any case. A
// postmaster takes its file away when it is done, which says more than its
// number: that of an orphan stays where nobody reaps it.
const guardScript = `
pid=0
while read -r told; do pid=$told; done
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

// guard is a shell that outlives the test process, whichever way that ends.
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

// watch names the process to end, 0 for none.
func (g *guard) watch(pid int) error {
	_, err := fmt.Fprintln(g.input, pid)
	return err
}

// release lets the guard remove the folders, and waits for it.
func (g *guard) release() error {
	if err := g.input.Close(); err != nil {
		return err
	}
	return g.shell.Wait()
}
