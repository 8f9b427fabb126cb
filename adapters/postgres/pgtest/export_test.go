package pgtest

import (
	"context"
	"strconv"
)

// Alive reports whether a process is running and not a zombie.
func Alive(pid int) bool { return alive(pid) }

// Stopped reports whether a process obeys SIGSTOP.
func Stopped(pid int) bool {
	state, _, ok := stat("/proc/" + strconv.Itoa(pid) + "/stat")
	return !ok || state == 'T'
}

// HideDebian makes the folder of Debian's binaries empty.
func HideDebian() { debianBinaries = "/nonexistent" }

// Source returns the name of the database of which template's databases are copies.
func (c *Cluster) Source(ctx context.Context, template *Template) (string, error) {
	return c.source(ctx, template)
}
