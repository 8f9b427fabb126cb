// Package localfile reads local configuration files.
package localfile

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// Read returns the content of a regular file of at most maxSize bytes. It returns an
// error for any other file, such as a pipe, which might never end.
func Read(path string, maxSize int) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	body, err := io.ReadAll(io.LimitReader(file, int64(maxSize)+1))
	if err == nil && len(body) > maxSize {
		err = fmt.Errorf("larger than %d bytes", maxSize)
	}
	return body, err
}
