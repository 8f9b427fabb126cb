package cmd

import (
	"database/sql"
	"fmt"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestALockExpiresWithoutBeingRead(t *testing.T) {
	at(t, aLockExpiresWithoutBeingRead, inMemory, shared)
}

func aLockExpiresWithoutBeingRead(t *testing.T, store string) {
	s := serveAcme(t, "--sandbox", "--store", store, "--lock-validity", "1s", "--drift-every", "50ms")
	status, body := s.lock("USD", "ZAR")
	require.Equal(t, http.StatusCreated, status)
	s.eventually(func() bool { return s.metric(`corridor_events_total{kind="rate_lock.expired"}`) == 1 }, "no expiry")
	require.InDelta(t, 1, s.metric(`corridor_events_total{kind="rate_lock.minted"}`), 0)
	require.Positive(t, s.metric(`corridor_drift_looks_total{outcome="ok"}`))
	require.Zero(t, s.metric("corridor_background_failures_total"))
	_, body = s.do(http.MethodGet, "/v1/rate-locks/"+body["rateLockId"].(string), "")
	require.Equal(t, "expired", body["status"])
}

func TestADriftingMarketCancelsALock(t *testing.T) {
	at(t, aDriftingMarketCancelsALock, inMemory, shared)
}

func aDriftingMarketCancelsALock(t *testing.T, store string) {
	path := filepath.Join(t.TempDir(), "rates.json")
	market := func(mid, marker string) {
		write(t, path, fmt.Sprintf(`{"rates":[{"base":"USD","quote":"ZAR","mid":%q},{"base":"USD","quote":%q,"mid":"1"}]}`, mid, marker))
	}
	market("18.2500", "XOF")
	s := serveAcme(t, "--store", store, "--feed", "file:"+path, "--drift-every", "100ms", "--drift-tolerance-bps", "100")
	_, lock := s.lock("USD", "ZAR")
	read := func() {
		_, lock = s.do(http.MethodGet, "/v1/rate-locks/"+lock["rateLockId"].(string), "")
	}

	market("18.4325", "KES") // 100 bps are within the tolerance
	s.eventually(func() bool {
		status, _ := s.lock("USD", "KES")
		return status == http.StatusCreated
	}, "the file is not read again")
	const looks = `corridor_drift_looks_total{outcome="ok"}`
	before := s.metric(looks)
	s.eventually(func() bool { return s.metric(looks) >= before+8 }, "no four more ticks of two pairs")
	read()
	require.Equal(t, "active", lock["status"])

	market("18.4400", "KES") // 104 bps
	s.eventually(func() bool {
		read()
		return lock["status"] != "active"
	}, "not cancelled")
	require.Equal(t, "cancelled", lock["status"])
	require.Equal(t, "market_drift", lock["cancellationReason"])
	s.eventually(func() bool { return s.metric(`corridor_events_total{kind="rate_lock.cancelled"}`) == 1 }, "no event")
}

// Another machine, or this one before its clock went back, has written a book dated an
// hour from now.
func TestABookFromTheFutureIsUsable(t *testing.T) {
	path := emptyStore(t)
	s := serveAcme(t, "--sandbox", "--store", "sqlite:"+path)
	_, lock := s.lock("USD", "ZAR")
	require.Zero(t, s.stop())
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	_, err = db.Exec("UPDATE books SET high_water = high_water + ?", time.Hour.Milliseconds())
	require.NoError(t, err)
	require.NoError(t, db.Close())

	s = serveAcme(t, "--sandbox", "--store", "sqlite:"+path)
	var refusals []string
	for range 2 {
		status, body := s.send(http.MethodPost, "/v1/rate-locks", "application/json", `{"base":"USD","quote":"ZAR"}`)
		require.Equal(t, http.StatusServiceUnavailable, status)
		refusals = append(refusals, body)
	}
	require.Equal(t, refusals[0], refusals[1])
	require.InDelta(t, 2, s.metric("corridor_rate_lock_clock_behind_total"), 0)
	status, _ := s.lock("USD", "NGN")
	require.Equal(t, http.StatusCreated, status, "another book")
	status, read := s.do(http.MethodGet, "/v1/rate-locks/"+lock["rateLockId"].(string), "")
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, lock, read)
	require.Zero(t, s.stop())
	require.Equal(t, 2, storedLocks(t, path))
}
