package validation

import (
	"encoding/binary"
	"encoding/hex"
	"hash/maphash"
	"io"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// This file answers repeated requests without a write. Callers that share a lookup share
// a record, and later callers find its result in the cache until its answer is stale.
//
// Each request still gets its own id, because an id contains a serial number. The stored
// record has serial 0; the second request gets the same id with serial 1, and so on up to
// lastSerial, after which the next request creates a new record. To read a validation,
// recordID sets the serial back to 0 if the checksum is right. It does not change any
// other text, for which the store returns [errcodes.NotFound].

// repeats returns a stored validation under further ids.
type repeats struct {
	first  ports.Validation
	raw    rawID // of first
	serial atomic.Uint32
}

func (r *repeats) set(v *ports.Validation) {
	r.first = *v
	r.raw = parseID(v.ID)
	r.serial.Store(0)
}

// next returns the validation under the next id. It reports false if nothing is stored or
// the serials are used up.
func (r *repeats) next() (ports.Validation, bool) {
	serial := r.serial.Add(1)
	if r.first.ID == "" || serial > lastSerial {
		return ports.Validation{}, false
	}
	v, raw := r.first, r.raw
	v.ID = raw.numbered(uint16(serial))
	return v, true
}

// cache contains recent results of cached answers, unsealed.
type cache struct {
	mu     sync.RWMutex
	byHash map[uint64]*cached
	seed   maphash.Seed
	most   int
}

type cached struct {
	request request
	repeats repeats
}

func newCache(most int) *cache {
	return &cache{byHash: map[uint64]*cached{}, seed: maphash.MakeSeed(), most: most}
}

func (c *cache) hash(r *request) uint64 { return maphash.Comparable(c.seed, *r) }

// get returns the result of an equal request under a new id. It reports false if there is
// none or it is stale at now.
func (c *cache) get(hash uint64, r *request, now time.Time) (ports.Validation, bool) {
	c.mu.RLock()
	found := c.byHash[hash]
	c.mu.RUnlock()
	if found == nil || found.request != *r || !now.Before(found.repeats.first.ExpiresAt) {
		return ports.Validation{}, false
	}
	return found.repeats.next()
}

// put stores a result. If the cache is full, it drops an arbitrary one.
func (c *cache) put(hash uint64, r *request, v *ports.Validation) {
	if c.most < 1 {
		return
	}
	fresh := &cached{request: *r}
	fresh.repeats.set(v)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byHash[hash] == nil && len(c.byHash) >= c.most {
		for old := range c.byHash {
			delete(c.byHash, old)
			break
		}
	}
	c.byHash[hash] = fresh
}

// purge removes the results that are stale at now.
func (c *cache) purge(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.byHash, func(_ uint64, e *cached) bool { return !now.Before(e.repeats.first.ExpiresAt) })
}

// An id is a UUID of version 7 (RFC 9562 §5.7): 48 bits of time, so that stores append,
// 42 random bits, then the serial number and its checksum of 16 bits each. The checksum
// is not secret: an owner that makes up a serial reads one of its own validations.
const (
	serialAt   = 12
	checkAt    = 14
	lastSerial = 1<<16 - 1
)

type rawID [16]byte

// newID returns the id of a new record and sets raw to its bytes.
func newID(now time.Time, random io.Reader, raw *rawID) (string, error) {
	binary.BigEndian.PutUint64(raw[:8], uint64(now.UnixMilli())<<16)
	if _, err := io.ReadFull(random, raw[6:serialAt]); err != nil {
		return "", errcodes.Wrap(errcodes.Internal, "", err)
	}
	raw[6] = raw[6]&0x0f | 0x70
	raw[8] = raw[8]&0x3f | 0x80
	return raw.numbered(0), nil
}

// numbered sets the serial and returns the id.
func (r *rawID) numbered(serial uint16) string {
	binary.BigEndian.PutUint16(r[serialAt:], serial)
	binary.BigEndian.PutUint16(r[checkAt:], r.sum())
	var text [36]byte
	hex.Encode(text[0:8], r[0:4])
	hex.Encode(text[9:13], r[4:6])
	hex.Encode(text[14:18], r[6:8])
	hex.Encode(text[19:23], r[8:10])
	hex.Encode(text[24:36], r[10:16])
	text[8], text[13], text[18], text[23] = '-', '-', '-', '-'
	return string(text[:])
}

// sum returns Fletcher's checksum (RFC 1146), which detects each changed digit and each
// swap of bytes. With so few bytes the sums do not overflow.
func (r *rawID) sum() uint16 {
	var a, b uint16 = 1, 0
	for _, c := range r[:checkAt] {
		a += uint16(c)
		b += a
	}
	return b%255<<8 | a%255
}

// recordID returns the id of the record in which the validation is stored. It returns any
// text that is not an id of this package unchanged; the store does not find it.
func recordID(id string) string {
	raw := parseID(id)
	if binary.BigEndian.Uint16(raw[serialAt:]) == 0 {
		return id
	}
	return raw.numbered(0)
}

// parseID returns the bytes of an id, or zeros if it is not an id of this package.
func parseID(id string) (raw rawID) {
	if len(id) != 36 || id[8] != '-' || id[13] != '-' || id[18] != '-' || id[23] != '-' {
		return rawID{}
	}
	at := 0
	for i := range len(id) {
		if id[i] == '-' {
			continue
		}
		digit, hexadecimal := nibble(id[i])
		if !hexadecimal {
			return rawID{}
		}
		raw[at/2] = raw[at/2]<<4 | digit
		at++
	}
	if at != 2*len(raw) || binary.BigEndian.Uint16(raw[checkAt:]) != raw.sum() {
		return rawID{}
	}
	return raw
}

// nibble parses a lower-case hexadecimal digit.
func nibble(c byte) (value byte, ok bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	default:
		return 0, false
	}
}
