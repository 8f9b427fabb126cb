package validation_test

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation"
)

// Impossible records are rejected, whatever store they come from.
func TestCheckRecordRejectsImpossibleRecords(t *testing.T) {
	pending := ports.ValidationRecord{
		ID: "id", Owner: owner, Version: 1, Market: nigeria, Status: ports.StatusPending, Provider: "first",
		CreatedAt: noon, Deadline: noon.Add(time.Minute),
	}
	ended := pending
	ended.Status, ended.Type, ended.EndedAt = ports.StatusVerified, ports.External, noon
	require.NoError(t, validation.CheckRecord(&pending))
	require.NoError(t, validation.CheckRecord(&ended))
	for name, spoil := range map[string]func(p, e *ports.ValidationRecord){
		"no id":                      func(p, e *ports.ValidationRecord) { p.ID, e.ID = "", "" },
		"never saved":                func(p, e *ports.ValidationRecord) { p.Version, e.Version = 0, 0 },
		"no market":                  func(p, e *ports.ValidationRecord) { p.Market, e.Market = ports.Market{}, ports.Market{} },
		"never created":              func(p, e *ports.ValidationRecord) { p.CreatedAt, e.CreatedAt = time.Time{}, time.Time{} },
		"an unknown status":          func(p, e *ports.ValidationRecord) { p.Status, e.Status = "lost", "" },
		"an end that does not fit":   func(p, e *ports.ValidationRecord) { p.EndedAt, e.EndedAt = noon, time.Time{} },
		"a type that does not fit":   func(p, e *ports.ValidationRecord) { p.Type, e.Type = ports.External, "" },
		"pending without a deadline": func(p, e *ports.ValidationRecord) { p.Deadline = time.Time{}; e.ID = "" },
	} {
		p, e := pending, ended
		spoil(&p, &e)
		requireCode(t, errcodes.CorruptRecord, validation.CheckRecord(&p))
		requireCode(t, errcodes.CorruptRecord, validation.CheckRecord(&e))
		assert.NotEmpty(t, name)
	}
}

// I32: every change has its event, in order, without personal data.
func TestEvents(t *testing.T) { synctest.Test(t, events) }

func events(t *testing.T) {
	b := newBench(t, inMemory(t))
	b.first.Hold()
	b.second.Answer(found)
	v := b.pending(named("Kofi Boateng"))
	end := b.ended(v.ID, 20*time.Second)
	require.Equal(t, ports.StatusNameMismatch, end.Status)
	got := b.events()
	require.Len(t, got, 3)
	at := func(t time.Time) string { return t.Format(time.RFC3339Nano) }
	head := `{"validationId":"` + v.ID + `","owner":"acme","merchantId":"` + merchant + `","country":"NGA","accountType":"bank_account","bankCode":"044",`
	tail := `"tables":"` + v.Tables + `","createdAt":"` + at(v.CreatedAt) + `"`
	for i, want := range []ports.Event{
		{ID: v.ID, Kind: validation.EventPending, Data: []byte(head + `"status":"pending","provider":"first",` + tail + `}`)},
		{ID: v.ID + ".2", Kind: validation.EventAsked, Data: []byte(head + `"status":"pending","provider":"second",` + tail + `}`)},
		{ID: v.ID + ".3", Kind: validation.EventEnded, Data: []byte(head + `"status":"name_mismatch","provider":"second","validationType":"external",` +
			`"outcome":"found","cached":false,"nameRule":"` + end.NameRule + `","nameScore":` + strconv.Itoa(end.NameScore) + `,` + tail +
			`,"endedAt":"` + at(end.EndedAt) + `","expiresAt":"` + at(end.ExpiresAt) + `"}`)},
	} {
		assert.Equal(t, want.ID, got[i].ID)
		assert.Equal(t, want.Kind, got[i].Kind)
		assert.Equal(t, v.ID, got[i].Key)
		assert.Equal(t, owner, got[i].Owner)
		assert.JSONEq(t, string(want.Data), string(got[i].Data))
		assert.Equal(t, string(want.Data), string(got[i].Data))
	}
}

// Becoming pending and ending are actions of the client. A change of connector is not
// audited.
func TestTheAuditTrailContainsNoLookups(t *testing.T) {
	inWorld(t, func(w *world) {
		w.first.Hold()
		s := w.open(w.process(w.first, w.second))
		actor := ports.Actor{Client: "acme-api", Address: "192.0.2.1", Trace: "t-1"}
		v, err := s.Validate(ports.WithActor(w.Context(), actor), owner, request())
		require.NoError(w, err)
		pass(20 * time.Second)
		end := w.stored(v.ID)
		require.Equal(w, "second", end.Provider)
		trail, err := w.store.AuditRows(w.Context(), 0, ports.MaxPage)
		require.NoError(w, err)
		assert.Equal(w, []ports.AuditRow{
			{Seq: 1, At: v.CreatedAt.Add(validation.DefaultWindow), Actor: actor, Act: validation.EventPending, Owner: owner, Object: v.ID},
			{Seq: 2, At: end.EndedAt, Actor: actor, Act: validation.EventEnded, Owner: owner, Object: v.ID},
		}, trail)
	})
}
