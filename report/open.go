package report

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// File is the open file of a completed report; the caller must close it. Name is for
// downloads, such as unmatched_settlements-2026-10-01-2026-10-31.csv; the name in
// ports.ReportFiles is [Manifest].File.
type File struct {
	ports.ReportFile

	Name        string // for downloads
	ContentType string
	SHA256      string // of the content, hexadecimal

	// Owner is the report's owner, and LinkedAt is when the link was made, to the
	// millisecond. Both are empty unless the file was opened by a link.
	Owner    string
	LinkedAt time.Time
}

// Open opens the file of the owner's report. It returns [errcodes.Conflict] if the report
// has not completed, [errcodes.NotFound] if the file no longer exists, and the errors of
// [Service.Get] and of ports.ReportFiles.
func (s *Service) Open(ctx context.Context, owner, id string) (File, error) {
	j, err := s.completed(ctx, owner, id)
	if err != nil {
		return File{}, err
	}
	file, err := s.ports.Files.Open(ctx, reportName(&j.rec))
	if err != nil {
		return File{}, errcodes.Coded(err)
	}
	return File{
		ReportFile:  file,
		Name:        string(j.rec.Kind) + "-" + j.rec.Request.From.Format(dayLayout) + "-" + j.rec.Request.To.Format(dayLayout) + "." + j.rec.Request.Format,
		ContentType: s.contentType(j.rec.Request.Format), SHA256: j.rec.FileSHA256,
	}, nil
}

// contentType returns the media type of a format, even if this service no longer writes
// it.
func (s *Service) contentType(format string) string {
	if w := s.writers[format]; w != nil {
		return w.ContentType()
	}
	return "application/octet-stream"
}

// Manifest returns the manifest of the owner's report. It returns
// [errcodes.CorruptRecord] if the manifest cannot be read; other errors are those of
// [Service.Open].
func (s *Service) Manifest(ctx context.Context, owner, id string) (Manifest, error) {
	j, err := s.completed(ctx, owner, id)
	if err != nil {
		return Manifest{}, err
	}
	text, err := s.readAll(ctx, manifestName(&j.rec))
	if err != nil {
		return Manifest{}, err
	}
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return Manifest{}, errcodes.Wrap(errcodes.CorruptRecord, "", err)
	}
	return m, nil
}

// Rows returns the rows of the owner's report as JSON objects. It reports few as false,
// without rows, if there are more than Config.Inline or they exceed 16 MiB. It returns
// the errors of [Service.Open].
func (s *Service) Rows(ctx context.Context, owner, id string) (rows []json.RawMessage, few bool, err error) {
	j, err := s.completed(ctx, owner, id)
	if err != nil || j.rec.Rows > int64(s.cfg.Inline) {
		return nil, false, err
	}
	text, err := s.readAll(ctx, rowsName(&j.rec))
	if errcodes.Of(err) == errcodes.NotFound {
		return nil, false, nil // Config.Inline was smaller when the report was made
	}
	if err != nil {
		return nil, false, err
	}
	rows = make([]json.RawMessage, 0, bytes.Count(text, []byte{'\n'}))
	for line := range bytes.Lines(text) {
		rows = append(rows, bytes.TrimSuffix(line, []byte{'\n'}))
	}
	return rows, true, nil
}

func (s *Service) completed(ctx context.Context, owner, id string) (job, error) {
	j, err := s.read(ctx, owner, id)
	if err == nil && j.rec.Status != ports.ReportCompleted {
		err = errcodes.New(errcodes.Conflict, "The report has not completed")
	}
	return j, err
}
