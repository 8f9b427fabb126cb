package csvfile

import (
	"strings"
	"time"

	"github.com/corridor-go/corridor/ports"
)

// settlement reads a record; false says that the query does not ask for it.
func (s *Source) settlement(p *places, rec record, q ports.RowQuery) (ports.SettlementLine, bool) {
	out := ports.SettlementLine{Line: rec.number, Bad: rec.bad}
	if out.Bad != "" {
		return out, true
	}
	cell := func(at int) string {
		if at < 0 {
			return ""
		}
		return strings.TrimSpace(rec.fields[at])
	}
	for _, whose := range []struct {
		at   int
		want string
		why  string
	}{{p.owner, q.Owner, "no owner"}, {p.merchant, q.MerchantID, "no merchant"}} {
		if is := cell(whose.at); whose.at >= 0 && is != whose.want {
			out.Bad = whose.why
			return out, is == ""
		}
	}
	s.fill(&out, p, cell)
	undated := out.At.IsZero()
	return out, undated || !out.At.Before(q.From) && out.At.Before(q.Until)
}

// fill reads all that can be read; the first that cannot makes the line bad.
func (s *Source) fill(out *ports.SettlementLine, p *places, cell func(int) string) {
	wrong := func(why string) {
		if out.Bad == "" {
			out.Bad = why
		}
	}
	var ok bool
	if out.At, ok = s.time(cell(p.settledAt)); !ok {
		wrong("the time cannot be read")
	}
	if out.Reference = cell(p.reference); out.Reference == "" {
		wrong("no reference")
	}
	currency := s.cfg.FixedCurrency
	if p.currency >= 0 {
		currency = strings.ToUpper(cell(p.currency))
	}
	minorDigits, known := ports.MinorDigits(currency)
	if !known {
		wrong("no currency that is known")
		return
	}
	out.Currency = currency
	var why string
	if p.sign >= 0 {
		out.Amount, why = s.cfg.signed(cell(p.amount), cell(p.sign), minorDigits)
	} else {
		out.Amount, why = s.cfg.amount(cell(p.amount), minorDigits)
	}
	if why != "" {
		wrong(why)
		return
	}
	out.HasAmount = out.Bad != ""
}

// time reads a time by the first layout that takes it.
func (s *Source) time(text string) (time.Time, bool) {
	for _, layout := range s.cfg.TimeLayouts {
		if at, err := time.ParseInLocation(layout, text, s.zone); err == nil && !at.IsZero() {
			return at.UTC(), true
		}
	}
	return time.Time{}, false
}
