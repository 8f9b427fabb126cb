package pgtest

import (
	"errors"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// overflow is the identity that systems give to nobody.
const overflow = 65534

// unprivileged is whom the server runs as, nil for ourselves: PostgreSQL refuses
// to run as root.
func unprivileged() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil //nolint:nilnil // no credential is what a process of the same user is started with
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

// temporary is the machine's temporary folder, or another one where that is out
// of the user's reach, as a TMPDIR below /root is.
func temporary(runAs *syscall.Credential) string {
	for _, dir := range []string{os.TempDir(), "/tmp", "/var/tmp"} {
		if runAs == nil || reachable(dir, runAs.Uid) {
			return dir
		}
	}
	return os.TempDir() // initdb says what is wrong with it
}

// reachable says whether the user may pass dir and all folders above it. Groups
// count for nothing.
func reachable(dir string, uid uint32) bool {
	const others, owners = 0o001, 0o100
	dir, err := filepath.Abs(dir)
	if err != nil {
		return false
	}
	for {
		info, err := os.Stat(dir)
		if err != nil {
			return false
		}
		needed := os.FileMode(others)
		if stat, ok := info.Sys().(*syscall.Stat_t); ok && stat.Uid == uid {
			needed = owners
		}
		if info.Mode()&needed == 0 {
			return false
		}
		if dir == filepath.Dir(dir) {
			return true
		}
		dir = filepath.Dir(dir)
	}
}
