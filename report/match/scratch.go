package match

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"strconv"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// space is the scratch space of a run, opened when it is first needed. Its
// files are byte strings, each with its length in front.
type space struct {
	scratch ports.Scratch
	buffer  int // bytes, of each open file
	opened  ports.ScratchSpace
	files   int
	open    map[string]io.Closer // by name
}

// close closes what is still open and removes all.
func (s *space) close() error {
	if s.opened == nil {
		return nil
	}
	for _, file := range s.open {
		_ = file.Close()
	}
	return scratchError(s.opened.Close())
}

// scratchError gives an error of the scratch space a code, if it has none.
func scratchError(err error) error {
	if err == nil || errcodes.Of(err) != errcodes.Internal {
		return err
	}
	return errcodes.Wrap(errcodes.StorageUnavailable, "the scratch space failed", err)
}

// writer writes one file.
type writer struct {
	space *space
	name  string
	file  io.WriteCloser
	buf   *bufio.Writer
	size  [binary.MaxVarintLen64]byte
}

func (s *space) create(ctx context.Context) (*writer, error) {
	if s.opened == nil {
		if s.scratch == nil {
			return nil, errcodes.New(errcodes.Unprocessable, "more than the memory bound, and no scratch space")
		}
		opened, err := s.scratch.Open(ctx)
		if err != nil {
			return nil, scratchError(err)
		}
		s.opened, s.open = opened, map[string]io.Closer{}
	}
	s.files++
	name := "m" + strconv.Itoa(s.files)
	file, err := s.opened.Create(name)
	if err != nil {
		return nil, scratchError(err)
	}
	s.open[name] = file
	return &writer{space: s, name: name, file: file, buf: bufio.NewWriterSize(file, s.buffer)}, nil
}

func (w *writer) put(b []byte) error {
	if _, err := w.buf.Write(binary.AppendUvarint(w.size[:0], uint64(len(b)))); err != nil {
		return scratchError(err)
	}
	_, err := w.buf.Write(b)
	return scratchError(err)
}

func (w *writer) close() error {
	flushed := w.buf.Flush()
	delete(w.space.open, w.name)
	return scratchError(errors.Join(flushed, w.file.Close()))
}

// reader reads one file, and removes it at its end.
type reader struct {
	space *space
	name  string
	file  io.ReadCloser
	buf   *bufio.Reader
	limit int64 // bytes that a string can have
	bytes []byte
}

func (s *space) read(name string, limit int64) (*reader, error) {
	file, err := s.opened.Open(name)
	if err != nil {
		return nil, scratchError(err)
	}
	s.open[name] = file
	return &reader{space: s, name: name, file: file, buf: bufio.NewReaderSize(file, s.buffer), limit: limit}, nil
}

// next gives the next byte string, valid until the one after it, or nil after
// the last, when the file is gone.
func (r *reader) next() ([]byte, error) {
	n, err := binary.ReadUvarint(r.buf)
	if errors.Is(err, io.EOF) { // at the beginning of a string; within it is ErrUnexpectedEOF
		return nil, r.remove()
	}
	if err != nil {
		return nil, readError(err)
	}
	if n == 0 || n > uint64(r.limit) {
		return nil, corrupt()
	}
	if uint64(cap(r.bytes)) < n {
		r.bytes = make([]byte, n)
	}
	r.bytes = r.bytes[:n]
	_, err = io.ReadFull(r.buf, r.bytes)
	return r.bytes, readError(err)
}

// readError says that a file which ends too early is not what was written.
func readError(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return corrupt()
	}
	return scratchError(err)
}

func (r *reader) remove() error {
	delete(r.space.open, r.name)
	if err := r.file.Close(); err != nil {
		return scratchError(err)
	}
	return scratchError(r.space.opened.Remove(r.name))
}
