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

// tables is the version of the rules and the bank directory that decide results.
const tables = market.TablesVersion + "+banks." + banks.Version

// keepUnanswered is how long a validation without a cached answer can be read if answers
// are not cached at all.
const keepUnanswered = 24 * time.Hour

// newRecord returns the record of a new validation. Its status is not set.
func (s *Service) newRecord(r *request, at time.Time) (ports.ValidationRecord, error) {
	b := s.takeBuffers()
	defer s.putBuffers(b)
	id, err := newID(at, s.cfg.Random, &b.raw)
	if err != nil {
		return ports.ValidationRecord{}, err
	}
	return ports.ValidationRecord{
		ID: id, Owner: r.owner, MerchantID: r.merchant, Market: r.account.Market, BankCode: r.account.BankCode,
		Tables: tables, CreatedAt: at, Deadline: s.deadline(at),
	}, nil
}

// deadline returns the deadline of a lookup that begins at the given time.
func (s *Service) deadline(at time.Time) time.Time {
	return ports.Millis(at.Add(s.cfg.Timeout).Add(s.cfg.Grace))
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

// event writes the event for a record's new state into b. Its id is the record's id,
// followed by the version if that is greater than 1; each version is saved once.
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

// eventData encodes the record without personal data: readers fetch numbers, names and
// reasons by id.
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

// CheckRecord returns [errcodes.CorruptRecord] if no validation can have such a record.
// The service calls it because stores may return other data than was stored.
func CheckRecord(r *ports.ValidationRecord) error {
	_, known := triggers[r.Status]
	switch {
	case r.ID == "" || r.Version < 1 || r.Market.Country == "" || r.CreatedAt.IsZero():
		return corrupt("ID, Version, Market or CreatedAt is missing")
	case !known:
		return corrupt("unknown status " + strconv.Quote(string(r.Status)))
	case r.Status.Terminal() == r.EndedAt.IsZero():
		return corrupt("EndedAt does not fit status " + string(r.Status))
	case r.Status.Terminal() == (r.Type == ""):
		return corrupt("Type does not fit status " + string(r.Status))
	case r.Status == ports.StatusPending && r.Deadline.IsZero():
		return corrupt("Deadline is missing")
	default:
		return nil
	}
}

func corrupt(problem string) error {
	return errcodes.New(errcodes.CorruptRecord, "validation: "+problem)
}

// reveal returns a terminal record with its sealed result opened.
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
