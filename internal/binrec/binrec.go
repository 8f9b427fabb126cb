// Package binrec encodes the fields of a record one after the other as bytes, and decodes
// them. Numbers are varints; texts are preceded by their length. There are no names or
// tags: fields are read in the order in which they were written. A format that may change
// begins with a version byte.
//
//	data := binrec.AppendText([]byte{version}, owner)
//	data = binary.AppendVarint(data, amount)
//
//	r := binrec.Read(data)
//	if r.Byte() != version { … }
//	owner, amount := r.Text(), r.Int()
//	if !r.Done() { … } // damaged
package binrec

import "encoding/binary"

// AppendText appends the length of s in bytes, and s.
func AppendText[T ~string | ~[]byte](dst []byte, s T) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// Reader reads fields from the front of a record. After a field that cannot be read, that
// field and all later ones are zero, and Done reports false.
type Reader struct {
	rest    []byte
	damaged bool
}

// Read returns a reader of data, which it does not copy or change.
func Read(data []byte) Reader { return Reader{rest: data} }

// Done reports whether all fields could be read and nothing is left.
func (r *Reader) Done() bool { return !r.damaged && len(r.rest) == 0 }

// take returns the next n bytes.
func (r *Reader) take(n uint64) []byte {
	if n > uint64(len(r.rest)) {
		r.damaged, r.rest = true, nil
		return nil
	}
	taken := r.rest[:n:n]
	r.rest = r.rest[n:]
	return taken
}

// Byte reads one byte.
func (r *Reader) Byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

// Bool reads a byte that must be 0 or 1.
func (r *Reader) Bool() bool {
	b := r.Byte()
	r.damaged = r.damaged || b > 1
	return b == 1
}

// Int reads the output of [binary.AppendVarint].
func (r *Reader) Int() int64 {
	n, size := binary.Varint(r.rest)
	r.skip(size)
	return n
}

// Uint reads the output of [binary.AppendUvarint].
func (r *Reader) Uint() uint64 {
	n, size := binary.Uvarint(r.rest)
	r.skip(size)
	return n
}

// skip drops the bytes of a number; size is not positive if it could not be read.
func (r *Reader) skip(size int) {
	if size <= 0 {
		r.damaged, r.rest = true, nil
		return
	}
	r.rest = r.rest[size:]
}

// Count reads a number of entries, each at least one byte long. A larger number than the
// remaining bytes is damage, so it cannot make the caller loop for long.
func (r *Reader) Count() int {
	n := r.Uint()
	if n > uint64(len(r.rest)) {
		r.damaged, r.rest = true, nil
		return 0
	}
	return int(n)
}

// Bytes reads the output of [AppendText]. The result is part of the record.
func (r *Reader) Bytes() []byte { return r.take(r.Uint()) }

// Text reads the output of [AppendText].
func (r *Reader) Text() string { return string(r.Bytes()) }
