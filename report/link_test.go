package report_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/report"
)

// linked returns a rig with a completed report and a token for it.
func linked(t *testing.T) (r *rig, id, token string) {
	t.Helper()
	r = newRig(t)
	id = r.create(asked()).ID
	require.NoError(t, r.tick())
	token, expires, err := r.service.LinkToken(t.Context(), owner, id)
	require.NoError(t, err)
	assert.Equal(t, noon.Add(15*time.Minute), expires)
	return r, id, token
}

func TestALinkOpensItsFileUntilItExpires(t *testing.T) {
	r, id, token := linked(t)
	for _, wait := range []time.Duration{0, 15*time.Minute - time.Millisecond} {
		r.clock.Set(noon.Add(wait))
		f, err := r.service.OpenLink(t.Context(), token)
		require.NoError(t, err)
		assert.Equal(t, "transactions-2026-11-20-2026-11-20.csv", f.Name)
		assert.Equal(t, "text/csv", f.ContentType)
		assert.Equal(t, owner, f.Owner)
		assert.Equal(t, noon, f.LinkedAt)
		require.NoError(t, f.Close())
	}
	r.clock.Set(noon.Add(15 * time.Minute))
	_, err := r.service.OpenLink(t.Context(), token)
	require.ErrorIs(t, err, errcodes.NotFound)
	next, _, err := r.service.LinkToken(t.Context(), owner, id)
	require.NoError(t, err)
	assert.NotEqual(t, token, next, "a new one at each call")
}

// The caller may wipe its key. Without a copy links would be signed with zeros.
func TestTheLinkKeyIsCopied(t *testing.T) {
	key := bytes.Repeat([]byte{7}, 32)
	r := newRig(t, func(c *report.Config) { c.LinkKey = key })
	j := r.create(asked())
	require.NoError(t, r.tick())
	before, _, err := r.service.LinkToken(t.Context(), owner, j.ID)
	require.NoError(t, err)
	clear(key)
	after, _, err := r.service.LinkToken(t.Context(), owner, j.ID)
	require.NoError(t, err)
	assert.Equal(t, before, after)
}

// Every token can be opened: it is long enough for every valid owner.
func TestALinkFitsTheLongestOwner(t *testing.T) {
	r := newRig(t)
	for length, taken := range map[int]bool{0: false, 1: true, report.MaxOwner: true, report.MaxOwner + 1: false, 70_000: false} {
		who := strings.Repeat("o", length)
		j, err := r.service.CreateTransactions(t.Context(), who, asked())
		if !taken {
			require.ErrorIs(t, err, errcodes.InvalidRequest, length)
			continue
		}
		require.NoError(t, err)
		require.NoError(t, r.tick())
		token, _, err := r.service.LinkToken(t.Context(), who, j.ID)
		require.NoError(t, err)
		f, err := r.service.OpenLink(t.Context(), token)
		require.NoError(t, err, length)
		require.NoError(t, f.Close())
	}
}

func TestAnAlteredLinkIsInvalid(t *testing.T) {
	r, _, token := linked(t)
	raw, err := base64.RawURLEncoding.DecodeString(token)
	require.NoError(t, err)
	for i := range raw {
		bent := append([]byte(nil), raw...)
		bent[i] ^= 1
		_, err := r.service.OpenLink(t.Context(), base64.RawURLEncoding.EncodeToString(bent))
		require.ErrorIs(t, err, errcodes.NotFound, "byte %d", i)
	}
	for name, token := range map[string]string{
		"empty": "", "cut": token[:len(token)-1], "longer": token + "A", "padded": token + "=", "no base64": "!!",
		"very long": strings.Repeat("A", 1<<20), "short": "AAAA",
	} {
		_, err := r.service.OpenLink(t.Context(), token)
		require.ErrorIs(t, err, errcodes.NotFound, name)
	}
}

// Other data signed with the same key are not tokens.
func TestASignatureForAnotherPurposeIsInvalid(t *testing.T) {
	r, _, token := linked(t)
	raw, err := base64.RawURLEncoding.DecodeString(token)
	require.NoError(t, err)
	raw = raw[:len(raw)-sha256.Size]
	for purpose, opens := range map[string]bool{"": false, "corridor report link 2": false, "corridor report link 1": true} {
		mac := hmac.New(sha256.New, r.config.LinkKey)
		mac.Write([]byte(purpose))
		mac.Write(raw)
		f, err := r.service.OpenLink(t.Context(), base64.RawURLEncoding.EncodeToString(mac.Sum(bytes.Clone(raw))))
		if opens {
			require.NoError(t, err)
			require.NoError(t, f.Close())
		} else {
			require.ErrorIs(t, err, errcodes.NotFound, purpose)
		}
	}
}

// Processes with the same key accept each other's links; other installations have other
// keys.
func TestLinksAreSharedWithTheKey(t *testing.T) {
	r, _, token := linked(t)
	f, err := r.another().OpenLink(t.Context(), token)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	r.config.LinkKey = []byte(strings.Repeat("x", 32))
	_, err = r.another().OpenLink(t.Context(), token)
	require.ErrorIs(t, err, errcodes.NotFound)
	r.config.LinkKey = nil
	_, err = r.another().OpenLink(t.Context(), token)
	require.ErrorIs(t, err, errcodes.NotFound)
}

func TestAReportThatHasNotCompletedHasNoLink(t *testing.T) {
	r := newRig(t)
	j := r.create(asked())
	_, _, err := r.service.LinkToken(t.Context(), owner, j.ID)
	require.ErrorIs(t, err, errcodes.Conflict)
}
