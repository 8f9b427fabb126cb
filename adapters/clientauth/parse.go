package clientauth

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/corridor-go/corridor/internal/localfile"
	"github.com/corridor-go/corridor/ports"
)

// parseFile parses a clients file and returns every mistake in it. It is strict, since a
// misspelled "disabled" would let a client in. Mistakes contain ids and the names of known
// fields, but nothing else from the file, which may contain a secret in place of a hash.
func parseFile(data []byte) (*Static, []error) {
	if err := localfile.Check(data); err != nil {
		return nil, []error{err}
	}
	var entries []json.RawMessage
	if !bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) || json.Unmarshal(data, &entries) != nil {
		return nil, []error{errors.New("the clients must be a list: [{\"id\": …}, …]")}
	}
	if len(entries) == 0 {
		return nil, []error{errors.New("the list has no client")}
	}
	s, mistakes := &Static{clients: make(map[string]ports.Client, len(entries))}, []error(nil)
	numbers := map[string]int{}
	for i, entry := range entries {
		c, wrong := parseClient(entry)
		if number, twice := numbers[c.ID]; twice {
			wrong = append(wrong, fmt.Errorf("its id is repeated, client %d has it too", number))
		} else if c.ID != "" {
			numbers[c.ID] = i + 1
		}
		s.clients[c.ID] = c
		mistakes = append(mistakes, within(place("client", i, c.ID), wrong)...)
	}
	return s, mistakes
}

// place returns the name of an entry of a list for mistakes, without an id that may be a
// secret in the wrong field.
func place(what string, index int, id string) string {
	if id == "" || strings.HasPrefix(id, secretPrefix) {
		return fmt.Sprintf("%s %d", what, index+1)
	}
	return fmt.Sprintf("%s %d (id %.100q)", what, index+1, id)
}

func within(place string, mistakes []error) []error {
	for i := range mistakes {
		mistakes[i] = fmt.Errorf("%s: %w", place, mistakes[i])
	}
	return mistakes
}

func parseClient(entry []byte) (ports.Client, []error) {
	var (
		c             ports.Client
		secrets       []json.RawMessage
		revokedBefore time.Time
	)
	wrong := decode(entry,
		field{"id", (*text)(&c.ID), "a text that is not empty", true},
		field{"secrets", &secrets, "a list of secrets", false},
		field{"merchants", &c.Merchants, "a list of texts", false},
		field{"disabled", &c.Disabled, "true or false", false},
		field{"revokedBefore", &revokedBefore, "an RFC 3339 time", false},
	)
	c.RevokedBefore = ports.Millis(revokedBefore)
	if len(secrets) > MaxSecrets {
		wrong = append(wrong, fmt.Errorf("%d secrets, want at most %d", len(secrets), MaxSecrets))
	}
	for i, entry := range secrets {
		secret, mistakes := parseSecret(entry)
		c.Secrets = append(c.Secrets, secret)
		wrong = append(wrong, within(place("secret", i, ""), mistakes)...)
	}
	return c, wrong
}

func parseSecret(entry []byte) (ports.ClientSecret, []error) {
	var (
		s                   ports.ClientSecret
		notBefore, notAfter time.Time
	)
	wrong := decode(entry,
		field{"sha256", (*digest)(&s.SHA256), "64 hex digits", true},
		field{"notBefore", &notBefore, "an RFC 3339 time", false},
		field{"notAfter", &notAfter, "an RFC 3339 time", false},
	)
	s.NotBefore, s.NotAfter = ports.Millis(notBefore), ports.Millis(notAfter)
	if !s.NotAfter.IsZero() && !s.NotBefore.Before(s.NotAfter) {
		wrong = append(wrong, errors.New("notBefore must be before notAfter"))
	}
	return s, wrong
}

// field is a field of an object in the clients file.
type field struct {
	name     string
	into     any
	want     string // for mistakes: "sha256 must be " + want
	required bool
}

// decode decodes the fields of a JSON object and returns the mistakes. Unlike
// encoding/json it rejects fields that are unknown, in another case or repeated. It does
// not quote an unknown field, which may be a secret.
func decode(object []byte, fields ...field) (wrong []error) {
	members, err := localfile.Members(object)
	if err != nil {
		return []error{errors.New("must be an object: {…}")}
	}
	seen := map[string]bool{}
	for i, m := range members {
		at := slices.IndexFunc(fields, func(f field) bool { return strings.EqualFold(f.name, m.Key) })
		switch {
		case at < 0:
			wrong = append(wrong, fmt.Errorf("field %d is unknown, the fields are %s", i+1, names(fields)))
		case fields[at].name != m.Key:
			wrong = append(wrong, fmt.Errorf("field %d must be written %s", i+1, fields[at].name))
		case seen[m.Key]:
			wrong = append(wrong, fmt.Errorf("%s is repeated", m.Key))
		case json.Unmarshal(m.Value, fields[at].into) != nil:
			wrong = append(wrong, fmt.Errorf("%s must be %s", m.Key, fields[at].want))
		}
		seen[m.Key] = true
	}
	for _, f := range fields {
		if f.required && !seen[f.name] {
			wrong = append(wrong, fmt.Errorf("%s is required", f.name))
		}
	}
	return wrong
}

func names(fields []field) string {
	all := make([]string, len(fields))
	for i, f := range fields {
		all[i] = f.name
	}
	return strings.Join(all, ", ")
}

// text is a JSON text that is not empty.
type text string

func (t *text) UnmarshalJSON(value []byte) error {
	var plain string
	if err := json.Unmarshal(value, &plain); err != nil || plain == "" {
		return errors.Join(err, errors.New("empty"))
	}
	*t = text(plain)
	return nil
}

// digest is a SHA-256 in hex.
type digest [32]byte

func (d *digest) UnmarshalJSON(value []byte) error {
	var digits string
	if err := json.Unmarshal(value, &digits); err != nil {
		return err
	}
	sum, err := hex.DecodeString(digits)
	if err != nil || len(sum) != len(d) {
		return errors.Join(err, errors.New("not 64 hex digits"))
	}
	copy(d[:], sum)
	return nil
}
