package ports

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/corridor-go/corridor/errcodes"
)

// MaxReportFileName bounds the name of a report file, in bytes. A folder keeps a
// file that is being written under a longer, hidden name, which most file systems
// end at 255.
const MaxReportFileName = 200

var errReportFileName = errcodes.New(errcodes.InvalidRequest, "the name of a report file is not allowed")

// CheckReportFileName holds a name against the rule of [ReportFiles]: parts of the
// letters a to z, digits, dots, hyphens and underscores, each beginning with a
// letter or a digit, with slashes between; at most [MaxReportFileName] bytes in
// all. Another is errcodes.InvalidRequest.
func CheckReportFileName(name string) error {
	if len(name) > MaxReportFileName {
		return errReportFileName
	}
	for part := range strings.SplitSeq(name, "/") {
		if !goodFilePart(part) {
			return errReportFileName
		}
	}
	return nil
}

func goodFilePart(part string) bool {
	for i := range len(part) {
		c := part[i]
		first := c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
		if !first && (i == 0 || c != '.' && c != '-' && c != '_') {
			return false
		}
	}
	return part != ""
}

// ReportFiles keeps finished files, such as rep_1/report.csv. Its methods refuse
// what [CheckReportFileName] refuses.
type ReportFiles interface {
	// Create starts a file. Nothing stands under the name before Commit, and
	// what stood there before stays until then.
	Create(ctx context.Context, name string) (NewReportFile, error)

	// Open gives a finished file, to read anywhere in it. None of the name is
	// errcodes.NotFound.
	Open(ctx context.Context, name string) (ReportFile, error)

	// Remove removes a finished file, and what Create left behind under its name
	// when a process died. None is no error.
	Remove(ctx context.Context, name string) error
}

// NewReportFile is a file that is being written.
type NewReportFile interface {
	// Write adds bytes. A disk that is full is errcodes.StorageUnavailable.
	io.Writer
	// Commit puts the whole file under its name, in one step; a reader never
	// sees a part. When it fails, nothing new stands there.
	Commit(ctx context.Context) error
	// Abort throws the file away. After Commit it does nothing, so that it can
	// be deferred.
	Abort() error
}

// ReportFile is a finished file that is being read.
type ReportFile interface {
	io.ReadSeekCloser
	Size() int64        // in bytes
	ModTime() time.Time // when it was committed
}

// Scratch gives room for what does not fit into memory.
type Scratch interface {
	// Open gives an empty space of its own.
	Open(ctx context.Context) (ScratchSpace, error)
}

// ScratchSpace holds temporary files. It is for one goroutine.
type ScratchSpace interface {
	// Create starts a file of the space, whose name is a word of letters and
	// digits.
	Create(name string) (io.WriteCloser, error)
	// Open reads a file from its beginning, once it was closed.
	Open(name string) (io.ReadCloser, error)
	// Remove removes a file that is closed.
	Remove(name string) error
	// Close removes the space and all in it.
	Close() error
}

// ReportWriter writes one file format.
type ReportWriter interface {
	// Format is the format's name, in lower case, and the extension of its
	// files: csv.
	Format() string
	// ContentType is the format's media type.
	ContentType() string
	// Begin starts a file of these columns on w, which it never closes. No
	// columns, one without a name or of an unknown type, and a name twice are
	// errcodes.InvalidRequest.
	Begin(w io.Writer, columns []Column) (RowWriter, error)
}

// RowWriter writes the rows of one file. It streams: memory does not grow with
// the rows. It is for one goroutine.
type RowWriter interface {
	// Write adds a row with a text for each column. A row of another length, and
	// a text that is not of its column's type, is errcodes.InvalidRequest; a row
	// that the format has no room for is errcodes.Unprocessable. The row is not
	// kept.
	Write(row []string) error
	// Close ends the content, also after an error, and lets go of what the writer
	// holds. No Write follows.
	Close() error
}
