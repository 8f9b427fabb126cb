package cmd

import (
	"net/http"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// If the price of the first feed is too old, the next feed is used.
func TestTheNextFeedReplacesAStaleOne(t *testing.T) {
	at(t, theNextFeedReplacesAStaleOne, inMemory, shared)
}

func theNextFeedReplacesAStaleOne(t *testing.T, store string) {
	dir := t.TempDir()
	old, live := filepath.Join(dir, "old.json"), filepath.Join(dir, "live.json")
	write(t, old, `{"rates":[{"base":"USD","quote":"ZAR","mid":"18.25","at":"2020-01-01T00:00:00Z"}]}`)
	write(t, live, `{"rates":[{"base":"USD","quote":"ZAR","mid":"19.25"}]}`)
	s := serveAcme(t, "--store", store, "--feed", "file:"+old+",file:"+live)
	status, body := s.lock("USD", "ZAR")
	require.Equal(t, http.StatusCreated, status)
	require.Equal(t, "19.25", body["midRate"])
}
