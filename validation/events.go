package validation

import (
	"strconv"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/jsontext"
	"github.com/corridor-go/corridor/ports"
)

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
