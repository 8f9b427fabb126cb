package folder_test

import (
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/ports/portstest/reporttest"
)

func TestReportFilesConform(t *testing.T) {
	reporttest.ReportFiles(t, reporttest.FilesHarness{Open: func(tb testing.TB) reporttest.Files {
		dir, fill := disk(tb)
		return reporttest.Files{ReportFiles: open(tb, dir, nil), Fill: fill}
	}})
}

func TestScratchConforms(t *testing.T) {
	reporttest.Scratch(t, reporttest.ScratchHarness{Open: func(tb testing.TB) reporttest.Room {
		dir, fill := disk(tb)
		return reporttest.Room{Scratch: openScratch(tb, dir, nil), Fill: fill, Files: func() int { return countFiles(tb, dir) }}
	}})
}

func countFiles(tb testing.TB, dir string) int {
	tb.Helper()
	n := 0
	require.NoError(tb, filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			n++
		}
		return err
	}))
	return n
}
