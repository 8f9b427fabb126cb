package wire_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/corridor-go/corridor/adapters/httpserver/wire"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// malformed contains bodies that every route rejects.
var malformed = map[string]string{
	"nothing":            "",
	"blanks":             " \n",
	"truncated":          `{"base":"USD","quote":"ZA`,
	"form-encoded":       "base=USD&quote=ZAR",
	"an array":           `[{"base":"USD","quote":"ZAR"}]`,
	"null":               "null",
	"a number":           "1",
	"a string":           `"base"`,
	"a second value":     `{"base":"USD","quote":"ZAR"} {}`,
	"trailing text":      `{"base":"USD","quote":"ZAR"}x`,
	"a trailing NUL":     "{\"base\":\"USD\",\"quote\":\"ZAR\"}\x00",
	"a NUL in a string":  "{\"base\":\"US\x00D\",\"quote\":\"ZAR\"}",
	"invalid UTF-8":      "{\"base\":\"US\xff\",\"quote\":\"ZAR\"}",
	"a byte order mark":  "\ufeff{\"base\":\"USD\",\"quote\":\"ZAR\"}",
	"a trailing comma":   `{"base":"USD","quote":"ZAR",}`,
	"single quotes":      `{'base':'USD'}`,
	"a depth of 100,000": `{"x":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`,
}

func TestMalformedBodies(t *testing.T) {
	for name, body := range malformed {
		t.Run(name, func(t *testing.T) {
			_, err := wire.DecodeLock([]byte(body))
			assert.Equal(t, errcodes.InvalidRequest, errcodes.Of(err))
			_, _, err = wire.DecodeToken([]byte(body))
			assert.Equal(t, errcodes.TokenInvalidBody, errcodes.Of(err))
			assert.Equal(t, "Invalid request body", errcodes.MessageOf(err))
		})
	}
}

func TestDecodeLock(t *testing.T) {
	usdzar := ports.Pair{Base: "USD", Quote: "ZAR"}
	for _, c := range []struct {
		name, body string
		want       ports.Pair
		field      string // the field for which the body is rejected
	}{
		{"both fields", `{"base":"USD","quote":"ZAR"}`, usdzar, ""},
		{"spaces everywhere", " {\n\t\"base\" : \"USD\" ,\r\n \"quote\":\"ZAR\" } \n", usdzar, ""},
		{"unknown fields of every type", `{"a":1,"b":[{"base":"X"},"]"],"c":{"quote":"}"},"base":"USD","d":null,"e":true,"quote":"ZAR","f":-1.5e3}`, usdzar, ""},
		{"escapes", `{"b\u0061se":"\u0055SD","quote":"Z\u0041R"}`, usdzar, ""},
		{"no base", `{"quote":"ZAR"}`, ports.Pair{Quote: "ZAR"}, ""},
		{"empty object", `{}`, ports.Pair{}, ""},
		{"names are case-sensitive", `{"BASE":"USD","Quote":"ZAR"}`, ports.Pair{}, ""},
		{"unknown fields may repeat", `{"x":1,"x":2,"base":"USD","quote":"ZAR"}`, usdzar, ""},
		{"a number for base", `{"base":840,"quote":"ZAR"}`, ports.Pair{}, "base"},
		{"null for quote", `{"base":"USD","quote":null}`, ports.Pair{}, "quote"},
		{"a list for quote", `{"base":"USD","quote":["ZAR"]}`, ports.Pair{}, "quote"},
		{"a repeated base", `{"base":"USD","quote":"ZAR","base":"EUR"}`, ports.Pair{}, "base"},
		{"a repeated base, once with an escape", `{"base":"USD","quote":"ZAR","b\u0061se":"EUR"}`, ports.Pair{}, "base"},
	} {
		t.Run(c.name, func(t *testing.T) {
			pair, err := wire.DecodeLock([]byte(c.body))
			assert.Equal(t, c.want, pair)
			if c.field == "" {
				assert.NoError(t, err)
				return
			}
			assert.Equal(t, errcodes.InvalidRequest, errcodes.Of(err))
			var d errcodes.FieldDetails
			assert.ErrorAs(t, err, &d)
			assert.Equal(t, c.field, d.Fields[0].Name)
		})
	}
}

func TestDecodeToken(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       errcodes.Code
	}{
		{"both fields", `{"client_id":"acme","client_secret":"s"}`, ""},
		{"grant_type is ignored", `{"grant_type":"x","client_id":"acme","client_secret":"s"}`, ""},
		{"no secret", `{"client_id":"acme"}`, errcodes.TokenMissingCredentials},
		{"empty id", `{"client_id":"","client_secret":"s"}`, errcodes.TokenMissingCredentials},
		{"empty object", `{}`, errcodes.TokenMissingCredentials},
		{"names in another case", `{"CLIENT_ID":"acme","client_secret":"s"}`, errcodes.TokenMissingCredentials},
		{"a number for the id", `{"client_id":7,"client_secret":"s"}`, errcodes.TokenInvalidBody},
		{"null for the secret", `{"client_id":"acme","client_secret":null}`, errcodes.TokenInvalidBody},
		{"the wrong type comes before the missing field", `{"client_id":7}`, errcodes.TokenInvalidBody},
		{"a repeated id", `{"client_id":"acme","client_id":"acme","client_secret":"s"}`, errcodes.TokenInvalidBody},
	} {
		t.Run(c.name, func(t *testing.T) {
			id, secret, err := wire.DecodeToken([]byte(c.body))
			assert.Equal(t, c.want, errcodes.Of(err))
			if c.want == "" {
				assert.Equal(t, [2]string{"acme", "s"}, [2]string{id, secret})
			}
		})
	}
}

