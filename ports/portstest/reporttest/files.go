package reporttest

import (
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// FilesHarness opens report files for the suite.
type FilesHarness struct {
	// Open returns an empty set of files. It is called once for each check and
	// cleans up through tb.Cleanup.
	Open func(tb testing.TB) Files
	// Except maps checks that the files cannot pass to the reason.
	Except map[string]string
}

// Files are open report files, with what the suite needs to test their limits.
type Files struct {
	ports.ReportFiles
	// Clock is the clock of the files' ModTime; nil means ports.SystemClock. The
	// two may differ by an hour, so that a server may use its own clock.
	Clock ports.Clock
	// Fill leaves room for at most 64 KiB; the returned function makes room again.
	// If Fill is nil, the check that needs it is skipped.
	Fill func() (empty func())
}

// ReportFiles checks a ports.ReportFiles.
func ReportFiles(t *testing.T, h FilesHarness) {
	t.Helper()
	kit.Run(t, h.Except, fileChecks, func(t *testing.T) *fileKit {
		return newFileKit(t, h.Open(t))
	})
}

type fileCheck kit.Check[*fileKit]

var fileChecks = slices.Concat(fileCommitChecks, fileReadChecks)

type fileKit struct {
	kit.Kit
	files Files
}

func newFileKit(tb testing.TB, files Files) *fileKit {
	if files.Clock == nil {
		files.Clock = ports.SystemClock()
	}
	return &fileKit{Kit: kit.Kit{TB: tb}, files: files}
}

// aFile is the name that most checks use.
const aFile = "rep_1/report.csv"

func (k *fileKit) create(name string) ports.NewReportFile {
	return kit.Got(k.files.Create(k.Context(), name)).OK(k, "Create")
}

// write writes the data and checks the returned count: a short Write must return
// an error.
func (k *fileKit) write(f ports.NewReportFile, data []byte) {
	k.Same(kit.Got(f.Write(data)).OK(k, "Write"), len(data), "the count that Write returned")
}

func (k *fileKit) abort(f ports.NewReportFile) {
	k.OK(f.Abort(), "Abort")
}

func (k *fileKit) commit(f ports.NewReportFile) {
	k.OK(f.Commit(k.Context()), "Commit")
	k.abort(f)
}

func (k *fileKit) put(name, data string) {
	f := k.create(name)
	k.write(f, []byte(data))
	k.commit(f)
}

func (k *fileKit) open(name string) ports.ReportFile {
	return kit.Got(k.files.Open(k.Context(), name)).OK(k, "Open")
}

func (k *fileKit) shut(f ports.ReportFile) {
	k.OK(f.Close(), "Close")
}

func (k *fileKit) remove(name string) {
	k.OK(k.files.Remove(k.Context(), name), "Remove")
}

func (k *fileKit) contains(name, want, what string) {
	f := k.open(name)
	defer k.shut(f)
	k.reads(f, want, what)
	k.Same(f.Size(), int64(len(want)), "Size of "+what)
}

func (k *fileKit) reads(r io.Reader, want, what string) {
	got := kit.Got(io.ReadAll(r)).OK(k, "Read of "+what)
	if string(got) != want {
		k.Fatalf("%s: %d bytes, want %d: %s", what, len(got), len(want), firstDifference(got, want))
	}
}

func firstDifference(got []byte, want string) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("byte %d is %#x, want %#x", i, got[i], want[i])
		}
	}
	return "one is the beginning of the other"
}

func (k *fileKit) absent(name, what string) {
	f, err := k.files.Open(k.Context(), name)
	if err == nil {
		k.shut(f)
	}
	k.Code(err, errcodes.NotFound, "Open of "+what)
}

// manyFileBytes returns bytes in which no two blocks of 256 are equal.
func manyFileBytes(size int) []byte {
	data := make([]byte, size)
	state := uint32(size) | 1
	for i := range data {
		state = state*1664525 + 1013904223
		data[i] = byte(state >> 24)
	}
	return data
}

// growing cuts the data into pieces that grow to 1 MiB, each followed by an empty one.
func growing(data []byte) (pieces [][]byte) {
	for n := 1; len(data) > 0; n = min(n*3, 1<<20) {
		n = min(n, len(data))
		pieces, data = append(pieces, data[:n], nil), data[n:]
	}
	return pieces
}

// nearly is how much ModTime may differ from the harness's clock.
const nearly = time.Hour
