package connectortest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"
)

// provenance checks that the file says where its exchanges come from.
func (s *scenario) provenance() error {
	if s.Title == "" {
		return errors.New("title is missing")
	}
	if page, err := url.Parse(s.Source); err != nil || page.Scheme != "https" || page.Host == "" {
		return errors.New("source must be the https address of the provider's page")
	}
	day, err := time.Parse(time.DateOnly, s.Read)
	if err != nil {
		return errors.New("read must be a day, YYYY-MM-DD")
	}
	const web = 1993 // no page was read before
	if day.Year() < web && !s.assumed() {
		return errors.New(`read must be the day on which the page was read; a scenario that is made up says "assumed": ["all"]`)
	}
	return nil
}

// assumed reports whether no page shows any of it.
func (s *scenario) assumed() bool { return slices.Contains(s.Assumed, "all") }

// assumptions reports how much of the scenarios no page shows.
func assumptions(scenarios []scenario) string {
	whole, partly := 0, 0
	for i := range scenarios {
		switch {
		case scenarios[i].assumed():
			whole++
		case len(scenarios[i].Assumed) > 0:
			partly++
		}
	}
	return fmt.Sprintf("%d of %d scenarios are assumed, %d more in part", whole, len(scenarios), partly)
}

// misread reports where a file cannot be read, in the format's own words.
func misread(err error, data []byte) error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("line %d: %s must not be of type %s", line(data, wrong.Offset), cmp.Or(wrong.Field, "a scenario"), wrong.Value)
	}
	if wrong, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("line %d: %w", line(data, wrong.Offset), err)
	}
	return err
}

func line(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:min(max(offset, 0), int64(len(data)))], []byte("\n"))
}
