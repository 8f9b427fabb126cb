package service

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// scratchDir returns the folder for report data that does not fit into memory. It is the
// same at each start, so that files of a dead process are found again. Temporary folders
// are often shared between users; if another user has created the folder, scratchDir
// returns a new one.
func scratchDir() (string, error) {
	const name, perm, others = "corridor-scratch-", 0o700, 0o077
	dir := filepath.Join(os.TempDir(), name+strconv.Itoa(os.Getuid()))
	if err := os.Mkdir(dir, perm); !errors.Is(err, fs.ErrExist) {
		return dir, err
	}
	info, err := os.Lstat(dir)
	if err == nil && info.IsDir() && info.Mode().Perm()&others == 0 && ours(info) {
		return dir, nil
	}
	return os.MkdirTemp("", name)
}
