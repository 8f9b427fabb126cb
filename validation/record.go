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

// tables names the rules and the directory that decide results.
const tables = market.TablesVersion + "+banks." + banks.Version

// keepUnanswered is how long a validation without a kept answer stays readable if
// answers are not kept at all.
const keepUnanswered = 24 * time.Hour

// newRecord makes the record of a new validation, which has no status yet.
func (s *Service) newRecord(r *request, at time.Time) (ports.ValidationRecord, error) {
	b := s.takeBuffers()
	defer s.putBuffers(b)
	id, err := newID(at, s.cfg.Random, &b.raw)
	if err != nil {
		return ports.ValidationRecord{}, err
	}
	return ports.ValidationRecord{
		ID: id, Owner: r.owner, MerchantID: r.merchant, Market: r.account.Market, BankCode: r.account.BankCode,
		Tables: tables, CreatedAt: at, Deadline: ports.Millis(at.Add(s.cfg.Timeout).Add(s.cfg.Grace)),
	}, nil
}

// conclude moves a record to its terminal state, and returns the kind of the event.
func (s *Service) conclude(rec *ports.ValidationRecord, res *result, now time.Time) (kind string, err error) {
	t, err := table.Next(rec.Status, res.on)
	if err != nil {
		return "", err
	}
	rec.Status, rec.Provider, rec.Type, rec.Outcome, rec.Cached = t.To, res.provider, res.kind, res.outcome, res.cached
	rec.NameRule, rec.NameScore = res.match.Rule, res.match.Score
	rec.EndedAt = later(ports.Millis(now), rec.CreatedAt)
	rec.ExpiresAt = res.expiresAt
	rec.PurgeAt = s.purgeAt(rec)
	return t.Event, nil
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

// event writes the event of a record's new state into b. Its id is the record's and
// the version, which is saved once; version 1 has the record's id alone.
func (b *buffers) event(rec *ports.ValidationRecord, kind string, at time.Time) (err error) {
	if b.data, err = eventData(b.data[:0], rec); err != nil {
		return errcodes.Wrap(errcodes.Internal, "", err)
	}
	id := rec.ID
	if rec.Version > 0 {
		id += "." + strconv.Itoa(int(rec.Version)+1)
	}
	b.events[0] = ports.Event{ID: id, Kind: kind, Key: rec.ID, Owner: rec.Owner, At: at, Data: b.data}
	return nil
}

// eventData is the record without what is personal: numbers, names and reasons are
// read by id.
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
	if r.NameRule != "" {
		o.Text("nameRule", r.NameRule)
		o.Number("nameScore", int64(r.NameScore))
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

// CheckRecord returns [errcodes.CorruptRecord] for a record that no validation can
// have: the service does not trust stores to return what they stored.
func CheckRecord(r *ports.ValidationRecord) error {
	_, known := triggers[r.Status]
	switch {
	case r.ID == "" || r.Version < 1 || r.Market.Country == "" || r.CreatedAt.IsZero():
		return corrupt("a validation lacks its basics")
	case !known:
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

func corrupt(message string) error { return errcodes.New(errcodes.CorruptRecord, message) }

// reveal opens a record for its owner.
func (s *Service) reveal(ctx context.Context, rec *ports.ValidationRecord) (ports.Validation, error) {
	_, res, err := s.open(ctx, rec)
	if err != nil {
		return ports.Validation{}, err
	}
	return validationOf(rec, &res), nil
}

func validationOf(rec *ports.ValidationRecord, res *result) ports.Validation {
	return ports.Validation{ValidationRecord: *rec, HolderName: res.holder, FailureReason: res.reason, Asked: res.asked}
}
