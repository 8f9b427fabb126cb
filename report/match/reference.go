package match

import "math/bits"

// The plain form of a reference has lower-case ASCII letters, no ASCII blanks or
// punctuation, and no leading zeros in numbers: files may contain inv 123 for INV-000123.
// Bytes beyond ASCII are unchanged.

// plainer computes the plain form byte by byte.
type plainer struct {
	number bool // inside a number, after its leading zeros
}

// next returns the plain form of c and whether it is kept.
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

// Constants of FNV-1a.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// hashPlain returns a hash of the plain form, so that similar references fall into one
// partition. No row depends on it.
func hashPlain(reference string) uint64 {
	var p plainer
	h := uint64(fnvOffset)
	for i := range len(reference) {
		if c, ok := p.next(reference[i]); ok {
			h = (h ^ uint64(c)) * fnvPrime
		}
	}
	// For short texts FNV-1a hardly changes the upper bits, which partition the records.
	h ^= bits.RotateLeft64(h, 32)
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
