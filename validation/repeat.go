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

// This file makes a repeated request cheap: callers that wait for one lookup share a
// record, and later callers find its result in the cache while its answer is good.
//
// Each request has an id of its own, and yet a repeated request writes nothing. So an
// id carries a serial number. The stored record has serial 0; the second request gets
// the same id with serial 1, and so on up to lastSerial, when the next request makes a
// new record. To read a validation, recordID sets the serial back to 0. It does so only
// if the checksum holds: any other text goes to the store unchanged, which reports
// errcodes.NotFound.

// repeats returns a stored validation again under ids of its own.
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

// next returns the validation under the next id, and reports false if nothing is stored
// or its ids are used up.
func (r *repeats) next() (ports.Validation, bool) {
	serial := r.serial.Add(1)
	if r.first.ID == "" || serial > lastSerial {
		return ports.Validation{}, false
	}
	v, raw := r.first, r.raw
	v.ID = raw.numbered(uint16(serial))
	return v, true
}

// cache has results that rest on kept answers, opened.
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

// get returns the result of an equal request under an id of its own, and reports
// whether there is one that is good at now.
func (c *cache) get(hash uint64, r *request, now time.Time) (ports.Validation, bool) {
	c.mu.RLock()
	found := c.byHash[hash]
	c.mu.RUnlock()
	if found == nil || found.request != *r || !now.Before(found.repeats.first.ExpiresAt) {
		return ports.Validation{}, false
	}
	return found.repeats.next()
}

// put stores a result. A full cache drops another one, whichever.
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

// purge drops what is stale at now.
func (c *cache) purge(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.byHash, func(_ uint64, e *cached) bool { return !now.Before(e.repeats.first.ExpiresAt) })
}

// An id is a UUID of version 7 (RFC 9562 §5.7): 48 bits of the time, so that stores
// append, 42 random bits, then the serial number and its checksum, 16 bits each. The
// checksum is no secret: an owner who makes a serial up reads a validation of its own.
const (
	serialAt   = 12
	checkAt    = 14
	lastSerial = 1<<16 - 1
)

type rawID [16]byte

// newID makes a record's id, and sets raw to its bytes.
func newID(now time.Time, random io.Reader, raw *rawID) (string, error) {
	binary.BigEndian.PutUint64(raw[:8], uint64(now.UnixMilli())<<16)
	if _, err := io.ReadFull(random, raw[6:serialAt]); err != nil {
		return "", errcodes.Wrap(errcodes.Internal, "", err)
	}
	raw[6] = raw[6]&0x0f | 0x70
	raw[8] = raw[8]&0x3f | 0x80
	return raw.numbered(0), nil
}

// numbered returns the id with another serial.
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

// sum is Fletcher's checksum (RFC 1146), which detects each changed digit and each
// swap of bytes. The sums of so few bytes do not overflow.
func (r *rawID) sum() uint16 {
	var a, b uint16 = 1, 0
	for _, c := range r[:checkAt] {
		a += uint16(c)
		b += a
	}
	return b%255<<8 | a%255
}

// recordID returns the id under which the record of an id is stored. A text that is no
// id of this package is returned as it is: the store does not find it.
func recordID(id string) string {
	raw := parseID(id)
	if binary.BigEndian.Uint16(raw[serialAt:]) == 0 {
		return id
	}
	return raw.numbered(0)
}

// parseID returns the bytes of an id, or zeros if it is no id of this package.
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

// nibble reads a hexadecimal digit in lower case, as ids have it.
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
