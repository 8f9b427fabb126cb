// Package binrec writes the fields of a record one after the other as bytes, and
// reads them back. Numbers are varints, texts have their length in front. There
// are no names or tags: the reader asks for the fields in the order in which they
// were written, and a format that may change puts a version byte first.
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

// Reader takes fields off the front of a record. After a field that cannot be
// read, that field and all others are zero, and Done reports false.
type Reader struct {
	rest    []byte
	damaged bool
}

// Read returns a reader of data, which it neither copies nor changes.
func Read(data []byte) Reader { return Reader{rest: data} }

// Done reports whether all fields were there and nothing is left.
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

// Int reads what [binary.AppendVarint] wrote.
func (r *Reader) Int() int64 {
	n, size := binary.Varint(r.rest)
	r.skip(size)
	return n
}

// Uint reads what [binary.AppendUvarint] wrote.
func (r *Reader) Uint() uint64 {
	n, size := binary.Uvarint(r.rest)
	r.skip(size)
	return n
}

// skip drops the bytes of a number; size is not positive if it was not readable.
func (r *Reader) skip(size int) {
	if size <= 0 {
		r.damaged, r.rest = true, nil
		return
	}
	r.rest = r.rest[size:]
}

// Count reads a number of entries, each at least one byte long, so that a damaged
// count cannot make its reader loop for longer than there are bytes.
func (r *Reader) Count() int {
	n := r.Uint()
	if n > uint64(len(r.rest)) {
		r.damaged, r.rest = true, nil
		return 0
	}
	return int(n)
}

// Bytes reads what [AppendText] wrote. The result is part of the record.
func (r *Reader) Bytes() []byte { return r.take(r.Uint()) }

// Text reads what [AppendText] wrote.
func (r *Reader) Text() string { return string(r.Bytes()) }
