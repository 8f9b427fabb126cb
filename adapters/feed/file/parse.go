package file

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/corridor-go/corridor/ports"
)

type rate struct {
	pair ports.Pair
	mid  string    // empty: no live price now
	at   time.Time // zero: as of the look
}

// parse reads a whole file. The keys are matched exactly and each may occur
// once: encoding/json alone would take "MID" for mid and let the last one win.
func parse(body []byte) ([]rate, error) {
	p := &parser{json.NewDecoder(bytes.NewReader(body))}
	var rates []rate
	if err := p.object(map[string]func() error{
		"rates": func() (err error) { rates, err = p.rates(); return err },
	}, "rates"); err != nil {
		return nil, err
	}
	if _, err := p.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text behind the JSON value")
	}
	return rates, nil
}

type parser struct{ *json.Decoder }

func (p *parser) rates() ([]rate, error) {
	if err := p.delim('['); err != nil {
		return nil, err
	}
	rates, seen := []rate{}, map[ports.Pair]bool{}
	for p.More() {
		r, err := p.rate()
		if err == nil && seen[r.pair] {
			err = fmt.Errorf("the pair %s is there twice", r.pair)
		}
		if err != nil {
			return nil, fmt.Errorf("rate %d: %w", len(rates)+1, err)
		}
		seen[r.pair] = true
		rates = append(rates, r)
	}
	return rates, p.delim(']')
}

func (p *parser) rate() (rate, error) {
	var r rate
	err := p.object(map[string]func() error{
		"base":  func() error { return p.currency(&r.pair.Base) },
		"quote": func() error { return p.currency(&r.pair.Quote) },
		"mid":   func() error { return p.mid(&r.mid) },
		"at":    func() error { return p.time(&r.at) },
	}, "base", "quote", "mid")
	if err == nil && r.pair.Base == r.pair.Quote {
		err = errors.New("base and quote are the same")
	}
	return r, err
}

// object reads an object whose keys are those of fields, each at most once, and
// those of required for certain.
func (p *parser) object(fields map[string]func() error, required ...string) error {
	if err := p.delim('{'); err != nil {
		return err
	}
	seen := map[string]bool{}
	for p.More() {
		key, err := p.text()
		if err != nil {
			return err
		}
		field, known := fields[key]
		if !known || seen[key] {
			return fmt.Errorf("the key %.40q is unknown or there twice", key)
		}
		seen[key] = true
		if err := field(); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	for _, key := range required {
		if !seen[key] {
			return fmt.Errorf("%s is missing", key)
		}
	}
	return p.delim('}')
}

func (p *parser) delim(want json.Delim) error {
	token, err := p.token()
	if err == nil && token != want {
		err = fmt.Errorf("expected %s", want)
	}
	return err
}

func (p *parser) text() (string, error) {
	token, err := p.token()
	if err != nil {
		return "", err
	}
	text, ok := token.(string)
	if !ok {
		return "", errors.New("expected a JSON string")
	}
	return text, nil
}

// token names the place of a mistake, which encoding/json does not.
func (p *parser) token() (json.Token, error) {
	token, err := p.Token()
	if err != nil {
		return nil, fmt.Errorf("no JSON at byte %d: %w", p.InputOffset(), err)
	}
	return token, nil
}

func (p *parser) currency(dst *string) error {
	code, err := p.text()
	if err != nil {
		return err
	}
	if len(code) != 3 || !capital(code[0]) || !capital(code[1]) || !capital(code[2]) {
		return fmt.Errorf("%.40q is no upper-case ISO 4217 code", code)
	}
	*dst = code
	return nil
}

func capital(c byte) bool { return c >= 'A' && c <= 'Z' }

func (p *parser) mid(dst *string) error {
	token, err := p.token()
	if err != nil || token == nil {
		return err
	}
	text, ok := token.(string)
	if !ok {
		return errors.New("expected decimal text in quotes, or null")
	}
	*dst = text
	return ports.CheckRate(text)
}

// time reads a time of RFC 3339 after 1970. null and year 1 are refused: a writer
// that lost the time of a price must not have it taken for a fresh one.
func (p *parser) time(dst *time.Time) error {
	text, err := p.text()
	if err != nil {
		return err
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil || at.Unix() <= 0 {
		return fmt.Errorf("%.40q is no time of RFC 3339 after 1970", text)
	}
	*dst = ports.Millis(at)
	return nil
}
