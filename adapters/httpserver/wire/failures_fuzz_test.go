package wire_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/corridor-go/corridor/adapters/httpserver/wire"
	"github.com/corridor-go/corridor/errcodes"
)

func FuzzFailureLine(f *testing.F) {
	addMalformed(f)
	f.Add([]byte(`{"scheme":"stripe","direction":"payin","code":"51","message":"no funds","state":"failed"}`))
	f.Add([]byte("{\"code\":-0.5e+7 ,\"message\":\"\\n\xff\\ud83d\\ude00\\ud800\"}"))
	f.Add([]byte(`{"c\u006fde":null,"state":null,"x":[{"code":1}]}`))
	f.Add([]byte(`{"code":1,"code":2}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.Contains(bytes.ToLower(line), []byte(`\udb`)) || strings.ContainsFunc(string(line), isMark) {
			t.Skip("the line contains marks")
		}
		got, err := wire.DecodeFailure(line)
		want, ok := failureOracle(mark(line))
		if ok != (err == nil) {
			t.Fatalf("line %q: error %v, but encoding/json says %v", line, err, ok)
		}
		if got != want {
			t.Fatalf("line %q: got %q, encoding/json read %q", line, got, want)
		}
		if err != nil && errcodes.Of(err) != errcodes.InvalidRequest {
			t.Fatalf("line %q: %v is not an invalid request", line, err)
		}
	})
}

// Bytes that are not UTF-8 are replaced for encoding/json by the last characters of a
// private-use plane.
const firstMark = 0x10ff00

func isMark(r rune) bool { return r >= firstMark }

func mark(line []byte) []byte {
	var marked []byte
	for len(line) > 0 {
		r, n := utf8.DecodeRune(line)
		if r == utf8.RuneError && n == 1 {
			marked = utf8.AppendRune(marked, firstMark+rune(line[0]))
		} else {
			marked = append(marked, line[:n]...)
		}
		line = line[n:]
	}
	return marked
}

func unmark(s string) string {
	var b strings.Builder
	for _, r := range s {
		if isMark(r) {
			b.WriteByte(byte(r - firstMark))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// failureOracle reads the line with encoding/json's tokens; ok reports whether it is
// acceptable.
func failureOracle(line []byte) (f wire.Failure, ok bool) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if first, err := d.Token(); !json.Valid(line) || err != nil || first != json.Delim('{') {
		return wire.Failure{}, false
	}
	fields := map[any]*string{"scheme": &f.Scheme, "direction": &f.Direction, "code": &f.Code, "message": &f.Message, "state": &f.State}
	for d.More() {
		name, err := d.Token()
		var value any
		if err != nil || d.Decode(&value) != nil {
			return wire.Failure{}, false
		}
		into, known := fields[name]
		if !known {
			continue
		}
		if into == nil {
			return wire.Failure{}, false // a repeated field
		}
		fields[name] = nil
		switch v := value.(type) {
		case nil:
		case string:
			*into = unmark(v)
		case json.Number:
			if name != "code" {
				return wire.Failure{}, false
			}
			*into = v.String()
		default:
			return wire.Failure{}, false
		}
	}
	return f, true
}
