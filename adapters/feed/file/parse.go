package file

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/corridor-go/corridor/internal/localfile"
	"github.com/corridor-go/corridor/ports"
)

type rate struct {
	pair ports.Pair
	mid  string    // empty means no live price now
	at   time.Time // zero means the time of the read
}

// fileRate is a rate in the file. A null differs from a missing key.
type fileRate struct {
	Base  string          `json:"base"`
	Quote string          `json:"quote"`
	Mid   json.RawMessage `json:"mid"`
	At    json.RawMessage `json:"at"`
}

// parse parses a whole file.
func parse(body []byte) ([]rate, error) {
	var file struct {
		Rates []fileRate `json:"rates"`
	}
	err := localfile.Decode(body, &file, "rates", "base", "quote", "mid", "at")
	if wrong, ok := errors.AsType[*localfile.KeyError](err); ok {
		return nil, fmt.Errorf("rate %d: key %.40q is unknown or repeated", wrong.Item, wrong.Key)
	}
	if err != nil {
		return nil, err
	}
	if file.Rates == nil {
		return nil, errors.New("rates is missing")
	}
	rates, seen := make([]rate, len(file.Rates)), map[ports.Pair]bool{}
	for i := range file.Rates {
		r, err := file.Rates[i].rate()
		if err == nil && seen[r.pair] {
			err = fmt.Errorf("pair %s is repeated", r.pair)
		}
		if err != nil {
			return nil, fmt.Errorf("rate %d: %w", i+1, err)
		}
		rates[i], seen[r.pair] = r, true
	}
	return rates, nil
}

func (f *fileRate) rate() (r rate, err error) {
	if err := cmp.Or(checkCurrency("base", f.Base), checkCurrency("quote", f.Quote)); err != nil {
		return r, err
	}
	if f.Base == f.Quote {
		return r, fmt.Errorf("base and quote are both %s", f.Base)
	}
	r.pair = ports.Pair{Base: f.Base, Quote: f.Quote}
	if string(f.Mid) != "null" { // no live price
		if json.Unmarshal(f.Mid, &r.mid) != nil {
			return r, errors.New("mid must be decimal text in quotes, or null")
		}
		if err := ports.CheckRate(r.mid); err != nil {
			return r, fmt.Errorf("mid: %w", err)
		}
	}
	if f.At != nil {
		r.at, err = timeOf(f.At)
	}
	return r, err
}

func checkCurrency(key, code string) error {
	if _, ok := ports.MinorDigits(code); !ok {
		return fmt.Errorf("%s %.40q must be an upper-case ISO 4217 code of a currency with a minor unit", key, code)
	}
	return nil
}

// timeOf parses an RFC 3339 time after 1970. It rejects null and year 1: if a writer
// lost the time of a price, the price must not be taken for a fresh one.
func timeOf(value json.RawMessage) (time.Time, error) {
	var text string
	err := json.Unmarshal(value, &text)
	at, errTime := time.Parse(time.RFC3339, text)
	if err != nil || errTime != nil || at.Unix() <= 0 {
		return time.Time{}, fmt.Errorf("at %.40s must be an RFC 3339 time after 1970", value)
	}
	return ports.Millis(at), nil
}
