package validation

import (
	"strconv"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/jsontext"
	"github.com/corridor-go/corridor/ports"
)

// event tells of a record's new state. Version makes its id: each version is
// saved once.
func event(rec *ports.ValidationRecord, kind string, at time.Time) (ports.Event, error) {
	data, err := eventData(rec)
	if err != nil {
		return ports.Event{}, errcodes.Wrap(errcodes.Internal, "", err)
	}
	id := rec.ID + "." + strconv.FormatInt(rec.Version+1, 10)
	return ports.Event{ID: id, Kind: kind, Key: rec.ID, Owner: rec.Owner, At: at, Data: data}, nil
}

// eventData is the record without what is personal: numbers, names and reasons
// are read by id.
func eventData(r *ports.ValidationRecord) ([]byte, error) {
	o := jsontext.Object{Buf: make([]byte, 0, 512)}
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
