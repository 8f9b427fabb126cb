package report

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"iter"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// write makes the report's files: the report itself, the rows to show inline
// where they are few, and the manifest. Each stands under its name only when it
// is whole; an attempt after this one writes its own.
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

// content is what a report holds.
type content struct {
	columns []ports.Column
	rows    iter.Seq2[ports.Row, error]
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

// able refuses a report that this service cannot make: one that another process
// took, which has other formats, sources or columns. It is left to such a one.
func (s *Service) able(rec *ports.ReportJob) error {
	columns := s.Columns(rec.Kind)
	_, errColumns := checkColumns(rec.Request.Columns, columns)
	_, errFilters := checkFilters(rec.Request.Filters, columns)
	if s.writers[rec.Request.Format] == nil || rec.Kind == ports.ReportUnmatched && s.ports.Settlements == nil ||
		errColumns != nil || errFilters != nil {
		return errcodes.New(errcodes.Unavailable, "The report cannot be made by this process")
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
	// A writer may hold temporary files: it is closed whatever happens. What it
	// has held back until then is not wanted when the rows have failed.
	sum.refusal = a.writeRows(ctx, c.rows, out, inline)
	if err := errors.Join(sum.refusal, out.Close()); err != nil {
		return err
	}
	m.rows = a.rows.Load()
	m.size, m.sha256 = sum.size, hex.EncodeToString(sum.sum.Sum(nil))
	return file.Commit(ctx)
}

func (a *attempt) writeRows(ctx context.Context, rows iter.Seq2[ports.Row, error], out ports.RowWriter, inline *inline) (err error) {
	defer a.service.recovered(ctx, "the making of a report", &err)
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

// summed counts and sums what is written.
type summed struct {
	to      io.Writer
	sum     hash.Hash
	size    int64
	refusal error // of every further write, when not nil
}

func (s *summed) Write(p []byte) (int, error) {
	if s.refusal != nil {
		return 0, s.refusal
	}
	n, err := s.to.Write(p)
	s.sum.Write(p[:n])
	s.size += int64(n)
	return n, err
}

// put stores a small file; none when there is nothing to store.
func (s *Service) put(ctx context.Context, name string, text []byte) (err error) {
	if text == nil {
		return s.ports.Files.Remove(ctx, name)
	}
	file, err := s.ports.Files.Create(ctx, name)
	if err != nil {
		return err
	}
	defer func() {
		if aborted := file.Abort(); err == nil {
			err = aborted
		}
	}()
	if _, err := file.Write(text); err != nil {
		return err
	}
	return file.Commit(ctx)
}

// Each attempt has files of its own, so that one that has lost its lease without
// noticing never replaces what another has made: the last is the one that counts.
func attemptName(rec *ports.ReportJob, file string) string {
	return rec.ID + "/" + count(rec.Attempts) + "/" + file
}

func reportName(rec *ports.ReportJob) string   { return attemptName(rec, "report."+rec.Request.Format) }
func manifestName(rec *ports.ReportJob) string { return attemptName(rec, "manifest.json") }
func rowsName(rec *ports.ReportJob) string     { return attemptName(rec, "rows.jsonl") }

// removeFiles removes what a report has left.
func (s *Service) removeFiles(ctx context.Context, rec *ports.ReportJob) error {
	return s.removeAttempts(ctx, rec, 1, rec.Attempts)
}

// removeAttempts removes what the attempts from first to last have left.
func (s *Service) removeAttempts(ctx context.Context, rec *ports.ReportJob, first, last int) (err error) {
	defer s.recovered(ctx, "the removal of a report's files", &err)
	of := *rec
	for of.Attempts = first; of.Attempts <= last; of.Attempts++ {
		for _, name := range []string{reportName(&of), manifestName(&of), rowsName(&of)} {
			if err := s.ports.Files.Remove(ctx, name); err != nil && errcodes.Of(err) != errcodes.NotFound {
				return err
			}
		}
	}
	return nil
}
