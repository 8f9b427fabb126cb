package clientauth

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/corridor-go/corridor/internal/localfile"
)

// replace replaces the text of a file by the result of edit, which it calls with the text.
// The new text is written to path.lock, which is renamed; so the lock is the file itself.
func replace(path string, edit func(text []byte) ([]byte, error)) (err error) {
	path, err = filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	const private = 0o600
	next, err := os.OpenFile(path+".lock", os.O_WRONLY|os.O_CREATE|os.O_EXCL, private)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s.lock exists: another command is changing the file, or one was interrupted; remove the lock if no command is running", path)
	}
	if err != nil {
		return irreplaceable(err)
	}
	if err := errors.Join(fill(next, path, edit), next.Close()); err != nil {
		return errors.Join(err, os.Remove(next.Name()))
	}
	if err := os.Rename(next.Name(), path); err != nil {
		return errors.Join(irreplaceable(err), os.Remove(next.Name()))
	}
	return nil
}

// irreplaceable adds what to do where the system does not let the file be replaced, such as
// a file that is mounted by itself, or one of another user.
func irreplaceable(err error) error {
	return fmt.Errorf("%w; if the file cannot be replaced here, edit it: corridor client hash prints the entry of a secret", err)
}

// fill writes the edited text of the file at path to next, with the file's mode and owner.
func fill(next *os.File, path string, edit func(text []byte) ([]byte, error)) error {
	text, err := localfile.Read(path, maxFileSize)
	if err != nil {
		return err
	}
	edited, err := edit(text)
	if err != nil {
		return err
	}
	if len(edited) > maxFileSize {
		return fmt.Errorf("the file would have %d bytes, and is read up to %d", len(edited), maxFileSize)
	}
	if _, err := next.Write(edited); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if err := own(next, info); err != nil {
		return irreplaceable(err)
	}
	return errors.Join(next.Chmod(info.Mode().Perm()), next.Sync())
}
