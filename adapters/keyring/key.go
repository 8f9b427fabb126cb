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

// Key is a secret with an id, which is stored with sealed data. In logs, formatted text
// and JSON only the id shows, except in an unexported field of a struct that fmt
// prints: fmt ignores the mask there.
type Key struct {
	ID     string // 1 to [MaxIDLength] of a-z, 0-9, '-' and '_'
	Secret []byte // [SecretSize] random bytes, not all zero
}

// String returns "key " and the id.
func (k Key) String() string { return "key " + k.ID }

// Format writes String for every verb.
func (k Key) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, k.String()) }

// LogValue returns String.
func (k Key) LogValue() slog.Value { return slog.StringValue(k.String()) }

// MarshalText returns String.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Parse parses keys written as keyid:base64,keyid:base64. The secrets are in standard
// base64 (RFC 4648, 4), with or without padding; spaces around a key are ignored. It
// returns [errcodes.Configuration] if the text is not such a list, or if [New] would
// reject a key. The error contains the number of the key and nothing else of the text.
func Parse(text string) ([]Key, error) {
	if strings.TrimSpace(text) == "" {
		return nil, badConfig("no key: want keyid:base64,…")
	}
	var keys []Key
	for entry := range strings.SplitSeq(text, ",") {
		id, encoded, found := strings.Cut(strings.TrimSpace(entry), ":")
		if !found {
			return nil, badKey(len(keys), "must be written keyid:base64")
		}
		secret, err := decode(encoded)
		if err != nil {
			return nil, badKey(len(keys), "must have a secret in base64")
		}
		keys = append(keys, Key{ID: id, Secret: secret})
	}
	if err := check(keys); err != nil {
		return nil, err
	}
	return keys, nil
}

// decode rejects bits after the last byte that are not zero: they mean that the copied
// text lost its end.
func decode(encoded string) ([]byte, error) {
	if strings.HasSuffix(encoded, "=") {
		return base64.StdEncoding.Strict().DecodeString(encoded)
	}
	return base64.RawStdEncoding.Strict().DecodeString(encoded)
}

// check returns an error unless New accepts the keys.
func check(keys []Key) error {
	if len(keys) == 0 {
		return badConfig("no key: want at least one")
	}
	ids, secrets := map[string]bool{}, map[string]bool{}
	for i, k := range keys {
		switch {
		case !isID(k.ID):
			return badKey(i, fmt.Sprintf("must have an id of 1 to %d of a-z, 0-9, - and _", MaxIDLength))
		case len(k.Secret) != SecretSize:
			return badKey(i, fmt.Sprintf("must have a secret of %d bytes, not %d", SecretSize, len(k.Secret)))
		case string(k.Secret) == string(make([]byte, SecretSize)):
			return badKey(i, "must have a secret that is not all zero")
		case ids[k.ID]:
			return badKey(i, "must have an id that no other key has")
		case secrets[string(k.Secret)]:
			return badKey(i, "must have a secret that no other key has")
		}
		ids[k.ID], secrets[string(k.Secret)] = true, true
	}
	return nil
}

func isID(id string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789-_"
	return id != "" && len(id) <= MaxIDLength && strings.Trim(id, letters) == ""
}

// badKey returns an error without the key's text, which may be secret.
func badKey(index int, must string) error {
	return badConfig(fmt.Sprintf("key %d of the keyring %s", index+1, must))
}

func badConfig(message string) error { return errcodes.New(errcodes.Configuration, message) }
