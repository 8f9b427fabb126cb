package clientauth

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

const (
	secretPrefix = "cor_sk_"
	tokenPrefix  = "cor_at_"
	chanceBytes  = 32
	// tokenLen is the prefix and 32 bytes in base64url without padding.
	tokenLen = len(tokenPrefix) + (chanceBytes*8+5)/6
)

// Secret is the text of a client secret. Logs, formatted text and JSON show a mask;
// string(s) returns the text. Go ignores the mask in two places: an unexported field of
// a struct that fmt prints, and the keys of a map in JSON. Use it in neither.
type Secret string

const secretMask = secretPrefix + "…"

// String returns the mask.
func (Secret) String() string { return secretMask }

// Format writes the mask for every verb.
func (Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, secretMask) }

// LogValue returns the mask.
func (Secret) LogValue() slog.Value { return slog.StringValue(secretMask) }

// MarshalText returns the mask.
func (Secret) MarshalText() ([]byte, error) { return []byte(secretMask), nil }

// NewSecret returns a client secret of 256 bits from random, which is
// crypto/rand.Reader outside tests, and the hash to store. The secret is shown to the
// client once and stored nowhere. It returns [errcodes.Internal] if random fails.
func NewSecret(random io.Reader) (Secret, [32]byte, error) {
	text, err := chance(random, secretPrefix)
	if err != nil {
		return "", [32]byte{}, err
	}
	return Secret(text), HashSecret(text), nil
}

// HashSecret returns what a store keeps of a secret ([ports.ClientSecret]): the SHA-256
// of its bytes.
func HashSecret(secret string) [32]byte { return sha256.Sum256([]byte(secret)) }

func newToken(random io.Reader) (string, error) { return chance(random, tokenPrefix) }

// hashToken returns the token's hash; ok is false if text cannot be a token.
func hashToken(token string) (hash [32]byte, ok bool) {
	if len(token) != tokenLen || token[:len(tokenPrefix)] != tokenPrefix {
		return hash, false
	}
	var text [tokenLen]byte // stays on the stack, unlike []byte(token)
	copy(text[:], token)
	return sha256.Sum256(text[:]), true
}

func chance(random io.Reader, prefix string) (string, error) {
	var bits [chanceBytes]byte
	if _, err := io.ReadFull(random, bits[:]); err != nil {
		return "", errcodes.Wrap(errcodes.Internal, "", fmt.Errorf("read random bits: %w", err))
	}
	return prefix + base64.RawURLEncoding.EncodeToString(bits[:]), nil
}

// MaxSecrets is the most secrets that a client may have at once.
const MaxSecrets = 3

// MinSecretLength is the length of 128 random bits in base64, in bytes. A shorter secret
// could be guessed from its hash.
const MinSecretLength = 22

// matches reports whether secret is one of the client's secrets and in its window at
// now. It always makes the same comparisons, so its duration does not reveal which
// secrets exist.
func matches(c *ports.Client, secret string, now time.Time) bool {
	hash := HashSecret(secret)
	found := 0
	for i := range max(MaxSecrets, len(c.Secrets)) {
		var kept ports.ClientSecret // zero if the client has fewer: no known text hashes to zeros
		if i < len(c.Secrets) {
			kept = c.Secrets[i]
		}
		equal := subtle.ConstantTimeCompare(hash[:], kept.SHA256[:])
		found |= equal & open(&kept, now)
	}
	return found == 1
}

// openSecret returns the client's secret with the hash that is in its window at now. If
// there are several, it returns the one whose window ends last.
func openSecret(c *ports.Client, hash [32]byte, now time.Time) (found ports.ClientSecret, ok bool) {
	for _, s := range c.Secrets {
		if s.SHA256 != hash || open(&s, now) == 0 {
			continue
		}
		if !ok || s.NotAfter.IsZero() || !found.NotAfter.IsZero() && s.NotAfter.After(found.NotAfter) {
			found, ok = s, true
		}
	}
	return found, ok
}

// open returns 1 if the secret is in its window, NotBefore ≤ now < NotAfter, else 0.
func open(s *ports.ClientSecret, now time.Time) int {
	early := now.Before(s.NotBefore)
	late := !s.NotAfter.IsZero() && !now.Before(s.NotAfter)
	if early || late {
		return 0
	}
	return 1
}
