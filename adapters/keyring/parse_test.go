package keyring_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/keyring"
	"github.com/corridor-go/corridor/errcodes"
)

func encoded(n int) string { return base64.StdEncoding.EncodeToString(keyOf(n).Secret) }

func TestParseReadsKeysInTheirOrder(t *testing.T) {
	bare := strings.TrimRight(encoded(2), "=")
	for name, text := range map[string]string{
		"padded and unpadded": "key-1:" + encoded(1) + ",key-2:" + bare,
		"with spaces between": " key-1:" + encoded(1) + " ,\n\tkey-2:" + bare + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			keys, err := keyring.Parse(text)
			require.NoError(t, err)
			require.Len(t, keys, 2)
			for i, k := range keys {
				require.Equal(t, keyOf(i+1).ID, k.ID)
				require.Equal(t, keyOf(i+1).Secret, k.Secret)
			}
		})
	}
}

func TestParseRejectsTextThatIsNotAListOfKeys(t *testing.T) {
	good := encoded(1)
	for name, text := range map[string]string{
		"nothing":                   "",
		"blanks":                    " \n",
		"a secret without an id":    good,
		"an empty id":               ":" + good,
		"an empty secret":           "key-1:",
		"id and secret swapped":     good + ":key-1",
		"a trailing comma":          "key-1:" + good + ",",
		"two commas":                "key-1:" + good + ",,key-2:" + encoded(2),
		"hexadecimal digits":        "key-1:" + strings.Repeat("0f", 32),
		"a secret of 31 bytes":      "key-1:" + base64.StdEncoding.EncodeToString(make([]byte, 31)),
		"a truncated secret":        "key-1:" + good[:42],
		"a secret padded too much":  "key-1:" + good + "=",
		"bits after the last byte":  "key-1:" + good[:42] + "F=",
		"letters of base64url":      "key-1:" + strings.Replace(base64.URLEncoding.EncodeToString([]byte(strings.Repeat("\xff", 32))), "=", "", 1),
		"a secret of zeros":         "key-1:" + base64.StdEncoding.EncodeToString(make([]byte, 32)),
		"a repeated id":             "key-1:" + good + ",key-1:" + encoded(2),
		"a repeated secret":         "key-1:" + good + ",key-2:" + good,
		"a space in the id":         "key 1:" + good,
		"a space before the secret": "key-1: " + good,
	} {
		t.Run(name, func(t *testing.T) {
			keys, err := keyring.Parse(text)
			require.Equal(t, errcodes.Configuration, errcodes.Of(err))
			require.Nil(t, keys)
			silent(t, err, text)
		})
	}
}

// silent checks that an error shows no part of text, which could be a secret.
func silent(tb testing.TB, err error, text string) {
	tb.Helper()
	const part = 8
	for i := 0; i+part <= len(text); i++ {
		if strings.Contains(err.Error(), text[i:i+part]) {
			tb.Fatalf("the error %q shows a part of the text", err)
		}
	}
}

func TestParseNamesTheWrongKey(t *testing.T) {
	_, err := keyring.Parse("key-1:" + encoded(1) + ",key-2:" + encoded(2) + ",key-3")
	require.ErrorContains(t, err, "key 3 ")
}

func write(keys []keyring.Key) string {
	var entries []string
	for _, k := range keys {
		entries = append(entries, k.ID+":"+base64.StdEncoding.EncodeToString(k.Secret))
	}
	return strings.Join(entries, ",")
}

func TestParseReadsWrittenKeys(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		keys := rapid.SliceOfNDistinct(rapid.Custom(func(rt *rapid.T) keyring.Key {
			return keyring.Key{
				ID:     rapid.StringMatching(`[a-z0-9_-]{1,32}`).Draw(rt, "id"),
				Secret: rapid.SliceOfN(rapid.ByteRange(1, 255), 32, 32).Draw(rt, "secret"),
			}
		}), 1, 5, func(k keyring.Key) string { return k.ID }).Draw(rt, "keys")
		secrets := map[string]bool{}
		for _, k := range keys {
			secrets[string(k.Secret)] = true
		}
		got, err := keyring.Parse(write(keys))
		if len(secrets) < len(keys) {
			require.ErrorIs(rt, err, errcodes.Configuration)
			return
		}
		require.NoError(rt, err)
		require.Equal(rt, keys, got)
	})
}

func FuzzParse(f *testing.F) {
	f.Add("key-1:" + encoded(1))
	f.Add(" key-1:" + encoded(1) + ",\nkey-2:" + strings.TrimRight(encoded(2), "="))
	f.Add(encoded(1) + ":key-1,,")
	f.Add("key-1:" + encoded(1) + ",key-1:" + encoded(2))
	f.Fuzz(func(t *testing.T, text string) {
		keys, err := keyring.Parse(text)
		_, newErr := keyring.New(keys, nil)
		if err != nil {
			require.Equal(t, errcodes.Configuration, errcodes.Of(err))
			require.Nil(t, keys)
			require.Error(t, newErr)
			return
		}
		require.NoError(t, newErr, "New rejects keys that Parse accepts")
		again, err := keyring.Parse(write(keys))
		require.NoError(t, err)
		require.Equal(t, keys, again)
	})
}
