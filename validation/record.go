package validation

import (
	"context"
	"strconv"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/jsontext"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/banks"
	"github.com/corridor-go/corridor/validation/market"
)

// tables names the rules and the directory that a result was judged by.
const tables = market.TablesVersion + "+banks." + banks.Version

// keepUnanswered is how long a validation without a kept answer stays readable
// when answers are not kept at all.
const keepUnanswered = 24 * time.Hour

// draft makes the record of a new validation, which has no status yet.
func (s *Service) draft(q *question, at time.Time) (ports.ValidationRecord, error) {
	room := s.room.take()
	defer s.room.giveBack(room)
	id, err := newID(at, s.cfg.Random, &room.raw)
	if err != nil {
		return ports.ValidationRecord{}, err
	}
	return ports.ValidationRecord{
		ID: id, Owner: q.owner, MerchantID: q.merchant, Market: q.account.Market, BankCode: q.account.BankCode,
		Tables: tables, CreatedAt: at, Deadline: ports.Millis(at.Add(s.cfg.Timeout).Add(s.cfg.Grace)),
	}, nil
}

// conclude moves a record to the end that the verdict says, and gives the kind
// of the event. What is personal goes into p.
func (s *Service) conclude(rec *ports.ValidationRecord, v *verdict, now time.Time) (kind string, p private, err error) {
	t, err := next(rec.Status, v.on)
	if err != nil {
		return "", private{}, err
	}
	rec.Status, rec.Provider, rec.Type, rec.Outcome, rec.Cached, rec.Match = t.To, v.provider, v.kind, v.outcome, v.cached, v.match
	rec.EndedAt = later(ports.Millis(now), rec.CreatedAt)
	rec.ExpiresAt = v.expiresAt
	rec.PurgeAt = s.purgeAt(rec)
	return t.Event, private{holder: v.holder, reason: v.reason, asked: v.asked}, nil
}

func (s *Service) purgeAt(rec *ports.ValidationRecord) time.Time {
	stale := rec.ExpiresAt
	if stale.IsZero() {
		stale = rec.EndedAt.Add(s.policy.AnswerTTL)
		if s.policy.AnswerTTL == 0 {
			stale = rec.EndedAt.Add(keepUnanswered)
		}
	}
	return stale.Add(s.policy.KeepFor)
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// event tells of a record's new state. The record's version makes its id: each
// version is saved once, and the first has the record's own.
func (s *scratch) event(rec *ports.ValidationRecord, kind string, at time.Time) (err error) {
	if s.data, err = eventData(s.data[:0], rec); err != nil {
		return errcodes.Wrap(errcodes.Internal, "", err)
	}
	id := rec.ID
	if rec.Version > 0 {
		id += "." + strconv.FormatInt(rec.Version+1, 10)
	}
	s.events[0] = ports.Event{ID: id, Kind: kind, Key: rec.ID, Owner: rec.Owner, At: at, Data: s.data}
	return nil
}

// eventData is the record without what is personal: numbers, names and reasons
// are read by id.
func eventData(buf []byte, r *ports.ValidationRecord) ([]byte, error) {
	o := jsontext.Object{Buf: buf}
	o.Text("validationId", r.ID)
	o.Text("owner", r.Owner)
	o.Text("merchantId", r.MerchantID)
	o.Text("country", r.Market.Country)
	o.Text("accountType", string(r.Market.Type))
	if r.BankCode != "" {
		o.Text("bankCode", r.BankCode)
	}
	o.Text("status", string(r.Status))
	o.Text("provider", r.Provider)
	if r.Type != "" {
		o.Text("validationType", string(r.Type))
	}
	if r.Outcome != "" {
		o.Text("outcome", string(r.Outcome))
		o.Bool("cached", r.Cached)
	}
	if r.Match.Rule != "" {
		o.Text("nameRule", r.Match.Rule)
		o.Number("nameScore", int64(r.Match.Score))
	}
	o.Text("tables", r.Tables)
	o.Time("createdAt", r.CreatedAt)
	if r.Status.Terminal() {
		o.Time("endedAt", r.EndedAt)
	}
	if !r.ExpiresAt.IsZero() {
		o.Time("expiresAt", r.ExpiresAt)
	}
	return o.Done()
}

// CheckRecord refuses a record that no validation can have, as
// errcodes.CorruptRecord: stores are not trusted to have kept it well.
func CheckRecord(r *ports.ValidationRecord) error {
	switch {
	case r.ID == "" || r.Version < 1 || r.Market.Country == "" || r.CreatedAt.IsZero():
		return corrupt("a validation lacks its basics")
	case !known(r.Status):
		return corrupt("a validation has no known status")
	case r.Status.Terminal() == r.EndedAt.IsZero():
		return corrupt("a validation has ended without an end, or has an end and goes on")
	case r.Status.Terminal() == (r.Type == ""):
		return corrupt("a validation's type does not fit its status")
	case r.Status == ports.StatusPending && r.Deadline.IsZero():
		return corrupt("a pending validation has no deadline")
	default:
		return nil
	}
}

func known(status ports.ValidationStatus) bool {
	for _, t := range transitions {
		if t.To == status {
			return true
		}
	}
	return false
}

func corrupt(message string) error { return errcodes.New(errcodes.CorruptRecord, message) }

// reveal opens a record for its owner.
func (s *Service) reveal(ctx context.Context, rec *ports.ValidationRecord) (ports.Validation, error) {
	p, err := s.open(ctx, rec)
	if err != nil {
		return ports.Validation{}, err
	}
	return shown(rec, &p), nil
}

func shown(rec *ports.ValidationRecord, p *private) ports.Validation {
	return ports.Validation{ValidationRecord: *rec, HolderName: p.holder, FailureReason: p.reason, Asked: p.asked}
}
