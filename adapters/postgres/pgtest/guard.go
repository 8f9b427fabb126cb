package pgtest

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

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
	err = g.shell.Start()
	if closed := read.Close(); err == nil {
		err = closed
	}
	if err != nil {
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
