package pgtest

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"testing"
)

// FuzzReadMessage checks that messages are the input cut into pieces of their stated
// lengths, and that only an invalid or unfinished message ends the reading.
func FuzzReadMessage(f *testing.F) {
	f.Add([]byte{0, 0, 0, 8, 0, 3, 0, 0, 'Q', 0, 0, 0, 5, 0}, true)
	f.Add([]byte{'Z', 0, 0, 0, 5, 'I', 'S', 0, 0, 0, 4}, false)
	f.Add([]byte{'S', 0, 0, 0, 3}, false)
	f.Fuzz(func(t *testing.T, input []byte, startup bool) {
		reader, rest := bufio.NewReader(bytes.NewReader(input)), input
		for ; ; startup = false {
			head := lengthSize + typeSize
			if startup {
				head = lengthSize
			}
			message, err := readMessage(reader, startup)
			if err != nil {
				if len(rest) >= head {
					length := int64(binary.BigEndian.Uint32(rest[head-lengthSize:]))
					if whole := int64(head-lengthSize) + length; length >= lengthSize && length <= messageMax && whole <= int64(len(rest)) {
						t.Fatalf("%x was rejected: %v", rest, err)
					}
				}
				return
			}
			if !bytes.HasPrefix(rest, message) {
				t.Fatalf("%x is not the beginning of %x", message, rest)
			}
			if length := int(binary.BigEndian.Uint32(message[head-lengthSize:])) + head - lengthSize; length != len(message) {
				t.Fatalf("%x states %d bytes", message, length)
			}
			rest = rest[len(message):]
		}
	})
}
