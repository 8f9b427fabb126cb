package portstest

import (
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// ReportFilesHarness opens report files for the suite.
type ReportFilesHarness struct {
	// Open gives an empty set of files. It is called once for each check, and
	// cleans up through tb.Cleanup.
	Open func(tb testing.TB) Files
	// Except names checks that the files cannot pass, each with the reason.
	Except map[string]string
}

// Files are open report files, with what the suite needs to drive them to their
// edges.
type Files struct {
	ports.ReportFiles
	// Clock dates the files; nil: ports.SystemClock. An hour may lie between it
	// and what a file says, so that a server's clock will do.
	Clock ports.Clock
	// Fill leaves no room for more than 64 KiB; the function returned makes room
	// again. Nil leaves out the check that needs it.
	Fill func() (empty func())
}

// ReportFiles checks a ports.ReportFiles.
func ReportFiles(t *testing.T, h ReportFilesHarness) {
	t.Helper()
	checkExceptions(t, h.Except, fileCheckNames())
	for _, c := range fileChecks {
		t.Run(c.name, func(t *testing.T) {
			if reason, ok := h.Except[c.name]; ok {
				t.Skip("excepted: " + reason)
			}
			c.run(newFileKit(t, h.Open(t)))
		})
	}
}

type fileCheck struct {
	name string
	run  func(k *fileKit)
}

var fileChecks = slices.Concat(fileCommitChecks, fileNameChecks, fileReadChecks)

func fileCheckNames() []string {
	var all []string
	for _, c := range fileChecks {
		all = append(all, c.name)
	}
	return all
}

// fileKit is a kit for files.
type fileKit struct {
	kit
	files Files
}

func newFileKit(tb testing.TB, files Files) *fileKit {
	if files.Clock == nil {
		files.Clock = ports.SystemClock()
	}
	return &fileKit{kit: kit{TB: tb}, files: files}
}

// aFile is the name that most checks use.
const aFile = "rep_1/report.csv"

func (k *fileKit) create(name string) ports.NewReportFile {
	k.Helper()
	f, err := k.files.Create(k.Context(), name)
	k.ok(err, "Create")
	return f
}

// write writes all of the data; it says so itself, since an io.Writer that takes
// less must give an error.
func (k *fileKit) write(f ports.NewReportFile, data []byte) {
	k.Helper()
	n, err := f.Write(data)
	k.ok(err, "Write")
	k.same(n, len(data), "the count of Write")
}

func (k *fileKit) abort(f ports.NewReportFile) {
	k.Helper()
	k.ok(f.Abort(), "Abort")
}

func (k *fileKit) put(name, data string) {
	k.Helper()
	f := k.create(name)
	k.write(f, []byte(data))
	k.ok(f.Commit(k.Context()), "Commit")
	k.abort(f)
}

func (k *fileKit) open(name string) ports.ReportFile {
	k.Helper()
	f, err := k.files.Open(k.Context(), name)
	k.ok(err, "Open")
	return f
}

func (k *fileKit) shut(f ports.ReportFile) {
	k.Helper()
	k.ok(f.Close(), "Close")
}

func (k *fileKit) remove(name string) {
	k.Helper()
	k.ok(k.files.Remove(k.Context(), name), "Remove")
}

// holds checks what stands under the name.
func (k *fileKit) holds(name, want, what string) {
	k.Helper()
	f := k.open(name)
	defer k.shut(f)
	k.reads(f, want, what)
	k.same(f.Size(), int64(len(want)), "Size of "+what)
}

// reads reads on to the end.
func (k *fileKit) reads(r io.Reader, want, what string) {
	k.Helper()
	got, err := io.ReadAll(r)
	k.ok(err, "Read of "+what)
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
	return "one begins the other"
}

// none checks that nothing stands under the name.
func (k *fileKit) none(name, what string) {
	k.Helper()
	f, err := k.files.Open(k.Context(), name)
	if err == nil {
		k.shut(f)
	}
	k.code(err, errcodes.NotFound, "Open of "+what)
}

// manyFileBytes gives bytes of which no two stretches of 256 are alike.
func manyFileBytes(size int) []byte {
	data := make([]byte, size)
	state := uint32(size) | 1
	for i := range data {
		state = state*1664525 + 1013904223
		data[i] = byte(state >> 24)
	}
	return data
}

// nearly is how far the date of a file may lie from the harness's clock.
const nearly = time.Hour
