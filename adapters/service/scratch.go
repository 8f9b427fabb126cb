package service

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// scratchDir gives the folder for what reports do not hold in memory: the same at
// each start, so that what a dead process left is found again. The folder for
// temporary files is everybody's. Where another user was first under our name, it
// is a new one.
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
