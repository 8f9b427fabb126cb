package wire_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/httpserver"
	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ratelock"
	"github.com/corridor-go/corridor/report"
	"github.com/corridor-go/corridor/validation"
)

// onFile is one server on SQLite.
var onFile = place{name: "one server on sqlite", servers: 1, open: func(t testing.TB, _ int) []records {
	t.Helper()
	store, err := sqlite.Open(t.Context(), t.TempDir()+"/corridor.db", nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return []records{store}
}}

// I39: the trail records who did what, when and from where.
func TestTheAuditTrailRecordsEveryChange(t *testing.T) {
	at(t, theAuditTrailRecordsEveryChange, onFile, shared)
}

func theAuditTrailRecordsEveryChange(t *testing.T, p place) {
	var store records
	open := p.open
	p.open = func(t testing.TB, servers int) []records {
		t.Helper()
		opened := open(t, servers)
		store = opened[0]
		return opened
	}
	h := newHouse(t, p, httpserver.Config{RemoteAddr: httpserver.ForwardedAddr("X-Real-Ip")})
	s := &story{house: h}
	s.token = s.logIn("acme")
	trail, err := store.AuditRows(t.Context(), 0, 100)
	require.NoError(t, err)
	last := trail[len(trail)-1]
	require.Equal(t, ports.AuditRow{Seq: last.Seq, At: last.At, Act: last.Act}, last, "a client that the test put")

	var want []ports.AuditRow
	did := func(w *httptest.ResponseRecorder, address, act, object string) {
		want = append(want, ports.AuditRow{
			At: h.clock.Now(), Actor: ports.Actor{Client: "acme", Address: address, Trace: w.Header().Get("x-trace-id")},
			Act: act, Owner: "acme", Object: object,
		})
	}
	w := s.create(usdzar)
	id := idOf(t, w)
	did(w, "192.0.2.1", ratelock.EventMinted, id)
	s.get("/v1/rate-locks/" + id)
	h.clock.Advance(time.Minute)
	w = s.do(post("/v1/rate-locks/"+id+"/cancel", s.token, "").with("X-Real-Ip", "198.51.100.7"))
	did(w, "198.51.100.7", ratelock.EventCancelled, id)
	s.do(post("/v1/rate-locks/"+id+"/cancel", s.token, "")) // changes nothing
	w = s.create(usdzar)
	id = idOf(t, w)
	did(w, "192.0.2.1", ratelock.EventMinted, id)
	for _, c := range []struct{ path, body, act string }{
		{"/accounts/validate", nuban, validation.EventEnded},
		{"/v1/reports/transactions", reportBody, report.EventCreated},
	} {
		w, made := s.do(post(c.path, s.token, c.body)), struct{ ID string }{}
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &made))
		did(w, "192.0.2.1", c.act, made.ID)
	}
	another := s.logIn("acme")
	hash := sha256.Sum256([]byte(another))
	w = s.do(post("/v1/auth/oauth2/revoke", "", `{"token":"`+another+`","client_id":"acme","client_secret":"s3cret"}`))
	did(w, "192.0.2.1", ports.ActTokenRevoked, hex.EncodeToString(hash[:]))
	_, err = h.next().payments.Open(t.Context(), "acme", authstate.Opening{ID: "tx_1", Direction: errcodes.Payin})
	require.NoError(t, err)
	want = append(want, ports.AuditRow{At: h.clock.Now(), Act: authstate.EventOpened, Owner: "acme", Object: "tx_1"}) // not over the wire
	h.clock.Advance(25 * time.Hour)
	require.NoError(t, h.next().locks.Tick(t.Context(), h.clock.Now()))
	want = append(want, ports.AuditRow{At: h.clock.Now(), Act: ratelock.EventExpired, Owner: "acme", Object: id}) // by the system

	trail, err = store.AuditRows(t.Context(), last.Seq, 100)
	require.NoError(t, err)
	for i := range trail {
		trail[i].Seq = 0
	}
	assert.Equal(t, want, trail)
}
