//go:build linux

// Command attacks attacks the service as a stranger on the network could, and measures
// what that does to its memory and to a client that has a token.
//
//	go run ./internal/attacks
//	go run ./internal/attacks -for 5s slow-tokens idle
//
// It builds adapters/cmd/corridor and starts it for each attack as a child, in the sandbox
// and with an empty SQLite store in a temporary folder. All connections stay on
// 127.0.0.0/8. During an attack a client with a token creates, reads and cancels a rate
// lock, one request every 100 ms, in turn on new connections and on a kept one, from an
// address of its own.
//
// Each attack prints one line: the child's peak memory, whether it survived, the client's
// requests that succeeded and the others by status or error, the median and worst time of
// those that succeeded, and what the attackers did and were answered. The exit status is 1
// if a child died, if its peak reached -peak, or if a request of the client did not
// succeed, unless the line says why that is allowed. A child that reaches -stop is killed,
// so that the machine survives.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	passed, err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "attacks:", err)
		os.Exit(2)
	case !passed:
		os.Exit(1)
	}
}

const megabyte = 1 << 20

// run reports whether the service withstood every attack.
func run(ctx context.Context, args []string, out io.Writer) (passed bool, err error) {
	flags := flag.NewFlagSet("attacks", flag.ContinueOnError)
	length := flags.Duration("for", 10*time.Second, "length of each attack")
	peak := flags.Int64("peak", 256, "peak memory of the service, in `MB`, that fails an attack")
	most := flags.Int64("stop", 6<<10, "memory of the service, in `MB`, at which it is killed")
	if err := flags.Parse(args); err != nil {
		return false, err
	}
	chosen, err := choose(flags.Args())
	if err != nil {
		return false, err
	}
	files, err := raiseFiles()
	if err != nil {
		return false, err
	}
	if files < mostFiles {
		fmt.Fprintf(out, "note: at most %d connections at once, because %d open files are allowed and %d are needed\n",
			connectionsWithin(files), files, mostFiles)
	}
	dir, err := os.MkdirTemp("", "corridor-attacks")
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	lab := lab{binary: filepath.Join(dir, "corridor"), most: *most * megabyte, connections: connectionsWithin(files), length: *length}
	if err := build(ctx, lab.binary); err != nil {
		return false, err
	}
	passed = true
	for _, a := range chosen {
		lab.dir = filepath.Join(dir, a.name)
		r, err := lab.measure(ctx, a)
		if err = errors.Join(err, ctx.Err()); err != nil {
			return false, fmt.Errorf("%s: %w", a.name, err)
		}
		faults := r.faults(a, *peak*megabyte)
		fmt.Fprintln(out, r.line(a, faults))
		passed = passed && len(faults) == 0
	}
	return passed, nil
}

// choose returns the attacks with the names, or all if there is none.
func choose(names []string) ([]attack, error) {
	if len(names) == 0 {
		return attacks, nil
	}
	var chosen []attack
	for _, name := range names {
		i := slices.IndexFunc(attacks, func(a attack) bool { return a.name == name })
		if i < 0 {
			return nil, fmt.Errorf("no attack is named %q", name)
		}
		chosen = append(chosen, attacks[i])
	}
	return chosen, nil
}

// build compiles the service without the race detector, which GOFLAGS may contain and
// which takes more memory than the service.
func build(ctx context.Context, binary string) error {
	said, err := exec.CommandContext(ctx, "go", "build", "-race=false", "-o", binary, "github.com/corridor-go/corridor/adapters/cmd/corridor").CombinedOutput()
	if err != nil {
		return fmt.Errorf("go build: %w\n%s", err, said)
	}
	return nil
}

// mostFiles is how many open files the attack with the most connections needs, of this
// process and of the service.
const mostFiles = mostConnections + otherFiles

const (
	mostConnections = 10_000
	otherFiles      = 500
)

func connectionsWithin(files int) int { return max(1, min(mostConnections, files-otherFiles)) }

// raiseFiles raises the limit on open files to mostFiles if this process may do so, and
// returns the limit. The service inherits it.
func raiseFiles() (int, error) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0, fmt.Errorf("the limit on open files: %w", err)
	}
	if limit.Cur >= mostFiles { // the runtime has raised it to the hard limit, and will do so in the service
		return mostFiles, nil
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: mostFiles, Max: max(limit.Max, mostFiles)}); err != nil {
		return int(limit.Cur), nil //nolint:nilerr // the attacks get by with fewer
	}
	return mostFiles, nil
}
