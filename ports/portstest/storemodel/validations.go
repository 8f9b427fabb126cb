package storemodel

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Validations compares the stores with the rules written down plainly over a map.
func Validations(t *testing.T, fresh Fresh) {
	t.Helper()
	rapid.Check(t, func(rt *rapid.T) {
		m := &validationsModel{stores: fresh(), records: map[string]ports.ValidationRecord{}}
		rt.Repeat(map[string]func(*rapid.T){
			"save": m.save, "purge": m.purge, "list": m.list, "": m.compare,
		})
		require.Equal(rt, m.events, eventIDs(rt, m.stores[0]))
	})
}

type validationsModel struct {
	stores  []Store
	records map[string]ports.ValidationRecord // by id
	saves   int
	events  []string // of the saves that are stored
}

func (m *validationsModel) any(t *rapid.T) ports.ValidationStore {
	return rapid.SampledFrom(m.stores).Draw(t, "store").Validations()
}

// save tries any change, most of them against the record as it is.
func (m *validationsModel) save(t *rapid.T) {
	m.saves++
	r := PendingValidation(fewOwners.Draw(t, "owner"), fewIDs.Draw(t, "id"))
	old, found := m.records[r.ID]
	r.Version = old.Version + rapid.SampledFrom([]int64{0, 0, 0, 0, 1, -1}).Draw(t, "off")
	if status := rapid.SampledFrom(append(Ends, ports.StatusPending, ports.StatusPending)).Draw(t, "status"); status != ports.StatusPending {
		r = EndedValidation(r, status)
	}
	r.Deadline, r.PurgeAt = fewTimes.Draw(t, "deadline"), fewTimes.Draw(t, "purge at")
	r.Sealed.Data = []byte(strconv.Itoa(m.saves))
	e := ports.Event{ID: strconv.Itoa(m.saves), Key: strconv.Itoa(m.saves), At: Epoch}

	want := errcodes.Conflict
	fresh := !found && r.Version == 0
	next := found && old.Owner == r.Owner && old.Version == r.Version && old.Status == ports.StatusPending
	if fresh || next {
		want = ""
	}
	err := m.any(t).Save(context.Background(), ports.ValidationChange{Record: r, Events: []ports.Event{e}})
	require.Equal(t, want, errcodes.Of(err), "%v", err)
	if err == nil {
		r.Version++
		m.records[r.ID] = r
		m.events = append(m.events, e.ID)
	}
}

func (m *validationsModel) purge(t *rapid.T) {
	before, n := fewTimes.Draw(t, "before"), rapid.IntRange(1, 3).Draw(t, "n")
	var gone []string
	for id, r := range m.records {
		if r.Status != ports.StatusPending && !r.PurgeAt.After(before) {
			gone = append(gone, id)
		}
	}
	got, err := m.any(t).PurgeValidations(context.Background(), before, n)
	require.NoError(t, err)
	require.Equal(t, min(n, len(gone)), got)
	for _, id := range gone { // which of them go first is the store's to choose
		_, err := m.stores[0].Validations().Validation(context.Background(), m.records[id].Owner, id)
		if errcodes.Of(err) == errcodes.NotFound {
			delete(m.records, id)
			got--
		}
	}
	require.Zero(t, got)
}

func (m *validationsModel) list(t *rapid.T) {
	by, limit := fewTimes.Draw(t, "by"), rapid.IntRange(1, 3).Draw(t, "limit")
	var want []ports.ValidationRecord
	for _, r := range m.records {
		if r.Status == ports.StatusPending && !r.Deadline.After(by) {
			want = append(want, r)
		}
	}
	slices.SortFunc(want, func(a, b ports.ValidationRecord) int {
		return cmp.Or(a.Deadline.Compare(b.Deadline), cmp.Compare(a.ID, b.ID))
	})
	store, after := m.any(t), ports.ValidationPos{}
	for {
		page, err := store.Overdue(context.Background(), by, after, limit)
		require.NoError(t, err)
		n := min(limit, len(want))
		require.Equal(t, append([]ports.ValidationRecord(nil), want[:n]...), page)
		if want = want[n:]; n < limit {
			return
		}
		after = ports.ValidationPos{Deadline: page[n-1].Deadline, ID: page[n-1].ID}
	}
}

func (m *validationsModel) compare(t *rapid.T) {
	owner, id := fewOwners.Draw(t, "reader"), fewIDs.Draw(t, "what")
	got, err := m.any(t).Validation(context.Background(), owner, id)
	want, found := m.records[id]
	if !found || want.Owner != owner {
		require.Equal(t, errcodes.NotFound, errcodes.Of(err), "%v", err)
		return
	}
	require.NoError(t, err)
	require.Equal(t, want, got)
}
