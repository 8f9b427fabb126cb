package validation

import (
	"context"
	"encoding/binary"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/binrec"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation/market"
)

// The labels bind sealed data and digests to their purpose.
const (
	labelRecord = "corridor validation"
	labelAnswer = "corridor answer"
	labelKey    = "corridor answer key"
)

// seal seals the personal data of a record: the request of a pending one, which recovery
// needs, or the result of a terminal one.
func (s *Service) seal(ctx context.Context, rec *ports.ValidationRecord, r *request, res *result) (err error) {
	b := s.takeBuffers()
	defer s.putBuffers(b)
	b.aad = appendAAD(b.aad[:0], labelRecord, rec.Owner, rec.ID)
	b.plain = packRecord(b.plain[:0], r, res)
	rec.Sealed, err = s.sealer.Seal(ctx, b.aad, b.plain)
	return err
}

// open returns the request of a pending record or the sealed part of the result of a
// terminal one.
func (s *Service) open(ctx context.Context, rec *ports.ValidationRecord) (request, result, error) {
	plain, err := s.unseal(ctx, labelRecord, rec.Owner, rec.ID, rec.Sealed)
	if err != nil {
		return request{}, result{}, err
	}
	r, res, err := unpackRecord(plain)
	r.owner, r.merchant, r.account.Market, r.account.BankCode = rec.Owner, rec.MerchantID, rec.Market, rec.BankCode
	return r, res, err
}

func (s *Service) sealAnswer(ctx context.Context, owner string, key [32]byte, a *ports.Answer) (ports.Sealed, error) {
	return s.sealer.Seal(ctx, appendAAD(nil, labelAnswer, owner, string(key[:])), packAnswer(a))
}

func (s *Service) openAnswer(ctx context.Context, owner string, c *ports.CachedAnswer) (ports.Answer, error) {
	plain, err := s.unseal(ctx, labelAnswer, owner, string(c.Key[:]), c.Sealed)
	if err != nil {
		return ports.Answer{}, err
	}
	return unpackAnswer(plain)
}

func (s *Service) unseal(ctx context.Context, label, owner, id string, sealed ports.Sealed) ([]byte, error) {
	b := s.takeBuffers()
	defer s.putBuffers(b)
	b.aad = appendAAD(b.aad[:0], label, owner, id)
	return s.sealer.Open(ctx, b.aad, sealed)
}

// appendAAD appends the associated data of a seal: its purpose, owner and id.
func appendAAD(dst []byte, label, owner, id string) []byte {
	return binrec.AppendText(binrec.AppendText(binrec.AppendText(dst, label), owner), id)
}

// packing is the first byte of packed data and identifies its layout.
const packing = 1

func packRecord(dst []byte, r *request, res *result) []byte {
	dst = append(dst, packing)
	for _, s := range [...]string{
		r.account.Identifier, r.account.Branch, r.name,
		string(r.identity.Kind), string(r.identity.Document), r.identity.Number,
		string(r.digits), res.holder, res.reason,
	} {
		dst = binrec.AppendText(dst, s)
	}
	dst = binary.AppendUvarint(dst, uint64(len(res.asked)))
	for _, a := range res.asked {
		for _, s := range [...]string{a.Connector, string(a.Outcome), a.Code, a.Message} {
			dst = binrec.AppendText(dst, s)
		}
		dst = binary.AppendVarint(dst, int64(a.Took))
	}
	return dst
}

func unpackRecord(data []byte) (r request, res result, err error) {
	u := binrec.Read(data)
	version := u.Byte()
	r.account.Identifier, r.account.Branch, r.name = u.Text(), u.Text(), u.Text()
	r.identity = ports.Identity{Kind: ports.AccountKind(u.Text()), Document: ports.DocumentType(u.Text()), Number: u.Text()}
	r.digits = market.Verdict(u.Text())
	res.holder, res.reason = u.Text(), u.Text()
	for range u.Count() {
		a := ports.ConnectorAnswer{Connector: u.Text(), Outcome: ports.Outcome(u.Text()), Code: u.Text(), Message: u.Text()}
		a.Took = time.Duration(u.Int())
		res.asked = append(res.asked, a)
	}
	if version != packing || !u.Done() {
		return request{}, result{}, errDamaged
	}
	return r, res, nil
}

// packAnswer encodes the cached part of a provider's answer.
func packAnswer(a *ports.Answer) []byte {
	dst := []byte{packing}
	for _, s := range [...]string{string(a.Kind), a.HolderName, a.Code, a.Message} {
		dst = binrec.AppendText(dst, s)
	}
	return dst
}

func unpackAnswer(data []byte) (ports.Answer, error) {
	u := binrec.Read(data)
	version := u.Byte()
	a := ports.Answer{Kind: ports.Outcome(u.Text()), HolderName: u.Text(), Code: u.Text(), Message: u.Text()}
	if version != packing || !u.Done() || a.Check() != nil {
		return ports.Answer{}, errDamaged
	}
	return a, nil
}

var errDamaged = errcodes.New(errcodes.CorruptRecord, "")

// buffers are reused to build records. Sealers and stores must copy what they keep.
type buffers struct {
	raw    rawID
	aad    []byte
	plain  []byte // personal data
	data   []byte // of the event
	events [1]ports.Event
}

func (s *Service) takeBuffers() *buffers {
	if b, ok := s.pool.Get().(*buffers); ok {
		return b
	}
	return new(buffers)
}

// putBuffers returns buffers to the pool, cleared of personal data.
func (s *Service) putBuffers(b *buffers) {
	const most = 4096 // larger buffers are not pooled
	if cap(b.plain) > most || cap(b.data) > most {
		return
	}
	clear(b.plain[:cap(b.plain)])
	b.events[0] = ports.Event{}
	s.pool.Put(b)
}
