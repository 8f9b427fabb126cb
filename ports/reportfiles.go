package ports

import (
	"context"
	"io"
	"strings"
	"time"
)

// MaxReportFileName is the longest name of a report file, in bytes. Most file systems
// allow 255, and a folder adds a prefix and a suffix to files that are being written.
const MaxReportFileName = 200

// CheckReportFileName returns [errcodes.InvalidRequest] unless name consists of parts
// with slashes between them, at most [MaxReportFileName] bytes in all. Each part
// consists of the letters a to z, digits, dots, hyphens and underscores, and begins
// with a letter or a digit.
func CheckReportFileName(name string) error {
	if len(name) > MaxReportFileName {
		return bad("the report file's name has %d bytes, want at most %d", len(name), MaxReportFileName)
	}
	for part := range strings.SplitSeq(name, "/") {
		if !goodFilePart(part) {
			return bad("report file %q: each part of the name must be a-z, 0-9, '.', '-' or '_', and begin with a-z or 0-9", name)
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

// ReportFiles stores finished files, such as rep_1/report.csv. Its methods return the
// errors of [CheckReportFileName].
type ReportFiles interface {
	// Create begins a file. Until Commit, the name still refers to the earlier file,
	// if there is one.
	Create(ctx context.Context, name string) (NewReportFile, error)

	// Open opens a finished file for reading. It returns [errcodes.NotFound] if the
	// file does not exist.
	Open(ctx context.Context, name string) (ReportFile, error)

	// Remove removes a finished file, and unfinished ones that a process left under
	// its name when it died. It returns nil if there is nothing to remove.
	Remove(ctx context.Context, name string) error
}

// NewReportFile is a file that is being written.
type NewReportFile interface {
	// Write appends bytes. It returns [errcodes.StorageUnavailable] if the disk is full.
	io.Writer
	// Commit stores the whole file under its name in one step: readers never see
	// part of it. If Commit fails, the name refers to what it did before.
	Commit(ctx context.Context) error
	// Abort discards the file. After Commit it does nothing, so that it can be
	// deferred.
	Abort() error
}

// ReportFile is a finished file that is being read.
type ReportFile interface {
	io.ReadSeekCloser
	Size() int64        // in bytes
	ModTime() time.Time // when it was committed
}

// Scratch makes temporary space for data that does not fit into memory.
type Scratch interface {
	// Open returns a new, empty space.
	Open(ctx context.Context) (ScratchSpace, error)
}

// ScratchSpace contains temporary files. Only one goroutine may use it.
type ScratchSpace interface {
	// Create creates a file. The name consists of letters and digits.
	Create(name string) (io.WriteCloser, error)
	// Open reads a closed file from its beginning.
	Open(name string) (io.ReadCloser, error)
	// Remove removes a closed file.
	Remove(name string) error
	// Close removes the space with all its files.
	Close() error
}

// ReportWriter writes one file format.
type ReportWriter interface {
	// Format returns the format's name in lower case, which is also the extension of
	// its files, such as csv.
	Format() string
	// ContentType returns the format's media type.
	ContentType() string
	// Begin begins a file with the columns on w, which it never closes. It returns
	// [errcodes.InvalidRequest] if there are no columns, if one has no name or an
	// unknown type, or if two have the same name.
	Begin(w io.Writer, columns []Column) (RowWriter, error)
}

// RowWriter writes the rows of one file. Its memory does not grow with the rows. Only
// one goroutine may use it.
type RowWriter interface {
	// Write appends a row with a text for each column, and does not retain it. It
	// returns [errcodes.InvalidRequest] for a row of another length or a text that
	// is not of its column's type, and [errcodes.Unprocessable] if the file is full.
	Write(row []string) error
	// Close ends the file, also after an error, and releases the writer's resources.
	// Write must not be called afterwards.
	Close() error
}
