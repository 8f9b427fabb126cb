package keyring

import (
	"crypto/hmac"
	"crypto/sha256"
	"hash"
	"sync"
)

// digester keeps hashes that have taken in the key, which is half the work.
type digester struct{ pool sync.Pool }

// keyed is a hash and the room for its sum: room on the stack would escape.
type keyed struct {
	hash.Hash
	sum []byte
}

func newDigester(key []byte) *digester {
	return &digester{pool: sync.Pool{New: func() any {
		return &keyed{Hash: hmac.New(sha256.New, key), sum: make([]byte, 0, sha256.Size)}
	}}}
}

func (d *digester) sum(data []byte) [sha256.Size]byte {
	h, _ := d.pool.Get().(*keyed)
	defer d.pool.Put(h)
	h.Reset()
	_, _ = h.Write(data) // a hash never fails
	return [sha256.Size]byte(h.Sum(h.sum))
}
