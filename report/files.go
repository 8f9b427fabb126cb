package report

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// attemptName returns the name of an attempt's file. Each attempt has its own files: an
// attempt that has lost its lease without noticing must not replace those of a later one.
func attemptName(rec *ports.ReportJob, file string) string {
	return rec.ID + "/" + count(rec.Attempts) + "/" + file
}

func reportName(rec *ports.ReportJob) string   { return attemptName(rec, "report."+rec.Request.Format) }
func manifestName(rec *ports.ReportJob) string { return attemptName(rec, "manifest.json") }
func rowsName(rec *ports.ReportJob) string     { return attemptName(rec, "rows.jsonl") }

// put stores a small file, or removes it if text is nil.
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

const maxSmallFile = 64 << 20

func (s *Service) readAll(ctx context.Context, name string) (text []byte, err error) {
	file, err := s.ports.Files.Open(ctx, name)
	if err != nil {
		return nil, errcodes.Coded(err)
	}
	defer func() {
		if closed := file.Close(); err == nil {
			err = errcodes.Coded(closed)
		}
	}()
	text, err = io.ReadAll(io.LimitReader(file, maxSmallFile))
	return text, errcodes.Coded(err)
}

// removeFiles removes all files of a report.
func (s *Service) removeFiles(ctx context.Context, rec *ports.ReportJob) error {
	return s.removeAttempts(ctx, rec, 1, rec.Attempts)
}

// removeAttempts removes the files of the attempts from first to last.
func (s *Service) removeAttempts(ctx context.Context, rec *ports.ReportJob, first, last int) (err error) {
	defer s.recovered(ctx, "removing a report's files", &err)
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

const expirePage = 100

// expire removes ended jobs older than Policy.KeepFor and their files.
func (s *Service) expire(ctx context.Context, now time.Time) error {
	if s.policy.KeepFor == 0 {
		return nil
	}
	old, err := s.ports.Reports.ExpiredReports(ctx, now.Add(-s.policy.KeepFor), expirePage)
	if err != nil {
		return err
	}
	var failed []error
	for i := range old {
		if err := s.removeFiles(ctx, &old[i]); err != nil {
			failed = append(failed, err)
			continue
		}
		failed = append(failed, s.ports.Reports.RemoveReport(ctx, old[i].Owner, old[i].ID))
	}
	return errors.Join(failed...)
}
