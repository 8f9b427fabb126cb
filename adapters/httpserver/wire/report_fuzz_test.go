package wire_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"testing"
	"unicode/utf8"

	"github.com/corridor-go/corridor/adapters/httpserver/wire"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

var reportSeeds = []string{
	`{"merchantId":"m","name":"n","columns":["a","b"],"parameters":{"dateRange":{"startDate":"2026-11-01","endDate":"2026-11-20"}}}`,
	`{"parameters":{"dateRange":{}},"filters":{"a":"x","b":1 ,"c":[1, "y" ,true ],"d":{"from":"1","to":2.5e3},"e" : false}}`,
	`{"parameters":{"dateRange":{}},"filters":{"a":"x","a":"y"}}`,
	`{"parameters":{"dateRange":{}},"filters":{"a":[]}}`,
	`{"parameters":{"dateRange":{}},"filters":{"a":[null]}}`,
	`{"parameters":{"dateRange":{}},"filters":{"a":{"from":null,"to":null}}}`,
	`{"parameters":{"dateRange":{}},"filters":{"a":{"from":"\u0031","x":{"from":[2]}}}}`,
	`{"parameters":{"dateRange":{}},"filters":{"a":{"from":"1","too":null},"b":1}}`,
	`{"parameters":{"dateRange":{}},"filters":{"a":{"from":"1","too":"2"},"b":{"x":1}}}`,
	`{"merchantId":1,"parameters":{"dateRange":{}},"filters":{"a":{"from":"1","too":"2"}}}`,
	`{"parameters":{"dateRange":{}},"filters":{"a":{"from":true,"too":"2"}}}`,
	`{"parameters":{"dateRange":{}},"filters":{"a":{"from":"1","\u0074o":2,"from\u0020":3}}}`,
	`{"parameters":{"dateRange":{"x":1},"x":{}},"x":{"too":1},"filters":{"a":{"from":"1" , "to" : 2 }}}`,
	`{"parameters":{"dateRange":{}},"filters":null,"columns":null}`,
	`{"parameters":{"dateRange":{"startDate":null}}}`,
	`{"parameters":{"dateRange":[]},"columns":[[]]}`,
	`{"parameters":{"dateRange":{},"dateRange":{}}}`,
	`{"parameters":{"dateRange":{}},"columns":["\ud800","]","\\\""]}`,
	`{"parameters":null}`,
}

func FuzzReportBody(f *testing.F) {
	addMalformed(f)
	for _, body := range reportSeeds {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := wire.DecodeReport(body)
		want, wrong := reportOracle(body)
		if (wrong == nil) != (err == nil) {
			t.Fatalf("body %q: error %v, but encoding/json says %v", body, err, wrong)
		}
		if err == nil && !reflect.DeepEqual(got, want) {
			t.Fatalf("body %q: got %#v, encoding/json read %#v", body, got, want)
		}
		if status := oracleStatus(wrong); errcodes.StatusOf(err) != status {
			t.Fatalf("body %q: %v is not a %d", body, err, status)
		}
	})
}

var (
	errOracle = errors.New("not acceptable")
	errBound  = errors.New("an unknown bound in a valid body")
)

func oracleStatus(wrong error) int {
	switch {
	case wrong == nil:
		return 200
	case errors.Is(wrong, errBound):
		return 422
	default:
		return 400
	}
}

// reportOracle reads a body with encoding/json.
func reportOracle(body []byte) (r wire.Report, err error) {
	if !utf8.Valid(body) || !json.Valid(body) {
		return r, errOracle
	}
	top, err := fieldsOf(body, "merchantId", "name", "columns", "parameters", "filters")
	if err != nil {
		return r, err
	}
	parameters, err := fieldsOf(top["parameters"], "dateRange")
	if err != nil {
		return r, err
	}
	dates, err := fieldsOf(parameters["dateRange"], "startDate", "endDate")
	if err != nil {
		return r, err
	}
	if r.Columns, err = oracleTexts(top["columns"]); err != nil {
		return r, err
	}
	filters, boundsErr := oracleFilters(top["filters"])
	if boundsErr != nil && !errors.Is(boundsErr, errBound) {
		return r, boundsErr
	}
	r.Filters = filters
	wrong := errors.Join(oracleText(top["merchantId"], &r.MerchantID), oracleText(top["name"], &r.Name),
		oracleText(dates["startDate"], &r.StartDate), oracleText(dates["endDate"], &r.EndDate))
	if wrong == nil {
		wrong = boundsErr
	}
	return r, wrong
}

