package keyring

import (
	"cmp"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"sync"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// The labels of the derived keys. They never change, since stored data depends on them.
const (
	sealLabel   = "corridor keyring seal AES-256-GCM"
	digestLabel = "corridor keyring digest HMAC-SHA-256"
	checkLabel  = "corridor keyring check " // followed by the key's id
)

// The sizes of what sealed data contains besides the ciphertext.
const (
	nonceSize = 12
	tagSize   = 16
)

// Config tunes a [Keyring]. The zero value, and nil, mean the defaults.
type Config struct {
	// Random returns the nonces. It must be safe for concurrent use and must not repeat
	// itself: two seals with the same key and nonce reveal both texts. nil:
	// crypto/rand.
	Random io.Reader
}

// Keyring is a [ports.Sealer]. It is safe for concurrent use.
type Keyring struct {
	first  string
	ciph   map[string]cipher.AEAD
	nonces *nonces
	digest *digester
}

// New returns a keyring. The first key seals and digests, all keys open. It returns
// [errcodes.Configuration] if there is no key, if a key is outside the bounds of [Key],
// and if two keys share an id or a secret. It does not keep the secrets.
func New(keys []Key, cfg *Config) (*Keyring, error) {
	if err := check(keys); err != nil {
		return nil, err
	}
	random := cmp.Or(cmp.Or(cfg, &Config{}).Random, rand.Reader)
	if err := errcodes.NotNil("Random", random); err != nil {
		return nil, err
	}
	k := &Keyring{first: keys[0].ID, ciph: map[string]cipher.AEAD{}, nonces: newNonces(random)}
	for _, key := range keys {
		ciph, err := newCipher(key.Secret)
		if err != nil {
			return nil, errcodes.Wrap(errcodes.Internal, "", fmt.Errorf("make a cipher: %w", err))
		}
		k.ciph[key.ID] = ciph
	}
	digestKey, err := derive(keys[0].Secret, digestLabel)
	if err != nil {
		return nil, errcodes.Wrap(errcodes.Internal, "", fmt.Errorf("derive a key: %w", err))
	}
	k.digest = newDigester(digestKey)
	return k, nil
}

func newCipher(secret []byte) (cipher.AEAD, error) {
	key, err := derive(secret, sealLabel)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

func derive(secret []byte, label string) ([]byte, error) {
	return hkdf.Key(sha256.New, secret, nil, label, SecretSize)
}

var (
	errUnknown = errcodes.New(errcodes.KeyUnknown, "")
	errAltered = errcodes.New(errcodes.CorruptRecord, "Sealed data is damaged or belongs to another record")
)

// Seal encrypts plain under the first key. It never waits, and ignores ctx. If the
// random source fails, it returns [errcodes.Internal].
func (k *Keyring) Seal(_ context.Context, aad, plain []byte) (ports.Sealed, error) {
	data := make([]byte, nonceSize, nonceSize+len(plain)+tagSize)
	if err := k.nonces.next(data); err != nil {
		return ports.Sealed{}, errcodes.Wrap(errcodes.Internal, "", fmt.Errorf("read a nonce: %w", err))
	}
	data = k.ciph[k.first].Seal(data, data, plain, aad) //nolint:gosec // the nonce is random, see above
	return ports.Sealed{KeyID: k.first, Data: data}, nil
}

// Open decrypts what [Keyring.Seal] returned, under any of the keys. It returns
// [errcodes.KeyUnknown] if no key has the id, and [errcodes.CorruptRecord] if the data
// is too short, altered or sealed with another aad.
func (k *Keyring) Open(_ context.Context, aad []byte, sealed ports.Sealed) ([]byte, error) {
	ciph := k.ciph[sealed.KeyID]
	if ciph == nil {
		return nil, errUnknown
	}
	if len(sealed.Data) < nonceSize+tagSize {
		return nil, errAltered
	}
	plain, err := ciph.Open(nil, sealed.Data[:nonceSize], sealed.Data[nonceSize:], aad)
	if err != nil {
		return nil, errAltered // the cipher does not say whether the data or the aad is wrong
	}
	return plain, nil
}

// Digest returns the HMAC-SHA-256 of data under a key derived from the first secret.
func (k *Keyring) Digest(data []byte) [32]byte { return k.digest.sum(data) }

// digester pools hashes that have already processed the key, which is half the work.
type digester struct{ pool sync.Pool }

// keyed is a hash with a buffer for its sum: a buffer on the stack would escape.
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

// nonces reads random bytes in advance, so that a nonce does not cost a system call.
type nonces struct {
	random io.Reader

	mu  sync.Mutex
	buf [64 * nonceSize]byte
	at  int // the bytes before it are used
}

func newNonces(random io.Reader) *nonces {
	n := &nonces{random: random}
	n.at = len(n.buf)
	return n
}

// next fills nonce, of nonceSize bytes, with random bytes that are used once.
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
