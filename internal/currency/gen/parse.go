package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
)

// currency is one row of List One.
type currency struct {
	code    string
	numeric string
	// digits of the minor unit; -1 where the list says "N.A.".
	digits int
}

var (
	header = []string{"code", "numeric", "minor_unit", "name"}

	alphabetic = regexp.MustCompile(`^[A-Z]{3}$`)
	numeric    = regexp.MustCompile(`^[0-9]{3}$`)
	minorUnit  = regexp.MustCompile(`^[0-4]?$`)
)

func parse(r io.Reader) ([]currency, error) {
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, err
	}

	if len(rows) < 2 || !slices.Equal(rows[0], header) {
		return nil, fmt.Errorf("want the header %v and at least one row", header)
	}

	var (
		currencies = make([]currency, 0, len(rows)-1)
		owner      = make(map[string]string, len(rows))
		last       string
	)

	for _, row := range rows[1:] {
		c, err := parseRow(row)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", row[0], err)
		}

		if c.code <= last {
			return nil, fmt.Errorf("%s stands after %s: codes must rise", c.code, last)
		}

		if other, taken := owner[c.numeric]; taken {
			return nil, fmt.Errorf("%s and %s share the number %s", other, c.code, c.numeric)
		}

		owner[c.numeric], last = c.code, c.code
		currencies = append(currencies, c)
	}

	return currencies, nil
}

func parseRow(row []string) (currency, error) {
	switch {
	case !alphabetic.MatchString(row[0]):
		return currency{}, errors.New("the code is not three capital letters")
	case !numeric.MatchString(row[1]):
		return currency{}, fmt.Errorf("the number %q is not three digits", row[1])
	case !minorUnit.MatchString(row[2]):
		return currency{}, fmt.Errorf("the minor unit %q is neither 0 to 4 nor empty", row[2])
	case row[3] == "":
		return currency{}, errors.New("the name is missing")
	}

	c := currency{code: row[0], numeric: row[1], digits: -1}
	if row[2] == "" {
		return c, nil
	}

	var err error
	c.digits, err = strconv.Atoi(row[2])

	return c, err
}
