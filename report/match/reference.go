package match

import "math/bits"

// A reference's plain form has ASCII letters in lower case, no ASCII blanks or
// punctuation, and no zeros at the beginning of a number. Files write
// INV-000123 as inv 123. Bytes beyond ASCII stay as they are.

// plainer gives the plain form byte by byte.
type plainer struct {
	number bool // within a number that has begun
}

// next gives the byte that c becomes, and whether it stays.
func (p *plainer) next(c byte) (byte, bool) {
	switch {
	case c >= '1' && c <= '9', c == '0' && p.number:
		p.number = true
		return c, true
	case c == '0':
		return 0, false
	case c >= 'A' && c <= 'Z':
		c += 'a' - 'A'
	case c >= 'a' && c <= 'z', c >= 0x80:
	default:
		p.number = false
		return 0, false
	}
	p.number = false
	return c, true
}

// appendPlain appends the plain form of the reference.
func appendPlain[T string | []byte](to []byte, reference T) []byte {
	var p plainer
	for i := range len(reference) {
		if c, ok := p.next(reference[i]); ok {
			to = append(to, c)
		}
	}
	return to
}

// Of FNV-1a.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// hashPlain hashes the plain form, so that a reference and those similar to it
// fall into one partition. It only divides the work: no row depends on it.
func hashPlain(reference string) uint64 {
	var p plainer
	h := uint64(fnvOffset)
	for i := range len(reference) {
		if c, ok := p.next(reference[i]); ok {
			h = (h ^ uint64(c)) * fnvPrime
		}
	}
	// FNV-1a leaves the upper bits of short texts alike, and those divide.
	h ^= bits.RotateLeft64(h, 32)
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