type oracleMember struct {
	name  string
	value json.RawMessage
}

// membersOf returns the members of an object in order.
func membersOf(raw []byte) (list []oracleMember, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if first, err := d.Token(); err != nil || first != json.Delim('{') {
		return nil, errOracle
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		list = append(list, oracleMember{name.(string), value})
	}
	return list, nil
}

// fieldsOf returns the members with the names, none of which may be repeated.
func fieldsOf(raw []byte, names ...string) (map[string]json.RawMessage, error) {
	list, err := membersOf(raw)
	if err != nil {
		return nil, err
	}
	found := map[string]json.RawMessage{}
	for _, m := range list {
		for _, name := range names {
			if m.name != name {
				continue
			}
			if found[name] != nil {
				return nil, errOracle
			}
			found[name] = m.value
		}
	}
	return found, nil
}

func isNull(raw json.RawMessage) bool { return raw == nil || string(raw) == "null" }

func oracleText(raw json.RawMessage, into *string) error {
	if raw == nil {
		return nil
	}
	if isNull(raw) {
		return errOracle
	}
	return json.Unmarshal(raw, into)
}

func oracleTexts(raw json.RawMessage) ([]string, error) {
	if isNull(raw) {
		return nil, nil
	}
	var pointers []*string
	if err := json.Unmarshal(raw, &pointers); err != nil {
		return nil, err
	}
	texts := []string{}
	for _, p := range pointers {
		if p == nil {
			return nil, errOracle
		}
		texts = append(texts, *p)
	}
	return texts, nil
}

func oracleFilters(raw json.RawMessage) (filters []ports.Filter, err error) {
	if isNull(raw) {
		return nil, nil
	}
	list, err := membersOf(raw)
	if err != nil {
		return nil, err
	}
	for _, m := range list {
		f, wrong := oracleFilter(m)
		if wrong != nil && !errors.Is(wrong, errBound) {
			return nil, wrong
		}
		err = errors.Join(err, wrong)
		filters = append(filters, f)
	}
	return filters, err
}

func oracleFilter(m oracleMember) (f ports.Filter, err error) {
	f.Column = m.name
	switch m.value[0] {
	case '{':
		ends, err := fieldsOf(m.value, "from", "to")
		if err != nil {
			return f, err
		}
		err = errors.Join(oracleBound(ends["from"], &f.From), oracleBound(ends["to"], &f.To))
		if err == nil && f.From == "" && f.To == "" {
			err = errOracle
		}
		if err == nil {
			err = oracleBounds(m.value)
		}
		return f, err
	case '[':
		var values []json.RawMessage
		if err := json.Unmarshal(m.value, &values); err != nil || len(values) == 0 {
			return f, errOracle
		}
		f.OneOf = make([]string, len(values))
		for i, value := range values {
			if err := oracleScalar(value, &f.OneOf[i]); err != nil {
				return f, err
			}
		}
		return f, nil
	default:
		f.OneOf = make([]string, 1)
		return f, oracleScalar(m.value, &f.OneOf[0])
	}
}

// oracleBounds rejects members other than from and to.
func oracleBounds(raw []byte) error {
	var bounds map[string]json.RawMessage
	if err := json.Unmarshal(raw, &bounds); err != nil {
		return err
	}
	delete(bounds, "from")
	delete(bounds, "to")
	if len(bounds) > 0 {
		return errBound
	}
	return nil
}

func oracleBound(raw json.RawMessage, into *string) error {
	if isNull(raw) {
		return nil
	}
	if raw[0] == 't' || raw[0] == 'f' {
		return errOracle
	}
	return oracleScalar(raw, into)
}

func oracleScalar(raw json.RawMessage, into *string) error {
	switch raw[0] {
	case '"':
		return json.Unmarshal(raw, into)
	case '{', '[', 'n':
		return errOracle
	default:
		*into = string(raw)
		return nil
	}
}
