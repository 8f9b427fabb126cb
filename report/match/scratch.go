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

// space is the scratch space of a run, opened on first use. Its files are sequences of
// byte strings, each preceded by its length.
type space struct {
	scratch ports.Scratch
	buffer  int // bytes per open file
	opened  ports.ScratchSpace
	files   int
	open    map[string]io.Closer // by name
}

// close closes the open files and removes the space.
func (s *space) close() error {
	if s.opened == nil {
		return nil
	}
	for _, file := range s.open {
		_ = file.Close()
	}
	return scratchError(s.opened.Close())
}

// scratchError codes an uncoded error of the scratch space as
// [errcodes.StorageUnavailable].
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
			return nil, errcodes.New(errcodes.Unprocessable, "the input exceeds Limits.MemoryBytes and there is no scratch space")
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

// reader reads one file and removes it at its end.
type reader struct {
	space *space
	name  string
	file  io.ReadCloser
	buf   *bufio.Reader
	limit int64 // maximum length of a byte string
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

// next returns the next byte string, valid until the following call. After the last one
// it removes the file and returns nil.
func (r *reader) next() ([]byte, error) {
	n, err := binary.ReadUvarint(r.buf)
	if errors.Is(err, io.EOF) { // between strings; a truncated string is ErrUnexpectedEOF
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

// readError returns [errcodes.CorruptRecord] for a file that ends too early.
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
