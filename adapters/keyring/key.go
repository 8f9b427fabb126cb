package keyring

import (
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/corridor-go/corridor/errcodes"
)

// The bounds of a [Key].
const (
	SecretSize  = 32
	MaxIDLength = 32
)

// Key is a secret and the name that sealed data know it by. In logs, formatted
// text and JSON it shows its name only; but fmt asks no type how it wants to be
// shown that stands in an unexported field of a struct: keep it out of those that
// are printed.
type Key struct {
	ID     string // 1 to [MaxIDLength] of a-z, 0-9, '-' and '_'
	Secret []byte // [SecretSize] bytes of chance, not all zero
}

// String returns the key's name.
func (k Key) String() string { return "key " + k.ID }

// Format writes the key's name for every verb.
func (k Key) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, k.String()) }

// LogValue returns the key's name.
func (k Key) LogValue() slog.Value { return slog.StringValue(k.String()) }

// MarshalText returns the key's name.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Parse reads keys written as keyid:base64,keyid:base64: the secrets in standard
// base64 (RFC 4648, 4), with or without padding. Blanks around a key are passed
// over. Text that is no such list, or holds keys that [New] would refuse, is
// [errcodes.Configuration]. The error tells which key of the list is wrong,
// and nothing of its text.
func Parse(text string) ([]Key, error) {
	if strings.TrimSpace(text) == "" {
		return nil, badConfig("there is no key: write keyid:base64,…")
	}
	var keys []Key
	for entry := range strings.SplitSeq(text, ",") {
		id, encoded, found := strings.Cut(strings.TrimSpace(entry), ":")
		if !found {
			return nil, badKey(len(keys), "is written keyid:base64")
		}
		secret, err := decode(encoded)
		if err != nil {
			return nil, badKey(len(keys), "has a secret in base64")
		}
		keys = append(keys, Key{ID: id, Secret: secret})
	}
	if err := check(keys); err != nil {
		return nil, err
	}
	return keys, nil
}

// decode is strict about the bits beyond the last byte, which a copy that lost
// its end would not have at zero.
func decode(encoded string) ([]byte, error) {
	if strings.HasSuffix(encoded, "=") {
		return base64.StdEncoding.Strict().DecodeString(encoded)
	}
	return base64.RawStdEncoding.Strict().DecodeString(encoded)
}

// check refuses keys that are none or not told apart.
func check(keys []Key) error {
	if len(keys) == 0 {
		return badConfig("there is no key: at least one must seal")
	}
	ids, secrets := map[string]bool{}, map[string]bool{}
	for i, k := range keys {
		switch {
		case !isID(k.ID):
			return badKey(i, fmt.Sprintf("has an id of 1 to %d of a-z, 0-9, - and _", MaxIDLength))
		case len(k.Secret) != SecretSize:
			return badKey(i, fmt.Sprintf("has a secret of %d bytes", SecretSize))
		case string(k.Secret) == string(make([]byte, SecretSize)):
			return badKey(i, "has a secret that is not all zero")
		case ids[k.ID]:
			return badKey(i, "has an id of its own")
		case secrets[string(k.Secret)]:
			return badKey(i, "has a secret of its own")
		}
		ids[k.ID], secrets[string(k.Secret)] = true, true
	}
	return nil
}

func isID(id string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789-_"
	return id != "" && len(id) <= MaxIDLength && strings.Trim(id, letters) == ""
}

// badKey says what must be true of the key; its text may be a secret.
func badKey(index int, must string) error {
	return badConfig(fmt.Sprintf("key %d of the keyring is wrong: each key %s", index+1, must))
}

func badConfig(message string) error { return errcodes.New(errcodes.Configuration, message) }
