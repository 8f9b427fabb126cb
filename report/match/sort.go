package match

import (
	"context"
	"slices"
)

// sorter sorts rows: in memory if they fit, else by merging sorted files.
type sorter struct {
	arena arena
	space *space
	fan   int // number of files merged at once, at least 2
	rows  [][]byte
	files []string
}

// rowBytes is the memory for a row in addition to its bytes: its place, while the list of
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

// alone writes a row that is larger than the memory to its own file.
func (s *sorter) alone(ctx context.Context, row []byte) error {
	s.rows = append(s.rows, row)
	return s.spill(ctx)
}

// spill writes the rows in memory to a file, sorted.
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

// each calls visit with the rows in order. A row is valid until the next one.
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

// ask checks the context at some of the steps.
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

// advance reads the file's next row; row is nil after the last.
func (h *head) advance() (err error) {
	if h.row, err = h.from.next(); err != nil || h.row == nil {
		return err
	}
	return checkRow(h.row)
}

// merge calls visit with the rows of sorted files in order, and removes the files.
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

// sink moves the head at i down the heap until it is in order.
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
