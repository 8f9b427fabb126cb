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

// The bounds of a [Secret] in bytes, from Standard Webhooks, and the size of a new one.
const (
	MinSecret = 24
	MaxSecret = 64
	newSecret = 32
)

const (
	secretPrefix = "whsec_"
	masked       = "webhook secret"
)

// Secret is shared by the sender and one receiver; use another one for each receiver.
// Logs, formatted text and JSON show nothing of it; only [Secret.Reveal] returns its
// text. [NewSecret] and [ParseSecrets] return secrets; the zero Secret is invalid.
type Secret struct {
	kept func() kept // a func, since fmt cannot print its content, not even in an unexported field
}

type kept struct {
	key  []byte
	hook *standardwebhooks.Webhook
}

// NewSecret returns a secret of 32 bytes from random, usually crypto/rand.Reader. It
// returns [errcodes.Internal] if random fails.
func NewSecret(random io.Reader) (Secret, error) {
	key := make([]byte, newSecret)
	if _, err := io.ReadFull(random, key); err != nil {
		return Secret{}, errcodes.Wrap(errcodes.Internal, "", fmt.Errorf("read random bytes: %w", err))
	}
	return secretOf(key)
}

// secretOf returns an error without the number of the secret, which only callers know.
func secretOf(key []byte) (Secret, error) {
	if len(key) < MinSecret || len(key) > MaxSecret {
		return Secret{}, errcodes.New(errcodes.Configuration, fmt.Sprintf("a webhook secret must have %d to %d bytes, not %d", MinSecret, MaxSecret, len(key)))
	}
	hook, err := standardwebhooks.NewWebhookRaw(key)
	if err != nil {
		return Secret{}, errcodes.New(errcodes.Configuration, "a webhook secret is invalid")
	}
	k := kept{key: key, hook: hook}
	return Secret{func() kept { return k }}, nil
}

// ParseSecrets parses secrets written as whsec_base64,whsec_base64 (RFC 4648, 4;
// padding is optional), each of [MinSecret] to [MaxSecret] bytes; spaces around a
// secret are ignored. It returns [errcodes.Configuration] if the text is not such a
// list or repeats a secret. The error contains the number of the secret and
// nothing else of the text.
func ParseSecrets(text string) ([]Secret, error) {
	if strings.TrimSpace(text) == "" {
		return nil, errcodes.New(errcodes.Configuration, "no webhook secret: want whsec_… in base64")
	}
	var secrets []Secret
	for entry := range strings.SplitSeq(text, ",") {
		encoded, found := strings.CutPrefix(strings.TrimSpace(entry), secretPrefix)
		if !found {
			return nil, badSecret(len(secrets), "must begin with "+secretPrefix)
		}
		key, err := decode(encoded)
		if err != nil {
			return nil, badSecret(len(secrets), "must be in base64")
		}
		secret, err := secretOf(key)
		if err != nil {
			return nil, badSecret(len(secrets), fmt.Sprintf("must have %d to %d bytes, not %d", MinSecret, MaxSecret, len(key)))
		}
		secrets = append(secrets, secret)
	}
	if err := check(secrets); err != nil {
		return nil, err
	}
	return secrets, nil
}

// decode rejects what other parsers of base64 ignore or read differently: line breaks,
// and bits after the last byte.
func decode(encoded string) ([]byte, error) {
	if strings.ContainsAny(encoded, "\r\n") {
		return nil, base64.CorruptInputError(0)
	}
	if strings.HasSuffix(encoded, "=") {
		return base64.StdEncoding.Strict().DecodeString(encoded)
	}
	return base64.RawStdEncoding.Strict().DecodeString(encoded)
}

// check returns an error for an empty list, a zero secret and a repeated secret.
func check(secrets []Secret) error {
	if len(secrets) == 0 {
		return errcodes.New(errcodes.Configuration, "at least one webhook secret is required")
	}
	seen := map[string]bool{}
	for i, s := range secrets {
		switch {
		case s.kept == nil:
			return badSecret(i, "must be from NewSecret or ParseSecrets")
		case seen[string(s.kept().key)]:
			return badSecret(i, "is repeated")
		}
		seen[string(s.kept().key)] = true
	}
	return nil
}

// badSecret returns an error without the secret's text.
func badSecret(index int, must string) error {
	return errcodes.New(errcodes.Configuration, fmt.Sprintf("webhook secret %d %s", index+1, must))
}

// Reveal returns the secret in the form that [ParseSecrets] parses, for the receiver;
// "" for the zero Secret.
func (s Secret) Reveal() string {
	if s.kept == nil {
		return ""
	}
	return secretPrefix + base64.StdEncoding.EncodeToString(s.kept().key)
}

// String returns "webhook secret".
func (s Secret) String() string { return masked }

// GoString returns String.
func (s Secret) GoString() string { return masked }

// Format writes String for every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, masked) }

// LogValue returns String.
func (s Secret) LogValue() slog.Value { return slog.StringValue(masked) }

// MarshalText returns String.
func (s Secret) MarshalText() ([]byte, error) { return []byte(masked), nil }
