package validation

import (
	"context"

	"github.com/corridor-go/corridor/ports"
)

// The labels keep what is sealed or digested for one purpose from passing for
// another.
const (
	labelRecord = "corridor validation"
	labelAnswer = "corridor answer"
	labelKey    = "corridor answer key"
)

// bound is the associated data of a record: its owner and id.
func bound(dst []byte, label, owner, id string) []byte {
	return packText(packText(packText(dst, label), owner), id)
}

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
