package match

import (
	"context"
	"slices"
)

// sorter puts rows in order: in memory while they fit, else by merging sorted
// files.
type sorter struct {
	arena arena
	space *space
	fan   int // files that are merged at once, 2 or more
	rows  [][]byte
	files []string
}

// rowBytes is what a row costs beside its bytes: its place, while the list of
// places grows.
const rowBytes = 24 * 2

// add keeps a copy of the row.
func (s *sorter) add(ctx context.Context, row []byte) error {
	kept := s.arena.put(row, false, rowBytes)
	if kept == nil {
		if err := s.spill(ctx); err != nil {
			return err
		}
		if kept = s.arena.put(row, false, rowBytes); kept == nil {
			return s.alone(ctx, row)
		}
	}
	s.rows = append(s.rows, kept)
	return nil
}

// alone writes a row that is larger than the memory to a file of its own.
func (s *sorter) alone(ctx context.Context, row []byte) error {
	s.rows = append(s.rows, row)
	return s.spill(ctx)
}

// spill writes what is in memory to a file, in order.
func (s *sorter) spill(ctx context.Context) error {
	if len(s.rows) == 0 {
		return nil
	}
	slices.SortFunc(s.rows, compareRows)
	w, err := s.space.create(ctx)
	if err != nil {
		return err
	}
	for _, row := range s.rows {
		if err := w.put(row); err != nil {
			return err
		}
	}
	s.files = append(s.files, w.name)
	s.arena.reset()
	s.rows = s.rows[:0]
	return w.close()
}

// each gives the rows in order, valid until the next.
func (s *sorter) each(ctx context.Context, visit func(row []byte) error) error {
	if len(s.files) == 0 {
		slices.SortFunc(s.rows, compareRows)
		for i, row := range s.rows {
			if err := ask(ctx, i); err != nil {
				return err
			}
			if err := visit(row); err != nil {
				return err
			}
		}
		return nil
	}
	if err := s.spill(ctx); err != nil {
		return err
	}
	for len(s.files) > s.fan {
		if err := s.narrow(ctx); err != nil {
			return err
		}
	}
	return s.merge(ctx, s.files, visit)
}

// ask asks the context now and then.
func ask(ctx context.Context, i int) error {
	if i%stepsACtx != 0 {
		return nil
	}
	return ctx.Err()
}

// narrow merges the first files into one.
func (s *sorter) narrow(ctx context.Context) error {
	w, err := s.space.create(ctx)
	if err != nil {
		return err
	}
	if err := s.merge(ctx, s.files[:s.fan], w.put); err != nil {
		return err
	}
	s.files = append(s.files[s.fan:], w.name)
	return w.close()
}

// head is a file's next row.
type head struct {
	row  []byte
	from *reader
}

// advance takes the file's next row; there is none after the last.
func (h *head) advance() (err error) {
	if h.row, err = h.from.next(); err != nil || h.row == nil {
		return err
	}
	return checkRow(h.row)
}

// merge gives the rows of sorted files in order. The files are gone then.
func (s *sorter) merge(ctx context.Context, files []string, visit func([]byte) error) error {
	heap := make([]head, 0, len(files))
	for _, name := range files {
		r, err := s.space.read(name, 1<<40)
		if err != nil {
			return err
		}
		h := head{from: r}
		if err := h.advance(); err != nil {
			return err
		}
		if h.row != nil {
			heap = append(heap, h)
		}
	}
	for i := len(heap)/2 - 1; i >= 0; i-- {
		sink(heap, i)
	}
	for i := 0; len(heap) > 0; i++ {
		if err := ask(ctx, i); err != nil {
			return err
		}
		if err := visit(heap[0].row); err != nil {
			return err
		}
		if err := heap[0].advance(); err != nil {
			return err
		}
		if heap[0].row == nil {
			heap[0] = heap[len(heap)-1]
			heap = heap[:len(heap)-1]
		}
		sink(heap, 0)
	}
	return nil
}

// sink moves the head at i down to where no lower one is below it.
func sink(heap []head, i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(heap); child++ {
			if compareRows(heap[child].row, heap[least].row) < 0 {
				least = child
			}
		}
		if least == i {
			return
		}
		heap[i], heap[least] = heap[least], heap[i]
		i = least
	}
}
