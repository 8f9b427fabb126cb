package report_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/files/folder"
	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/report"
)

var crashRounds = flag.Int("crash.rounds", 1, "how often a process is killed in the middle of its reports")

const (
	crashEnv  = "CORRIDOR_TEST_CRASH_DIR"
	crashRows = 3000
)

// durable returns a service on a store and files that survive a process.
func durable(t *testing.T, dir string) (*report.Service, func()) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), filepath.Join(dir, "reports.db"), nil)
	require.NoError(t, err)
	files, err := folder.New(filepath.Join(dir, "files"), nil)
	require.NoError(t, err)
	s, err := report.New(report.Ports{
		Reports: store.Reports(), Transactions: &source{rows: transactions(crashRows)}, Writers: []ports.ReportWriter{lines{}},
		Files: files, Scratch: fake.NewScratch(),
	}, report.Policy{}, &report.Config{Lease: time.Second, MaxAttempts: 1000})
	require.NoError(t, err)
	return s, func() { require.NoError(t, store.Close()) }
}

// TestCrashChild is the process that is killed. It creates and makes reports as fast as
// it can, and prints what was acknowledged.
func TestCrashChild(t *testing.T) {
	dir := os.Getenv(crashEnv)
	if dir == "" {
		t.Skip("runs only as the child of TestKill9LosesNoReport")
	}
	s, _ := durable(t, dir)
	for {
		j, err := s.CreateTransactions(t.Context(), owner, asked())
		require.NoError(t, err)
		fmt.Println("acknowledged", j.ID)
		require.NoError(t, s.Tick(t.Context(), time.Now()))
	}
}

// I22 over kill -9: each acknowledged report ends, complete and without repeated rows,
// and no partial file has a final name in the meantime.
func TestKill9LosesNoReport(t *testing.T) {
	dir := t.TempDir()
	var acked []string
	for range *crashRounds {
		acked = append(acked, killReports(t, dir)...)
		verifyReports(t, dir, acked)
	}
	require.NotEmpty(t, acked)
}

func killReports(t *testing.T, dir string) (acked []string) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestCrashChild$", "-test.v")
	child.Env = append(os.Environ(), crashEnv+"="+dir)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	target := 1 + rand.IntN(10)
	for scanner := bufio.NewScanner(out); scanner.Scan(); {
		id, ok := strings.CutPrefix(scanner.Text(), "acknowledged ")
		if !ok {
			require.NotContains(t, scanner.Text(), "FAIL", scanner.Text())
			continue
		}
		if acked = append(acked, id); len(acked) == target {
			require.NoError(t, child.Process.Kill())
		}
	}
	require.Error(t, child.Wait(), "it was killed")
	return acked
}

func verifyReports(t *testing.T, dir string, acked []string) {
	t.Helper()
	s, closeAll := durable(t, dir)
	defer closeAll()
	wholeFiles(t, dir)
	require.NoError(t, s.Tick(t.Context(), time.Now().Add(time.Minute))) // after the leases of the killed processes
	for _, id := range acked {
		j, err := s.Get(t.Context(), owner, id)
		require.NoError(t, err, "acknowledged and lost")
		require.Equal(t, ports.ReportCompleted, j.Status)
		require.Equal(t, int64(crashRows), j.Rows)
		f, err := s.Open(t.Context(), owner, id)
		require.NoError(t, err)
		text, err := io.ReadAll(f)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		sum := sha256.Sum256(text)
		require.Equal(t, j.FileSHA256, hex.EncodeToString(sum[:]))
		rows := strings.Split(strings.TrimSpace(string(text)), "\n")[1:]
		require.Len(t, slices.Compact(rows), crashRows, "rows are missing or doubled")
	}
}

// wholeFiles checks the files with final names.
func wholeFiles(t *testing.T, dir string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "files", "*", "*", "report.csv"))
	require.NoError(t, err)
	for _, name := range found {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, crashRows+1, strings.Count(string(text), "\n"), name)
	}
}
