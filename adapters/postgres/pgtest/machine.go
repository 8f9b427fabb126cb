package pgtest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

const (
	serverVariable  = "CORRIDOR_TEST_POSTGRES"
	requireVariable = "CORRIDOR_REQUIRE_POSTGRES"
)

// debianBinaries is where Debian's packages install the binaries of each version.
var debianBinaries = "/usr/lib/postgresql/*/bin"

// absent skips the test, or fails it if PostgreSQL is required.
func absent(tb testing.TB, why string) {
	tb.Helper()
	if required := os.Getenv(requireVariable); required != "" && required != "0" {
		tb.Fatalf("pgtest: %s; %s=%s makes this a failure", why, requireVariable, required)
	}
	tb.Skipf("pgtest: skipped: %s", why)
}

const (
	noBinaries = "no PostgreSQL binaries in PATH, /usr/lib/postgresql/*/bin or pg_config --bindir: install them (Debian: apt-get install postgresql)"
	noServer   = noBinaries + ", or set " + serverVariable + " to the URL of a server where databases may be created"
)

// binaries returns the folder of initdb and postgres, or "" if there is no such folder.
func binaries() string {
	found, err := exec.LookPath("initdb")
	if err == nil {
		if resolved, err := filepath.EvalSymlinks(found); err == nil {
			found = resolved
		}
		if dir := filepath.Dir(found); complete(dir) {
			return dir
		}
	}
	if dir := newest(debianBinaries); dir != "" {
		return dir
	}
	output, err := exec.CommandContext(context.Background(), "pg_config", "--bindir").Output()
	if dir := strings.TrimSpace(string(output)); err == nil && complete(dir) {
		return dir
	}
	return ""
}

func complete(dir string) bool {
	for _, name := range []string{"initdb", "postgres"} {
		if _, err := exec.LookPath(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// newest returns the match with the highest version that has all binaries. The version
// is the name of the parent folder, such as 17.
func newest(pattern string) (dir string) {
	matches, _ := filepath.Glob(pattern) // the only error is a bad pattern
	highest := -1.0
	for _, match := range matches {
		version, err := strconv.ParseFloat(filepath.Base(filepath.Dir(match)), 64)
		if err == nil && version > highest && complete(match) {
			dir, highest = match, version
		}
	}
	return dir
}

const (
	memory       = "/dev/shm"
	memoryNeeded = 2 << 30 // bytes; a test process uses a few hundred million at most
)

// memoryFolder returns a folder in memory, where databases are copied and dropped four
// times as fast as on a disk, or "" if no folder has memoryNeeded free.
func memoryFolder() string {
	var fs syscall.Statfs_t
	if syscall.Statfs(memory, &fs) != nil || uint64(fs.Bsize)*fs.Bavail < memoryNeeded {
		return ""
	}
	return memory
}

// overflow is the usual uid and gid of the user nobody.
const overflow = 65534

// unprivileged returns the user that the server runs as, or nil for the current user.
// PostgreSQL does not run as root.
func unprivileged() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil //nolint:nilnil // a nil credential means the current user
	}
	for _, name := range []string{"postgres", "nobody"} {
		found, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.ParseUint(found.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(found.Gid, 10, 32)
		if err := errors.Join(uidErr, gidErr); err != nil {
			return nil, err
		}
		if uid != 0 {
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
		}
	}
	return &syscall.Credential{Uid: overflow, Gid: overflow}, nil
}
