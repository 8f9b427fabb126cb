package ecb

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/cockroachdb/apd/v3"

	"github.com/corridor-go/corridor/ports"
)

// Names of the file's XML.
const (
	envelopeSpace = "http://www.gesmes.org/xml/2002-08-01"
	ratesSpace    = "http://www.ecb.int/vocabulary/2002-08-01/eurofxref"
)

var (
	envelope = xml.Name{Space: envelopeSpace, Local: "Envelope"}
	cube     = xml.Name{Space: ratesSpace, Local: "Cube"}
)

// day is what the bank published for one day.
type day struct {
	date  time.Time // 00:00 UTC
	rates []rate
}

// rate is how many units of a currency one euro is.
type rate struct{ currency, perEuro string }

// parse returns the newest day of the daily file or of a history.
func parse(body []byte) (day, error) {
	p := parser{days: map[time.Time]bool{}}
	in := xml.NewDecoder(bytes.NewReader(body))
	for {
		token, err := in.Token()
		if errors.Is(err, io.EOF) {
			return p.latest()
		}
		if err == nil {
			err = p.take(token)
		}
		if err != nil {
			return day{}, fmt.Errorf("line %d: %w", line(in), err)
		}
	}
}

func line(in *xml.Decoder) int {
	n, _ := in.InputPos()
	return n
}

// parser knows how deep it is: Envelope > Cube > Cube of a day > Cube of a rate.
type parser struct {
	depth  int
	aside  int // the depth of an element that does not matter; 0: none
	rooted bool
	days   map[time.Time]bool
	newest day
	old    bool // the day being read is not the newest
}

func (p *parser) take(token xml.Token) error {
	switch t := token.(type) {
	case xml.Directive:
		return errors.New("a document type is not expected")
	case xml.StartElement:
		p.depth++
		if p.aside == 0 {
			return p.start(t)
		}
	case xml.EndElement:
		if p.aside == p.depth {
			p.aside = 0
		}
		p.depth--
	}
	return nil
}

func (p *parser) start(e xml.StartElement) error {
	switch {
	case p.depth == 1:
		if e.Name != envelope || p.rooted {
			return fmt.Errorf("<%.40s> is not the envelope", e.Name.Local)
		}
		p.rooted = true
		return nil
	case e.Name != cube:
		p.aside = p.depth
		return nil
	case p.depth == 2:
		return nil
	case p.depth == 3:
		return p.day(e.Attr)
	case p.depth == 4:
		return p.rate(e.Attr)
	default:
		return errors.New("a rate holds no further elements")
	}
}

func (p *parser) day(attrs []xml.Attr) error {
	values, err := exactly(attrs, "time")
	if err != nil {
		return err
	}
	date, err := time.Parse(time.DateOnly, values[0])
	if err != nil || date.Year() < 1999 {
		return fmt.Errorf("%.40q is no day since 1999", values[0])
	}
	if p.days[date] {
		return fmt.Errorf("the day %s is there twice", values[0])
	}
	p.days[date] = true
	p.old = date.Before(p.newest.date)
	if !p.old {
		p.newest = day{date: date}
	}
	return nil
}

func (p *parser) rate(attrs []xml.Attr) error {
	values, err := exactly(attrs, "currency", "rate")
	if err != nil || p.old {
		return err
	}
	r := rate{values[0], values[1]}
	if !isCode(r.currency) || r.currency == euro {
		return fmt.Errorf("%.40q is no upper-case ISO 4217 code of another currency", r.currency)
	}
	for _, other := range p.newest.rates {
		if other.currency == r.currency {
			return fmt.Errorf("%s is there twice", r.currency)
		}
	}
	if err := ports.CheckRate(r.perEuro); err != nil {
		return fmt.Errorf("%s: %w", r.currency, err)
	}
	p.newest.rates = append(p.newest.rates, r)
	return nil
}

func (p *parser) latest() (day, error) {
	if len(p.newest.rates) == 0 {
		return day{}, errors.New("no day with rates")
	}
	return p.newest, nil
}

// exactly returns the values of the attributes, each of which must be there once.
// One that is not known might change what a rate means, as a unit would.
func exactly(attrs []xml.Attr, names ...string) ([]string, error) {
	values := make([]string, len(names))
	if len(attrs) != len(names) {
		return nil, fmt.Errorf("expected the attributes %q", names)
	}
	for i, name := range names {
		found := false
		for _, a := range attrs {
			if a.Name == (xml.Name{Local: name}) {
				values[i], found = a.Value, true
			}
		}
		if !found {
			return nil, fmt.Errorf("the attribute %s is missing", name)
		}
	}
	return values, nil
}

func isCode(s string) bool {
	return len(s) == 3 && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// Source is the Source of the prices.
const Source = "ecb"

const euro = "EUR"

// hour is the time of day that a day's prices are stamped with; see the package
// comment.
const hour = 12 * time.Hour

// derived rounds what the bank does not publish itself.
var derived = apd.Context{
	Precision: 10, Rounding: apd.RoundHalfEven,
	MaxExponent: 2 * ports.MaxRateDigits, MinExponent: -2 * ports.MaxRateDigits,
	Traps: apd.DefaultTraps,
}

// table holds the prices of one day. It never changes.
type table struct {
	at    time.Time
	mids  map[ports.Pair]string
	pairs ports.PairSet
}

// tabulate works out all pairs of a day.
func tabulate(d day) (*table, error) {
	list := append([]rate{{euro, "1"}}, d.rates...)
	perEuro := make([]apd.Decimal, len(list))
	for i, r := range list {
		if err := ports.SetRate(&perEuro[i], r.perEuro); err != nil {
			return nil, err
		}
	}
	t := &table{at: d.date.Add(hour), mids: make(map[ports.Pair]string, len(list)*len(list))}
	pairs := make([]ports.Pair, 0, len(list)*len(list))
	for i, base := range list {
		for j, quote := range list {
			if i == j {
				continue
			}
			pair, mid := ports.Pair{Base: base.currency, Quote: quote.currency}, quote.perEuro
			if base.currency != euro {
				var err error
				if mid, err = ratio(&perEuro[j], &perEuro[i]); err != nil {
					return nil, fmt.Errorf("%s: %w", pair, err)
				}
			}
			t.mids[pair] = mid
			pairs = append(pairs, pair)
		}
	}
	t.pairs = ports.NewPairSet(pairs...)
	return t, nil
}

// ratio returns quote / base as plain text, without zeros at the end.
func ratio(quote, base *apd.Decimal) (string, error) {
	var d apd.Decimal
	if _, err := derived.Quo(&d, quote, base); err != nil {
		return "", err
	}
	d.Reduce(&d)
	text := d.Text('f')
	if ports.CheckRate(text) != nil {
		return "", errors.New("the cross rate is absurd")
	}
	return text, nil
}
