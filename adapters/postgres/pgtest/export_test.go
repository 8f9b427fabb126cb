package pgtest

import "context"

// Alive says whether a process is there and not merely unreaped.
func Alive(pid int) bool { return alive(pid) }

// HideDebian makes the folder of Debian's binaries empty.
func HideDebian() { debianBinaries = "/nonexistent" }

// Source is the name of the database that copies of template are made from.
func (c *Cluster) Source(ctx context.Context, template *Template) (string, error) {
	return c.source(ctx, template)
}
