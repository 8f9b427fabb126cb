package webhook

import (
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"strings"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/corridor-go/corridor/errcodes"
)

// The bounds of a [Secret] in bytes, those of Standard Webhooks, and the size of
// a new one.
const (
	MinSecret = 24
	MaxSecret = 64
	newSecret = 32
)

const (
	secretPrefix = "whsec_"
	masked       = "webhook secret"
)

// Secret is what sender and receiver share. Use one for each receiver. In logs,
// formatted text and JSON nothing of it shows; only [Secret.Reveal] gives it.
// [NewSecret] and [ParseSecrets] make one; the zero Secret is none.
type Secret struct {
	kept func() kept // fmt cannot look into a function, not even in another's private field
}

type kept struct {
	key  []byte
	hook *standardwebhooks.Webhook
}

// NewSecret makes a secret of 32 bytes from random: crypto/rand's Reader. When
// that fails the error is [errcodes.Internal].
func NewSecret(random io.Reader) (Secret, error) {
	key := make([]byte, newSecret)
	if _, err := io.ReadFull(random, key); err != nil {
		return Secret{}, errcodes.Wrap(errcodes.Internal, "", fmt.Errorf("read chance for a secret: %w", err))
	}
	return secretOf(key)
}

// secretOf leaves errors to callers that know which secret it is.
func secretOf(key []byte) (Secret, error) {
	if len(key) < MinSecret || len(key) > MaxSecret {
		return Secret{}, errcodes.New(errcodes.Configuration, fmt.Sprintf("a webhook secret has %d to %d bytes", MinSecret, MaxSecret))
	}
	hook, err := standardwebhooks.NewWebhookRaw(key)
	if err != nil {
		return Secret{}, errcodes.New(errcodes.Configuration, "a webhook secret cannot be used")
	}
	k := kept{key: key, hook: hook}
	return Secret{func() kept { return k }}, nil
}

// ParseSecrets reads secrets written as whsec_base64,whsec_base64 (RFC 4648, 4;
// padding may be left out), each of [MinSecret] to [MaxSecret] bytes. Blanks
// around one are passed over. Text that is no such list, or names a secret
// twice, is [errcodes.Configuration]: the error tells which of the list is
// wrong, and nothing of its text.
func ParseSecrets(text string) ([]Secret, error) {
	if strings.TrimSpace(text) == "" {
		return nil, errcodes.New(errcodes.Configuration, "there is no webhook secret: write whsec_…, in base64")
	}
	var secrets []Secret
	for entry := range strings.SplitSeq(text, ",") {
		encoded, found := strings.CutPrefix(strings.TrimSpace(entry), secretPrefix)
		if !found {
			return nil, badSecret(len(secrets), "begins with "+secretPrefix)
		}
		key, err := decode(encoded)
		if err != nil {
			return nil, badSecret(len(secrets), "is written in base64")
		}
		secret, err := secretOf(key)
		if err != nil {
			return nil, badSecret(len(secrets), fmt.Sprintf("has %d to %d bytes", MinSecret, MaxSecret))
		}
		secrets = append(secrets, secret)
	}
	if err := check(secrets); err != nil {
		return nil, err
	}
	return secrets, nil
}

// decode is strict about what other readers of base64 pass over or read
// otherwise: line breaks, and bits beyond the last byte.
func decode(encoded string) ([]byte, error) {
	if strings.ContainsAny(encoded, "\r\n") {
		return nil, base64.CorruptInputError(0)
	}
	if strings.HasSuffix(encoded, "=") {
		return base64.StdEncoding.Strict().DecodeString(encoded)
	}
	return base64.RawStdEncoding.Strict().DecodeString(encoded)
}

// check refuses secrets that are none, or not told apart.
func check(secrets []Secret) error {
	if len(secrets) == 0 {
		return errcodes.New(errcodes.Configuration, "at least one webhook secret is required")
	}
	seen := map[string]bool{}
	for i, s := range secrets {
		switch {
		case s.kept == nil:
			return badSecret(i, "comes from NewSecret or ParseSecrets")
		case seen[string(s.kept().key)]:
			return badSecret(i, "is another one")
		}
		seen[string(s.kept().key)] = true
	}
	return nil
}

// badSecret says what must be true of the secret.
func badSecret(index int, must string) error {
	return errcodes.New(errcodes.Configuration, fmt.Sprintf("webhook secret %d is wrong: each %s", index+1, must))
}

// Reveal returns the secret as [ParseSecrets] reads it, to hand to the receiver;
// "" for the zero Secret.
func (s Secret) Reveal() string {
	if s.kept == nil {
		return ""
	}
	return secretPrefix + base64.StdEncoding.EncodeToString(s.kept().key)
}

// String shows that this is a secret, and nothing of it.
func (s Secret) String() string { return masked }

// GoString is like String.
func (s Secret) GoString() string { return masked }

// Format is like String, for every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, masked) }

// LogValue is like String.
func (s Secret) LogValue() slog.Value { return slog.StringValue(masked) }

// MarshalText is like String.
func (s Secret) MarshalText() ([]byte, error) { return []byte(masked), nil }
