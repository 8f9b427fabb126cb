package cmd

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/corridor-go/corridor/adapters/service"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/report"
)

const (
	// Sheets of a quarter take long enough to be interrupted. The quarter has ended, so
	// each attempt returns the same rows.
	quarterReport = `{"merchantId":"m","name":"A quarter","columns":["transactionId","status","amount","currency"],` +
		`"parameters":{"dateRange":{"startDate":"2025-01-01","endDate":"2025-03-31"}}}`
	quarterReports = 5
)

// Each report ends once after the next start, complete and correct, however the process
// ended.
func TestReportsSurviveTheirProcess(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		signal os.Signal
	}{
		{"killed", syscall.SIGKILL},
		{"stopped", syscall.SIGTERM},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			clients, path, files := clientsFile(t), emptyStore(t), filepath.Join(t.TempDir(), "files")
			env := "CORRIDOR_REPORT_FILES=dir:" + files
			first := launch(t, clients, "sqlite:"+path, env)
			var ids []string
			for range quarterReports {
				status, job := first.do(http.MethodPost, "/v1/reports/transactions?format=xlsx", quarterReport)
				require.Equal(t, http.StatusCreated, status)
				ids = append(ids, job["id"].(string))
			}
			first.poll(time.Millisecond, func() bool { return hasHalfAndWhole(t, files) }, "no report is being made")
			err := first.end(c.signal)
			stopped := c.signal == syscall.SIGTERM
			if stopped {
				require.NoError(t, err, first.log)
				require.NotContains(t, first.log.String(), "level=ERROR")
			} else {
				require.Error(t, err, "killed")
			}
			held := lapse(t, "sqlite:"+path, ids)
			require.Equal(t, stopped, held == 0, "a process that stops gives back what it makes: %d are held", held)

			second := launch(t, clients, "sqlite:"+path, env)
			sums := map[string]int{}
			for _, id := range ids {
				job, file := second.requireWhole(id, "sqlite:"+path)
				if sums[job.FileSHA256]++; sums[job.FileSHA256] == 1 {
					require.Equal(t, job.Rows, distinct(t, file))
				}
			}
			require.Len(t, sums, 1, "each has the rows of an uninterrupted report")
			second.eventually(func() bool { return len(below(t, files)) == 2*quarterReports }, "files are left of attempts that broke off")
			requireNames(t, files, ids)
			require.NoError(t, second.end(syscall.SIGTERM), second.log)
			require.NotContains(t, second.log.String(), "level=ERROR")
		})
	}
}

// hasHalfAndWhole reports whether one report is complete and another is being written.
func hasHalfAndWhole(t *testing.T, files string) bool {
	t.Helper()
	var half, whole bool
	for _, path := range below(t, files) {
		base := filepath.Base(path)
		half = half || strings.HasPrefix(base, ".report.xlsx~")
		whole = whole || base == "manifest.json"
	}
	return half && whole
}

// below lists the files of a directory, which may be changing.
func below(t *testing.T, dir string) (paths []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if os.IsNotExist(err) {
			return nil
		}
		if err == nil && !e.IsDir() {
			paths = append(paths, path)
		}
		return err
	}))
	return paths
}

// requireNames requires exactly a file and a manifest of one attempt of each report.
func requireNames(t *testing.T, files string, ids []string) {
	t.Helper()
	for _, id := range ids {
		var names []string
		attempts := map[string]bool{}
		for _, path := range below(t, filepath.Join(files, id)) {
			names = append(names, filepath.Base(path))
			attempts[filepath.Dir(path)] = true
		}
		require.Equal(t, []string{"manifest.json", "report.xlsx"}, names)
		require.Len(t, attempts, 1)
	}
}

// lapse ends the leases of a dead process instead of waiting for report.DefaultLease, and
// returns how many there were.
func lapse(t *testing.T, spec string, ids []string) (held int) {
	t.Helper()
	store, err := service.OpenStore(t.Context(), parts(), spec)
	require.NoError(t, err)
	running := 0
	for _, id := range ids {
		job, err := store.Reports().Report(t.Context(), "acme", id)
		require.NoError(t, err)
		if job.Status != ports.ReportRunning {
			continue
		}
		if running++; job.Holder == "" {
			require.Zero(t, job.Attempts, "a stop uses up no attempt")
			continue
		}
		held++
		require.LessOrEqual(t, time.Until(job.LeaseUntil), report.DefaultLease)
		job.LeaseUntil = job.UpdatedAt
		require.NoError(t, store.Reports().Save(t.Context(), ports.ReportChange{Job: job}))
	}
	require.NoError(t, store.Close())
	require.Positive(t, running, "all were done before the signal")
	return held
}

// requireWhole waits for a report's end and downloads its file, which must have the
// checksum of the job.
func (p *process) requireWhole(id, spec string) (job ports.ReportJob, file []byte) {
	p.t.Helper()
	ended := p.done("/v1/reports/transactions/" + id)
	require.Equal(p.t, "COMPLETED", ended["status"])
	file = p.fetch(ended["downloadUrl"].(string))
	store, err := service.OpenStore(p.t.Context(), parts(), spec)
	require.NoError(p.t, err)
	job, err = store.Reports().Report(p.t.Context(), "acme", id)
	require.NoError(p.t, err)
	require.NoError(p.t, store.Close())
	require.Equal(p.t, job.FileSize, int64(len(file)))
	sum := sha256.Sum256(file)
	require.Equal(p.t, job.FileSHA256, hex.EncodeToString(sum[:]))
	return job, file
}

// fetch downloads without a token.
func (p *process) fetch(url string) []byte {
	p.t.Helper()
	answer, err := http.Get(url)
	require.NoError(p.t, err)
	file, err := io.ReadAll(answer.Body)
	require.NoError(p.t, err)
	require.NoError(p.t, answer.Body.Close())
	require.Equal(p.t, http.StatusOK, answer.StatusCode)
	return file
}

// distinct counts the rows of a sheet below its heading and requires distinct
// transactions.
func distinct(t *testing.T, file []byte) int64 {
	t.Helper()
	book, err := excelize.OpenReader(bytes.NewReader(file))
	require.NoError(t, err)
	rows, err := book.Rows(book.GetSheetName(0))
	require.NoError(t, err)
	require.True(t, rows.Next())
	seen := map[string]bool{}
	for rows.Next() {
		cells, err := rows.Columns()
		require.NoError(t, err)
		require.False(t, seen[cells[0]], cells[0])
		seen[cells[0]] = true
	}
	require.NoError(t, rows.Close())
	require.NoError(t, book.Close())
	require.Greater(t, len(seen), 5_000)
	return int64(len(seen))
}
