package webhook_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/webhook"
	"github.com/corridor-go/corridor/errcodes"
)

// written returns the text of a secret of n bytes.
func written(n int) string {
	return "whsec_" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{0xa5}, n))
}

func TestParseSecrets(t *testing.T) {
	for _, c := range []struct {
		name, text string
		count      int // 0 means rejected
		told       string
	}{
		{"one", written(32), 1, ""},
		{"the shortest", written(24), 1, ""},
		{"the longest", written(64), 1, ""},
		{"two", written(32) + "," + written(33), 2, ""},
		{"surrounding spaces", " " + written(32) + " ,\n" + written(33) + "\n", 2, ""},
		{"no padding", strings.TrimRight(written(32), "="), 1, ""},
		{"nothing", " ", 0, "no webhook secret"},
		{"too short", written(23), 0, "secret 1"},
		{"too long", written(65), 0, "secret 1"},
		{"no prefix", written(32)[6:], 0, "whsec_"},
		{"another prefix", "whsk_" + written(32)[6:], 0, "whsec_"},
		{"a prefix in capital letters", "WHSEC_" + written(32)[6:], 0, "whsec_"},
		{"a trailing comma", written(32) + ",", 0, "secret 2"},
		{"a line break within", written(32)[:20] + "\n" + written(32)[20:], 0, "base64"},
		{"base64 for URLs", "whsec_" + strings.Repeat("-_-_", 8), 0, "base64"},
		{"bits after the last byte, without padding", strings.TrimRight(written(32), "=")[:48] + "B", 0, "base64"},
		{"bits after the last byte", strings.TrimRight(written(32), "=")[:48] + "B=", 0, "base64"},
		{"a repeated secret", written(32) + "," + strings.TrimRight(written(32), "="), 0, "secret 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			secrets, err := webhook.ParseSecrets(c.text)
			if c.count > 0 {
				require.NoError(t, err)
				require.Len(t, secrets, c.count)
				return
			}
			require.Nil(t, secrets)
			require.Equal(t, errcodes.Configuration, errcodes.Of(err))
			require.ErrorContains(t, err, c.told)
			require.NotContains(t, err.Error(), "paWl", "the error must not contain the text")
		})
	}
}

func TestANewSecretIsRandom(t *testing.T) {
	random := append(bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 32)...)
	source := bytes.NewReader(random)
	for _, part := range [][]byte{random[:32], random[32:]} {
		secret, err := webhook.NewSecret(iotest.OneByteReader(source))
		require.NoError(t, err)
		require.Equal(t, "whsec_"+base64.StdEncoding.EncodeToString(part), secret.Reveal())
	}
	for name, source := range map[string]*bytes.Reader{"none": bytes.NewReader(nil), "too little": bytes.NewReader(random[:31])} {
		_, err := webhook.NewSecret(source)
		require.Equal(t, errcodes.Internal, errcodes.Of(err), name)
	}
	_, err := webhook.NewSecret(iotest.ErrReader(errors.New("no random bytes")))
	require.Equal(t, errcodes.Internal, errcodes.Of(err))
	require.Empty(t, webhook.Secret{}.Reveal())
}

func TestARevealedSecretIsParsed(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		keys := rapid.SliceOfNDistinct(rapid.Custom(func(rt *rapid.T) string {
			return string(rapid.SliceOfN(rapid.Byte(), webhook.MinSecret, webhook.MaxSecret).Draw(rt, "key"))
		}), 1, 4, rapid.ID).Draw(rt, "keys")
		var texts []string
		for _, key := range keys {
			texts = append(texts, "whsec_"+base64.StdEncoding.EncodeToString([]byte(key)))
		}
		secrets, err := webhook.ParseSecrets(strings.Join(texts, ","))
		require.NoError(rt, err)
		for i, s := range secrets {
			require.Equal(rt, texts[i], s.Reveal())
		}
	})
}

// TestASecretIsNeverShown is I16.
func TestASecretIsNeverShown(t *testing.T) {
	text := written(32)
	secrets, err := webhook.ParseSecrets(text)
	require.NoError(t, err)
	var log bytes.Buffer
	holder := struct {
		Public  webhook.Secret
		private webhook.Secret
		list    []webhook.Secret
	}{secrets[0], secrets[0], secrets}
	sink := newSink(t, "https://shop.example/", nil)
	for _, logger := range []*slog.Logger{slog.New(slog.NewTextHandler(&log, nil)), slog.New(slog.NewJSONHandler(&log, nil))} {
		logger.Info("made", "secret", secrets[0], "secrets", secrets, "holder", holder, "sink", sink)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		fmt.Fprintf(&log, verb+"\n", secrets[0])
		fmt.Fprintf(&log, verb+"\n", secrets)
		fmt.Fprintf(&log, verb+"\n", holder)
		fmt.Fprintf(&log, verb+"\n", &holder)
	}
	encoded, err := json.Marshal(holder)
	require.NoError(t, err)
	log.Write(encoded)
	log.WriteString(secrets[0].String() + secrets[0].GoString())
	for _, shown := range []string{text[6:30], "a5a5a5", "165 165", "165,165", "0xa5, 0xa5", `\xa5`} {
		require.NotContains(t, log.String(), shown)
	}
	require.Contains(t, log.String(), "webhook secret")
}
