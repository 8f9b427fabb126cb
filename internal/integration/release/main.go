// Command release releases every module of the repository:
//
//	go run ./internal/integration/release v0.1.0
//
// In the working tree it requires each module at that version, removes the replace lines
// that are used between releases, tidies the modules in the order of their requirements,
// commits, and tags each module. It does not push.
//
// When the modules are tidied, the module proxy does not know the version yet. So each
// tidied module is packed, as the go command packs a tag, into a folder that serves as a
// proxy for the next ones. The command must run in a clone, not in a worktree of git.
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
	fmt.Println("tagged; to publish, run: git push origin " + strings.Join(tags, " "))
	return nil
}
