package skeleton

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestAPartiallyWrittenFolderIsRemoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mine")
	good := File{"testdata/found.json", []byte("{}")}
	require.Error(t, Write(dir, []File{good, {"testdata/found.json/below", nil}}))
	require.NoDirExists(t, dir)
	require.NoError(t, Write(dir, []File{good}))
	require.FileExists(t, filepath.Join(dir, "testdata", "found.json"))
}

// The templates are valid Go for each accepted name.
func TestEveryNameMakesAPackage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-z][a-z0-9-]{0,31}`).Draw(t, "name")
		for kind, least := range map[string]int{"connector": 12, "feed": 4, "sink": 3, "codes": 4, "store": 5} {
			files, err := Files(kind, name)
			if err != nil {
				t.Fatal(err)
			}
			if len(files) < least {
				t.Fatalf("%d files", len(files))
			}
		}
	})
}
