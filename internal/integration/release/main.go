// Command release makes a release of every module of the repository:
//
//	go run ./internal/integration/release v0.1.0
//
// In the working tree of a release it requires each module at that version,
// drops the replace lines that tie them together between releases, tidies in the
// order of their requirements, commits, and tags each module. It pushes nothing.
//
// The module proxy does not know the version yet when the modules are tidied. So
// each tidied module is packed, as the go command packs a tag, into a folder that
// serves as a proxy for the next ones. It runs in a clone, not in a worktree of git.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: release vX.Y.Z")
		os.Exit(2)
	}
	if err := run(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, version string) error {
	proxy, err := os.MkdirTemp("", "corridor-release")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(proxy) }()
	tags, err := Release(ctx, ".", version, Proxy(proxy))
	if err != nil {
		return err
	}
	fmt.Println("tagged; to publish: git push origin " + strings.Join(tags, " "))
	return nil
}
