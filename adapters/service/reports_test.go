package service

import (
	"io"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
)

// A file written under one name of the folder is found under the other.
func TestAFileURLIsTheFolderOfItsPath(t *testing.T) {
	home := t.TempDir()
	t.Chdir(home)
	for url, path := range map[string]string{
		"file://" + home + "/a%20folder": filepath.Join(home, "a folder"),
		"file://./below/here":            filepath.Join(home, "below", "here"),
	} {
		t.Run(url, func(t *testing.T) {
			written, closeWritten, err := Shipped().openFiles(t.Context(), url)
			require.NoError(t, err)
			file, err := written.Create(t.Context(), "id/report.csv")
			require.NoError(t, err)
			_, err = io.WriteString(file, "rows")
			require.NoError(t, err)
			require.NoError(t, file.Commit(t.Context()))
			require.NoError(t, closeWritten())

			read, closeRead, err := Shipped().openFiles(t.Context(), "dir:"+path)
			require.NoError(t, err)
			found, err := read.Open(t.Context(), "id/report.csv")
			require.NoError(t, err)
			rows, err := io.ReadAll(found)
			require.NoError(t, err)
			require.Equal(t, "rows", string(rows))
			require.NoError(t, found.Close())
			require.NoError(t, closeRead())
		})
	}
	_, _, err := Shipped().openFiles(t.Context(), "file://")
	require.Equal(t, errcodes.Configuration, errcodes.Of(err))
}