func TestDecodeValidation(t *testing.T) {
	whole := wire.Validation{
		MerchantID: "m", Country: "NGA", AccountType: "bank_account", AccountIdentifier: "0690000032", BankCode: "044",
		AccountHolderName: "Ama",
	}
	bare := whole
	bare.BankCode, bare.AccountHolderName = "", ""
	for _, c := range []struct {
		name, body string
		want       wire.Validation
		field      string // the field for which the body is rejected
	}{
		{"all fields", `{"merchantId":"m","country":"NGA","accountType":"bank_account","accountIdentifier":"0690000032","bankCode":"044","accountHolderName":"Ama"}`, whole, ""},
		{"optional fields left out", `{"merchantId":"m","country":"NGA","accountType":"bank_account","accountIdentifier":"0690000032"}`, bare, ""},
		{"optional fields null", `{"merchantId":"m","country":"NGA","accountType":"bank_account","accountIdentifier":"0690000032","bankCode":null,"accountHolderName":null}`, bare, ""},
		{"a required field null", `{"merchantId":null}`, wire.Validation{}, "merchantId"},
		{"a number for the account", `{"accountIdentifier":690000032}`, wire.Validation{}, "accountIdentifier"},
		{"a number for the bank", `{"bankCode":44}`, wire.Validation{}, "bankCode"},
		{"a repeated null", `{"bankCode":null,"bankCode":null}`, wire.Validation{}, "bankCode"},
		{"empty object", `{}`, wire.Validation{}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := wire.DecodeValidation([]byte(c.body))
			assert.Equal(t, c.want, got)
			if c.field == "" {
				assert.NoError(t, err)
				return
			}
			assert.Equal(t, errcodes.InvalidRequest, errcodes.Of(err))
			var d errcodes.FieldDetails
			assert.ErrorAs(t, err, &d)
			assert.Equal(t, c.field, d.Fields[0].Name)
		})
	}
	for name, body := range malformed {
		_, err := wire.DecodeValidation([]byte(body))
		assert.Equal(t, errcodes.InvalidRequest, errcodes.Of(err), name)
	}
}

func FuzzLockBody(f *testing.F) {
	addMalformed(f)
	f.Add([]byte(`{"base":"USD","x":{"quote":[1,"\"]"]},"quote":"Z\u0041R"}`))
	f.Add([]byte(`{"base":"USD","base":"EUR"}`))
	f.Add([]byte(`{"BASE":"USD","quote":null}`))
	f.Add([]byte(`{"base":"USD","quote":"ZAR","x":1e1000}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		pair, err := wire.DecodeLock(body)
		values, ok := oracle(body, "base", "quote")
		if ok != (err == nil) {
			t.Fatalf("body %q: error %v, but encoding/json says %v", body, err, ok)
		}
		if ok && pair != (ports.Pair{Base: values[0], Quote: values[1]}) {
			t.Fatalf("body %q: got %v, encoding/json read %q", body, pair, values)
		}
		if err != nil && errcodes.StatusOf(err) != 400 {
			t.Fatalf("body %q: %v is not a 400", body, err)
		}
	})
}

func FuzzTokenBody(f *testing.F) {
	addMalformed(f)
	f.Add([]byte(`{"client_id":"acme","client_secret":"s\n"}`))
	f.Add([]byte(`{"client_id":"","client_secret":null}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		id, secret, err := wire.DecodeToken(body)
		values, ok := oracle(body, "client_id", "client_secret")
		want := errcodes.Code("")
		switch {
		case !ok:
			want = errcodes.TokenInvalidBody
		case values[0] == "" || values[1] == "":
			want = errcodes.TokenMissingCredentials
		}
		if errcodes.Of(err) != want {
			t.Fatalf("body %q: got %v, want %q", body, err, want)
		}
		if err == nil && (id != values[0] || secret != values[1]) {
			t.Fatalf("body %q: got %q and %q, encoding/json read %q", body, id, secret, values)
		}
	})
}

// addMalformed skips bodies that are too long to be mutated.
func addMalformed(f *testing.F) {
	for _, body := range malformed {
		if len(body) < 1000 {
			f.Add([]byte(body))
		}
	}
}

// oracle reads the two members with encoding/json's tokens; ok reports whether the body
// is acceptable.
func oracle(body []byte, names ...string) (values [2]string, ok bool) {
	if !utf8.Valid(body) || !json.Valid(body) {
		return values, false
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber() // 1e1000 is valid JSON, but not a float64
	if first, err := d.Token(); err != nil || first != json.Delim('{') {
		return values, false
	}
	seen := map[string]bool{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return values, false
		}
		var value any
		if err := d.Decode(&value); err != nil {
			return values, false
		}
		for i := range names {
			if name != names[i] {
				continue
			}
			text, isString := value.(string)
			if !isString || seen[names[i]] {
				return values, false
			}
			seen[names[i]], values[i] = true, text
		}
	}
	if _, err := d.Token(); err != nil {
		return values, false
	}
	_, err := d.Token()
	return values, errors.Is(err, io.EOF)
}
