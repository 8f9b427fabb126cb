package csvfile

import (
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"strings"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Source is a [ports.SettlementSource] that reads a file. It is safe for concurrent
// use.
type Source struct {
	path string
	cfg  Config
	zone *time.Location
}

// New returns a source of the file at path, which is opened when it is read. A missing
// path or an invalid value in cfg is [errcodes.Configuration].
func New(path string, cfg Config) (*Source, error) {
	c, zone, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	if path == "" {
		return nil, bad("path is required")
	}
	return &Source{path: path, cfg: c, zone: zone}, nil
}

// AsOf returns Config.AsOf or else the file's modification time, but at most now. It
// returns [errcodes.Unavailable] if the file is missing.
func (s *Source) AsOf(ctx context.Context, now time.Time) (time.Time, error) {
	if err := ctx.Err(); err != nil {
		return time.Time{}, err
	}
	at := s.cfg.AsOf
	if at.IsZero() {
		info, err := fs.Stat(s.cfg.FS, s.path)
		if err != nil {
			return time.Time{}, unavailable(err)
		}
		at = info.ModTime()
	}
	if now.Before(at) {
		at = now
	}
	return at.UTC(), nil
}

func unavailable(err error) error {
	return errcodes.Wrap(errcodes.Unavailable, "the settlement file cannot be read", err)
}

// Lines streams the lines of the file. A line's number is its number in the file, from
// 1 and including the header; for a field with line breaks, the first one.
func (s *Source) Lines(ctx context.Context, q ports.RowQuery) iter.Seq2[ports.SettlementLine, error] {
	return func(yield func(ports.SettlementLine, error) bool) {
		if err := s.stream(ctx, q, func(l ports.SettlementLine) bool { return yield(l, nil) }); err != nil {
			yield(ports.SettlementLine{}, s.coded(err))
		}
	}
}

// coded returns err with a code.
func (s *Source) coded(err error) error {
	if _, ok := errors.AsType[*errcodes.Error](err); ok || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if _, ok := errors.AsType[flate.CorruptInputError](err); ok {
		err = gzip.ErrChecksum
	}
	for _, torn := range []error{gzip.ErrHeader, gzip.ErrChecksum, io.ErrUnexpectedEOF, io.EOF} {
		if errors.Is(err, torn) {
			return unprocessable("the file is incomplete, or not of the type in its name")
		}
	}
	return unavailable(err)
}

func (s *Source) stream(ctx context.Context, q ports.RowQuery, emit func(ports.SettlementLine) bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.cfg.FixedOwner != "" && s.cfg.FixedOwner != q.Owner || s.cfg.FixedMerchant != "" && s.cfg.FixedMerchant != q.MerchantID {
		return nil
	}
	file, err := s.open()
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it was only read
	text := io.Reader(file)
	if strings.HasSuffix(strings.ToLower(s.path), ".gz") {
		if text, err = gzip.NewReader(file); err != nil {
			return err
		}
	}
	return s.read(newLines(ctx, text), q, emit)
}

// open opens a regular file. Opening a pipe, for example, might block.
func (s *Source) open() (fs.File, error) {
	info, err := fs.Stat(s.cfg.FS, s.path)
	if err != nil {
		return nil, unavailable(err)
	}
	if !info.Mode().IsRegular() {
		return nil, unprocessable("the path is not a regular file")
	}
	file, err := s.cfg.FS.Open(s.path)
	if err != nil {
		return nil, unavailable(err)
	}
	return file, nil
}

func (s *Source) read(l *lines, q ports.RowQuery, emit func(ports.SettlementLine) bool) error {
	r, p, err := s.begin(l)
	if err != nil {
		return err
	}
	for {
		rec, err := r.next()
		if err == io.EOF { //nolint:errorlint // only the unwrapped io.EOF is the end of the file
			return nil
		}
		if err != nil {
			return err
		}
		if out, ok := s.settlement(p, rec, q); ok && !emit(out) {
			return nil
		}
	}
}
