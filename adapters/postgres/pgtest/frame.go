package pgtest

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
)

// A message is a type byte and a big-endian length, which counts itself; the
// first of a client has no type (PostgreSQL, chapter "Frontend/Backend Protocol",
// "Message Formats").
const (
	lengthSize = 4
	typeSize   = 1

	// messageMax refuses what is no protocol of PostgreSQL, such as TLS.
	messageMax = 1 << 28
)

// cancels says whether a startup message asks to cancel another session's
// statement. Drivers send it in the background whenever they give one up.
func cancels(startup []byte) bool {
	const code = 80877102 // in the place of the protocol's version
	return len(startup) >= 2*lengthSize && binary.BigEndian.Uint32(startup[lengthSize:]) == code
}

// readMessage is one whole message as it came.
func readMessage(r *bufio.Reader, startup bool) ([]byte, error) {
	head := lengthSize + typeSize
	if startup {
		head = lengthSize
	}
	message := make([]byte, head)
	if _, err := io.ReadFull(r, message); err != nil {
		return nil, err
	}
	length := int64(binary.BigEndian.Uint32(message[head-lengthSize:]))
	if length < lengthSize || length > messageMax {
		return nil, fmt.Errorf("pgtest: a message of %d bytes is none of PostgreSQL's", length)
	}
	whole := bytes.NewBuffer(message) // grows with what comes, whatever the length says
	_, err := io.CopyN(whole, r, length-lengthSize)
	return whole.Bytes(), err
}
