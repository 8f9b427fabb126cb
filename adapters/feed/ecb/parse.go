package ecb

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

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

// day is the bank's rates of one day.
type day struct {
	date  time.Time         // 00:00 UTC
	rates map[string]string // the units of a currency for one euro
}

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

// parser counts the depth: Envelope > Cube > Cube of a day > Cube of a rate.
type parser struct {
	depth   int
	skipped int // the depth of the element being skipped; 0: none
	rooted  bool
	days    map[time.Time]bool
	newest  day
	old     bool // the current day is not the newest
}

func (p *parser) take(token xml.Token) error {
	switch t := token.(type) {
	case xml.Directive:
		return errors.New("a document type is not allowed")
	case xml.StartElement:
		p.depth++
		if p.skipped == 0 {
			return p.start(t)
		}
	case xml.EndElement:
		if p.skipped == p.depth {
			p.skipped = 0
		}
		p.depth--
	}
	return nil
}

func (p *parser) start(e xml.StartElement) error {
	switch {
	case p.depth == 1:
		if e.Name != envelope || p.rooted {
			return fmt.Errorf("unexpected element <%.40s>, want one envelope", e.Name.Local)
		}
		p.rooted = true
		return nil
	case e.Name != cube:
		p.skipped = p.depth
		return nil
	case p.depth == 2:
		return nil
	case p.depth == 3:
		return p.day(e.Attr)
	case p.depth == 4:
		return p.rate(e.Attr)
	default:
		return errors.New("a rate must not contain elements")
	}
}

func (p *parser) day(attrs []xml.Attr) error {
	values, err := exactly(attrs, "time")
	if err != nil {
		return err
	}
	date, err := time.Parse(time.DateOnly, values[0])
	if err != nil || date.Year() < 1999 {
		return fmt.Errorf("time %.40q is not a day since 1999", values[0])
	}
	if p.days[date] {
		return fmt.Errorf("day %s is repeated", values[0])
	}
	p.days[date] = true
	p.old = date.Before(p.newest.date)
	if !p.old {
		p.newest = day{date, map[string]string{}}
	}
	return nil
}

func (p *parser) rate(attrs []xml.Attr) error {
	values, err := exactly(attrs, "currency", "rate")
	if err != nil || p.old {
		return err
	}
	currency, perEuro := values[0], values[1]
	if !isCode(currency) || currency == euro {
		return fmt.Errorf("currency %.40q must be three capital letters and not EUR", currency)
	}
	if _, ok := p.newest.rates[currency]; ok {
		return fmt.Errorf("currency %s is repeated", currency)
	}
	if len(p.newest.rates) >= ports.MaxFeedCurrencies-1 { // the euro is one, too
		return fmt.Errorf("there are more than %d currencies", ports.MaxFeedCurrencies)
	}
	if err := ports.CheckRate(perEuro); err != nil {
		return fmt.Errorf("%s: %w", currency, err)
	}
	p.newest.rates[currency] = perEuro
	return nil
}

func (p *parser) latest() (day, error) {
	if len(p.newest.rates) == 0 {
		return day{}, errors.New("there is no day with rates")
	}
	return p.newest, nil
}

// exactly returns the values of the attributes, which must be exactly those with the
// names: an unknown one, such as a unit, might change the meaning of a rate.
func exactly(attrs []xml.Attr, names ...string) ([]string, error) {
	values := make([]string, len(names))
	if len(attrs) != len(names) {
		return nil, fmt.Errorf("an element has %d attributes, want %q", len(attrs), names)
	}
	for i, name := range names {
		found := false
		for _, a := range attrs {
			if a.Name == (xml.Name{Local: name}) {
				values[i], found = a.Value, true
			}
		}
		if !found {
			return nil, fmt.Errorf("attribute %s is missing", name)
		}
	}
	return values, nil
}

func isCode(s string) bool {
	return len(s) == 3 && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}
