package validation

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// This file makes a repeated request cheap. A request that asks exactly what
// was asked before is the same question, and gets the same result: callers that
// wait for one lookup share it through flight.share, later callers find it in
// recent for as long as it is good.
//
// Each request has an id of its own, and yet a repeated request writes nothing.
// So an id carries a serial number. The stored record has serial 0; the second
// request gets the same id with serial 1, and so on up to lastSerial, when the
// next request makes a new record. To read a validation, recordID sets the
// serial back to 0. It does so only if the checksum holds: any other text,
// including ids that this package did not make, goes to the store unchanged,
// which reports errcodes.NotFound.

// question is all that a result depends on. Who asks the same while the answer
// is good is told the same result, under an id of its own.
type question struct {
	account  ports.Account
	identity ports.Identity
	owner    string
	merchant string
	name     string
}

// shared is the validation that answers a question, for all who ask it.
type shared struct {
	turn   chan struct{} // held by who stores the validation
	failed error         // of the last who tried
	tries  atomic.Int64  // that failed
	mu     sync.Mutex    // on what follows
	stored bool
	told   ports.Validation // as it was told first
	raw    rawID            // its id
	serial uint16
}

func newShared() *shared { return &shared{turn: make(chan struct{}, 1)} }

// take waits for the turn, until give. Who has waited for one that failed has
// failed too: a store in trouble is not asked by each in turn.
func (s *shared) take(ctx context.Context) error {
	seen := s.tries.Load()
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if s.tries.Load() == seen {
		return nil
	}
	defer s.give()
	return s.failed
}

func (s *shared) give() { <-s.turn }

// fail tells those who wait of an error that is not the caller's own doing.
func (s *shared) fail(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		s.failed = err
		s.tries.Add(1)
	}
}

// again gives the validation under an id of its own; false when there is none,
// or when its ids are used up.
func (s *shared) again() (ports.Validation, bool) {
	if !s.stored || s.serial == lastSerial {
		return ports.Validation{}, false
	}
	s.serial++
	v := s.told
	v.ID = s.raw.numbered(s.serial)
	return v, true
}

// tell notes the validation that was stored.
func (s *shared) tell(v *ports.Validation) {
	s.stored, s.told, s.serial = true, *v, 0
	s.raw, _ = parseID(v.ID) // we made it
}

// share gives what the callers of a flight share who ask the same.
func (f *flight) share(q *question) *shared {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.shares[*q]
	if s == nil {
		s = newShared()
		f.shares[*q] = s
	}
	return s
}

// recent are the results that this process has told lately and that are still
// good, opened. A request that asks the same is answered from here.
type recent struct {
	mu   sync.RWMutex
	told map[question]*shared
	most int
}

func newRecent(most int) *recent { return &recent{told: map[question]*shared{}, most: most} }

// again gives the result of a question that is fresh at now, under an id of its
// own, or false.
func (r *recent) again(q *question, now time.Time) (ports.Validation, bool) {
	if r.most == 0 {
		return ports.Validation{}, false
	}
	r.mu.RLock()
	s := r.told[*q]
	r.mu.RUnlock()
	if s == nil {
		return ports.Validation{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !now.Before(s.told.ExpiresAt) {
		return ports.Validation{}, false
	}
	return s.again()
}

// put remembers a result. When there is no room, another has to go: which one
// does not matter much.
func (r *recent) put(q *question, v *ports.Validation) {
	if r.most == 0 {
		return
	}
	s := newShared()
	s.tell(v)
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, there := r.told[*q]; !there && len(r.told) >= r.most {
		for old := range r.told {
			delete(r.told, old)
			break
		}
	}
	r.told[*q] = s
}

// forget drops what is stale at now.
func (r *recent) forget(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for q, s := range r.told {
		if !now.Before(s.told.ExpiresAt) {
			delete(r.told, q)
		}
	}
}

// An id is a UUID of version 7 (RFC 9562 §5.7): 48 bits of the time, so that
// stores append, 42 bits of chance, then a serial number of 16 bits and a check
// sum of as many. Serial 0 is the stored record's own id; the others name the
// same record for callers that asked the same, so that each request has an id
// of its own and a repeated one costs no write. The check sum is no secret: an
// owner who makes a serial up reads a validation of its own.
const (
	serialAt   = 12
	checkAt    = 14
	lastSerial = 1<<16 - 1
)

type rawID [16]byte

// newID makes a record's id, with raw as room for its bytes.
func newID(now time.Time, random io.Reader, raw *rawID) (string, error) {
	binary.BigEndian.PutUint64(raw[:8], uint64(now.UnixMilli())<<16)
	if _, err := io.ReadFull(random, raw[6:serialAt]); err != nil {
		return "", errcodes.Wrap(errcodes.Internal, "", err)
	}
	raw[6] = raw[6]&0x0f | 0x70
	raw[8] = raw[8]&0x3f | 0x80
	return raw.numbered(0), nil
}

// numbered gives the id with another serial.
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

// sum is Fletcher's checksum (RFC 1146), which tells each changed digit and each
// swap of bytes.
func (r *rawID) sum() uint16 {
	var a, b uint16 = 1, 0
	for _, c := range r[:checkAt] {
		a = (a + uint16(c)) % 255
		b = (b + a) % 255
	}
	return b<<8 | a
}

// recordID gives the id under which the record is stored that an id names. What
// is no id of ours comes back as it is, for the store not to find.
func recordID(id string) string {
	raw, ok := parseID(id)
	if !ok || binary.BigEndian.Uint16(raw[serialAt:]) == 0 {
		return id
	}
	return raw.numbered(0)
}

func parseID(id string) (raw rawID, ok bool) {
	if len(id) != 36 || id[8] != '-' || id[13] != '-' || id[18] != '-' || id[23] != '-' {
		return rawID{}, false
	}
	at := 0
	for i := range len(id) {
		if id[i] == '-' {
			continue
		}
		digit, hexadecimal := nibble(id[i])
		if !hexadecimal || at == 2*len(raw) {
			return rawID{}, false
		}
		raw[at/2] = raw[at/2]<<4 | digit
		at++
	}
	return raw, at == 2*len(raw) && binary.BigEndian.Uint16(raw[checkAt:]) == raw.sum()
}

// nibble reads a hexadecimal digit in lower case, as ids are written.
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
