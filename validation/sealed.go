package validation

import (
	"context"
	"encoding/binary"
	"sync"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation/market"
)

// The labels keep what is sealed or digested for one purpose from passing for
// another.
const (
	labelRecord = "corridor validation"
	labelAnswer = "corridor answer"
	labelKey    = "corridor answer key"
)

// seal puts the private part of a record into it.
func (s *Service) seal(ctx context.Context, rec *ports.ValidationRecord, p *private) (err error) {
	room := s.room.take()
	defer s.room.giveBack(room)
	room.aad = bound(room.aad[:0], labelRecord, rec.Owner, rec.ID)
	room.plain = p.pack(room.plain[:0])
	rec.Sealed, err = s.sealer.Seal(ctx, room.aad, room.plain)
	return err
}

func (s *Service) open(ctx context.Context, rec *ports.ValidationRecord) (private, error) {
	var aad [256]byte
	plain, err := s.sealer.Open(ctx, bound(aad[:0], labelRecord, rec.Owner, rec.ID), rec.Sealed)
	if err != nil {
		return private{}, err
	}
	return unpackPrivate(plain)
}

// answerKey names the account in the cache. What the answer depends on is in
// it: the name too, where a provider compares it (wanted.name).
func (s *Service) answerKey(owner string, w *wanted) ports.AnswerKey {
	var room [512]byte
	dst := packText(room[:0], labelKey)
	for _, part := range [...]string{
		owner, w.account.Country, string(w.account.Type), w.account.BankCode, w.account.Branch, w.account.Identifier,
		string(w.identity.Kind), string(w.identity.Document), w.identity.Number, w.keyName(),
	} {
		dst = packText(dst, part)
	}
	return s.sealer.Digest(dst)
}

func (s *Service) sealAnswer(ctx context.Context, owner string, key ports.AnswerKey, a ports.Answer) (ports.Sealed, error) {
	var aad, plain [256]byte
	return s.sealer.Seal(ctx, bound(aad[:0], labelAnswer, owner, string(key[:])), packAnswer(plain[:0], a))
}

func (s *Service) openAnswer(ctx context.Context, owner string, c *ports.CachedAnswer) (ports.Answer, error) {
	var aad [256]byte
	plain, err := s.sealer.Open(ctx, bound(aad[:0], labelAnswer, owner, string(c.Key[:])), c.Sealed)
	if err != nil {
		return ports.Answer{}, err
	}
	return unpackAnswer(plain)
}

// bound is the associated data of a record: its owner and id.
func bound(dst []byte, label, owner, id string) []byte {
	return packText(packText(packText(dst, label), owner), id)
}

// private is what of a validation is sealed. A pending one holds what recovery
// needs to ask again; an ended one only what its readers are told.
type private struct {
	identifier, branch, supplied string
	identity                     ports.Identity
	digits                       market.Verdict

	holder, reason string
	asked          []ports.ConnectorAnswer
}

// packing is the first byte of what is sealed: the layout of the rest.
const packing = 1

func (p *private) pack(dst []byte) []byte {
	dst = append(dst, packing)
	for _, s := range [...]string{
		p.identifier, p.branch, p.supplied,
		string(p.identity.Kind), string(p.identity.Document), p.identity.Number,
		string(p.digits), p.holder, p.reason,
	} {
		dst = packText(dst, s)
	}
	dst = binary.AppendUvarint(dst, uint64(len(p.asked)))
	for _, a := range p.asked {
		for _, s := range [...]string{a.Connector, string(a.Outcome), a.Code, a.Message} {
			dst = packText(dst, s)
		}
		dst = binary.AppendVarint(dst, int64(a.Took))
	}
	return dst
}

func unpackPrivate(data []byte) (private, error) {
	u := newUnpacker(data)
	p := private{identifier: u.text(), branch: u.text(), supplied: u.text()}
	p.identity = ports.Identity{Kind: ports.AccountKind(u.text()), Document: ports.DocumentType(u.text()), Number: u.text()}
	p.digits = market.Verdict(u.text())
	p.holder, p.reason = u.text(), u.text()
	for range u.count() {
		a := ports.ConnectorAnswer{Connector: u.text(), Outcome: ports.Outcome(u.text()), Code: u.text(), Message: u.text()}
		a.Took = time.Duration(u.number())
		p.asked = append(p.asked, a)
	}
	return p, u.end()
}

// packAnswer packs what the cache keeps of a provider's answer.
func packAnswer(dst []byte, a ports.Answer) []byte {
	dst = append(dst, packing)
	for _, s := range [...]string{string(a.Kind), a.HolderName, a.Code, a.Message} {
		dst = packText(dst, s)
	}
	return dst
}

func unpackAnswer(data []byte) (ports.Answer, error) {
	u := newUnpacker(data)
	a := ports.Answer{Kind: ports.AnswerKind(u.text()), HolderName: u.text(), Code: u.text(), Message: u.text()}
	if err := u.end(); err != nil {
		return ports.Answer{}, err
	}
	if a.Check() != nil {
		return ports.Answer{}, errDamaged
	}
	return a, nil
}

func packText(dst []byte, s string) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(s)))
	return append(dst, s...)
}

var errDamaged = errcodes.New(errcodes.CorruptRecord, "")

// unpacker reads what pack wrote. After a fault it gives zero values.
type unpacker struct {
	rest []byte
	bad  bool
}

func newUnpacker(data []byte) *unpacker {
	if len(data) == 0 || data[0] != packing {
		return &unpacker{bad: true}
	}
	return &unpacker{rest: data[1:]}
}

func (u *unpacker) text() string {
	n, used := binary.Uvarint(u.rest)
	if used <= 0 || n > uint64(len(u.rest)-used) {
		u.bad, u.rest = true, nil
		return ""
	}
	s := string(u.rest[used : used+int(n)])
	u.rest = u.rest[used+int(n):]
	return s
}

func (u *unpacker) number() int64 {
	n, used := binary.Varint(u.rest)
	if used <= 0 {
		u.bad, u.rest = true, nil
		return 0
	}
	u.rest = u.rest[used:]
	return n
}

// count gives a number of entries, each of which takes a byte at least.
func (u *unpacker) count() int {
	n, used := binary.Uvarint(u.rest)
	if used <= 0 || n > uint64(len(u.rest)-used) {
		u.bad, u.rest = true, nil
		return 0
	}
	u.rest = u.rest[used:]
	return int(n)
}

func (u *unpacker) end() error {
	if u.bad || len(u.rest) > 0 {
		return errDamaged
	}
	return nil
}

// scratch is the room that a validation needs while it is made. Sealers and
// stores keep none of it: what they keep, they copy.
type scratch struct {
	raw    rawID
	aad    []byte
	plain  []byte // personal
	data   []byte // of an event
	events [1]ports.Event
}

// room hands scratches out.
type room struct{ pool sync.Pool }

func newRoom() *room {
	return &room{sync.Pool{New: func() any { return new(scratch) }}}
}

func (r *room) take() *scratch {
	s, _ := r.pool.Get().(*scratch)
	return s
}

// giveBack takes a scratch back, without what was personal in it.
func (r *room) giveBack(s *scratch) {
	const most = 4096 // what was blown up is not worth keeping
	if cap(s.plain) > most || cap(s.data) > most {
		return
	}
	clear(s.plain[:cap(s.plain)])
	s.events[0] = ports.Event{}
	r.pool.Put(s)
}
