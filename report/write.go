package report

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"iter"
	"strconv"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/jsontext"
	"github.com/corridor-go/corridor/ports"
)

// write writes the report, its rows as JSON if they are few, and the manifest. Each file
// appears under its name only when it is complete.
func (a *attempt) write(ctx context.Context) (made, error) {
	rec := a.held().rec
	c, err := a.service.content(ctx, &rec)
	if err != nil {
		return made{}, err
	}
	m := made{asOf: c.asOf}
	inline := newInline(c.columns, a.service.cfg.Inline)
	if err := a.writeFile(ctx, &rec, c, inline, &m); err != nil {
		return made{}, err
	}
	if err := a.service.put(ctx, rowsName(&rec), inline.text()); err != nil {
		return made{}, err
	}
	manifest, err := a.service.manifest(&rec, c, &m)
	if err != nil {
		return made{}, err
	}
	return m, a.service.put(ctx, manifestName(&rec), manifest)
}

// content is the content of a report.
type content struct {
	columns []ports.Column
	rows    iter.Seq2[[]string, error]
	asOf    time.Time
}

// content opens the rows of a report.
func (s *Service) content(ctx context.Context, rec *ports.ReportJob) (content, error) {
	if err := s.able(rec); err != nil {
		return content{}, err
	}
	if rec.Kind == ports.ReportUnmatched {
		return s.unmatched(ctx, rec)
	}
	return s.transactions(ctx, rec)
}

// able returns [errcodes.Unavailable] if this process lacks a format, source or column of
// the report and only another process can make it.
func (s *Service) able(rec *ports.ReportJob) error {
	columns := s.Columns(rec.Kind)
	_, errColumns := checkColumns(rec.Request.Columns, columns)
	_, errFilters := checkFilters(rec.Request.Filters, columns)
	if s.writers[rec.Request.Format] == nil || rec.Kind == ports.ReportUnmatched && s.ports.Settlements == nil ||
		errColumns != nil || errFilters != nil {
		return errcodes.New(errcodes.Unavailable, "This process lacks the format, the source or a column of the report")
	}
	return nil
}

func (a *attempt) writeFile(ctx context.Context, rec *ports.ReportJob, c content, inline *inline, m *made) (err error) {
	s := a.service
	file, err := s.ports.Files.Create(ctx, reportName(rec))
	if err != nil {
		return err
	}
	defer func() {
		if aborted := file.Abort(); err == nil {
			err = aborted
		}
	}()
	sum := &summed{to: file, sum: sha256.New()}
	out, err := s.writers[rec.Request.Format].Begin(sum, c.columns)
	if err != nil {
		return err
	}
	// A writer may have temporary files, so it is always closed. After failed rows its
	// further output must be discarded.
	sum.failed = a.writeRows(ctx, c.rows, out, inline)
	if err := errors.Join(sum.failed, out.Close()); err != nil {
		return err
	}
	m.rows = a.rows.Load()
	m.size, m.sha256 = sum.size, hex.EncodeToString(sum.sum.Sum(nil))
	return file.Commit(ctx)
}

func (a *attempt) writeRows(ctx context.Context, rows iter.Seq2[[]string, error], out ports.RowWriter, inline *inline) (err error) {
	defer a.service.recovered(ctx, "making a report", &err)
	for row, err := range rows {
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := out.Write(row); err != nil {
			return err
		}
		inline.add(row)
		a.rows.Add(1)
	}
	return nil
}

// summed counts and hashes the bytes written.
type summed struct {
	to     io.Writer
	sum    hash.Hash
	size   int64
	failed error // if not nil, every write returns it
}

func (s *summed) Write(p []byte) (int, error) {
	if s.failed != nil {
		return 0, s.failed
	}
	n, err := s.to.Write(p)
	s.sum.Write(p[:n])
	s.size += int64(n)
	return n, err
}

// maxInlineText bounds the text of an inline list in bytes. One row may exceed it.
const maxInlineText = maxSmallFile / 4

// inline collects the rows of a small report as JSON objects, one per line, for
// [Service.Rows]. A list is never truncated: a report beyond the
// limit has no list.
type inline struct {
	columns []ports.Column
	left    int
	lines   []byte
	over    bool
}

func newInline(columns []ports.Column, limit int) *inline {
	return &inline{columns: columns, left: max(limit, 0), lines: []byte{}}
}

func (i *inline) add(row []string) {
	if i.left == 0 || len(i.lines) > maxInlineText {
		i.over, i.lines = true, nil
	}
	if i.over {
		return
	}
	i.left--
	i.lines = append(appendObject(i.lines, i.columns, row), '\n')
}

// text returns the lines, or nil if there were too many.
func (i *inline) text() []byte { return i.lines }

// appendObject appends a row as an object: money and times as strings, integers as
// numbers. Columns without a value are left out.
func appendObject(dst []byte, columns []ports.Column, row []string) []byte {
	o := jsontext.Object{}
	for c := range columns {
		switch {
		case row[c] == "":
		case columns[c].Type == ports.ColumnInteger && plainInteger(row[c]):
			o.Raw(columns[c].Name, row[c])
		default:
			o.Text(columns[c].Name, row[c])
		}
	}
	text, _ := o.Done() // texts always marshal
	return append(dst, text...)
}

// plainInteger reports whether text is a JSON integer within int64.
func plainInteger(text string) bool {
	n, err := strconv.ParseInt(text, 10, 64)
	return err == nil && strconv.FormatInt(n, 10) == text
}
