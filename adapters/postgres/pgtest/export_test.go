package pgtest

import "context"

// Alive reports whether a process is running and not a zombie.
func Alive(pid int) bool { return alive(pid) }

// HideDebian makes the folder of Debian's binaries empty.
func HideDebian() { debianBinaries = "/nonexistent" }

// Source returns the name of the database of which template's databases are copies.
func (c *Cluster) Source(ctx context.Context, template *Template) (string, error) {
	return c.source(ctx, template)
}
