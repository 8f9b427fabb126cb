package match

import "encoding/binary"

// arena stores byte strings in large blocks, up to a limit, and reuses the blocks.
type arena struct {
	limit  int64
	block  int
	used   int64    // size of the blocks and what the owner adds
	blocks [][]byte // in use; the last has room
	free   [][]byte // of the usual size
}

func newArena(limit int64) arena {
	return arena{limit: limit, block: int(max(256, min(limit/32, 1<<20)))}
}

// put stores a copy of b, preceded by its length if framed, and returns the copy. beside
// is the memory that the owner needs for it elsewhere. put returns nil if the limit would
// be exceeded.
func (a *arena) put(b []byte, framed bool, beside int64) []byte {
	need := len(b)
	if framed {
		need += binary.MaxVarintLen64
	}
	last := len(a.blocks) - 1
	if last < 0 || cap(a.blocks[last])-len(a.blocks[last]) < need {
		if !a.grow(need, beside) {
			return nil
		}
		last = len(a.blocks) - 1
	} else if a.used+beside > a.limit {
		return nil
	}
	a.used += beside
	to := a.blocks[last]
	if framed {
		to = binary.AppendUvarint(to, uint64(len(b)))
	}
	from := len(to)
	to = append(to, b...)
	a.blocks[last] = to
	return to[from:len(to):len(to)]
}

func (a *arena) grow(need int, beside int64) bool {
	size := max(need, a.block)
	if a.used+beside+int64(size) > a.limit {
		return false
	}
	a.used += int64(size)
	if n := len(a.free); n > 0 && size == a.block {
		a.blocks = append(a.blocks, a.free[n-1][:0])
		a.free = a.free[:n-1]
		return true
	}
	a.blocks = append(a.blocks, make([]byte, 0, size))
	return true
}

func (a *arena) reset() {
	for _, b := range a.blocks {
		if cap(b) == a.block {
			a.free = append(a.free, b)
		}
	}
	clear(a.blocks)
	a.blocks, a.used = a.blocks[:0], 0
}

// place is the position of a byte string in the arena.
type place struct{ block, offset uint32 }

// each yields the framed byte strings with their places.
func (a *arena) each(yield func(place, []byte) bool) {
	for i, block := range a.blocks {
		for at := 0; at < len(block); {
			p := place{uint32(i), uint32(at)}
			b, width := unframe(block[at:])
			if !yield(p, b) {
				return
			}
			at += width
		}
	}
}

// at returns the framed byte string at a place.
func (a *arena) at(p place) []byte {
	b, _ := unframe(a.blocks[p.block][p.offset:])
	return b
}

// unframe returns the framed byte string at the start of b, and its width including the
// frame.
func unframe(b []byte) ([]byte, int) {
	n, size := binary.Uvarint(b)
	width := size + int(n)
	return b[size:width], width
}
