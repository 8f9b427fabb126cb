package memory

import (
	"iter"
	"slices"
)

// maxBlock bounds the elements that an insertion or a deletion moves.
const maxBlock = 256

// sorted is an ordered set in small sorted blocks: a search is O(log n), and an update
// moves the elements of one block and, rarely, the list of blocks.
type sorted[T any] struct {
	compare func(a, b T) int
	blocks  [][]T // no block is empty
}

func newSorted[T any](compare func(a, b T) int) *sorted[T] {
	return &sorted[T]{compare: compare}
}

// find returns the position of the first element that is not before v.
func (s *sorted[T]) find(v T) (block, at int, found bool) {
	block, _ = slices.BinarySearchFunc(s.blocks, v, func(b []T, v T) int {
		return s.compare(b[len(b)-1], v)
	})
	if block == len(s.blocks) {
		return block, 0, false
	}
	at, found = slices.BinarySearchFunc(s.blocks[block], v, s.compare)
	return block, at, found
}

// insert adds v unless it is already there.
func (s *sorted[T]) insert(v T) {
	block, at, found := s.find(v)
	switch {
	case found:
		return
	case len(s.blocks) == 0:
		s.blocks = [][]T{{v}}
		return
	case block == len(s.blocks):
		block--
		at = len(s.blocks[block])
	}
	b := slices.Insert(s.blocks[block], at, v)
	s.blocks[block] = b
	if len(b) > maxBlock {
		half := len(b) / 2
		s.blocks = slices.Insert(s.blocks, block+1, slices.Clone(b[half:]))
		clear(b[half:])
		s.blocks[block] = b[:half]
	}
}

// remove removes v, and reports whether it was there.
func (s *sorted[T]) remove(v T) bool {
	block, at, found := s.find(v)
	if !found {
		return false
	}
	s.blocks[block] = slices.Delete(s.blocks[block], at, at+1)
	if len(s.blocks[block]) == 0 {
		s.blocks = slices.Delete(s.blocks, block, block+1)
	}
	return true
}

func (s *sorted[T]) empty() bool { return len(s.blocks) == 0 }

// all yields the elements in order. The set must not change meanwhile.
func (s *sorted[T]) all() iter.Seq[T] { return s.walk(0, 0) }

// from yields the elements that are not before v, in order. The set must not
// change meanwhile.
func (s *sorted[T]) from(v T) iter.Seq[T] {
	block, at, _ := s.find(v)
	return s.walk(block, at)
}

func (s *sorted[T]) walk(block, at int) iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, b := range s.blocks[min(block, len(s.blocks)):] {
			for _, v := range b[at:] {
				if !yield(v) {
					return
				}
			}
			at = 0
		}
	}
}
