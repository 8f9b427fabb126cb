package ports

import "io"

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
	Write(row Row) error
	// Close ends the content, also after an error, and lets go of what the writer
	// holds. No Write follows.
	Close() error
}
