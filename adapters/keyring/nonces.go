package keyring

import (
	"io"
	"sync"
)

// nonces reads chance in advance, so that a nonce does not cost a call of the
// system.
type nonces struct {
	random io.Reader

	mu  sync.Mutex
	buf [64 * nonceSize]byte
	at  int // what is before was given out
}

func newNonces(random io.Reader) *nonces {
	n := &nonces{random: random}
	n.at = len(n.buf)
	return n
}

// next fills nonce, of nonceSize bytes, with chance that nobody else gets.
func (n *nonces) next(nonce []byte) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.at == len(n.buf) {
		if _, err := io.ReadFull(n.random, n.buf[:]); err != nil {
			return err
		}
		n.at = 0
	}
	n.at += copy(nonce[:nonceSize], n.buf[n.at:])
	return nil
}
