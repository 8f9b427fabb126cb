package storemodel

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// validation draws a record that the rules allow, of any texts and times.
func (a Any) validation(t *rapid.T, id string) ports.ValidationRecord {
	r := ports.ValidationRecord{
		ID: id, Owner: a.Bytes.Draw(t, "owner"), MerchantID: a.Bytes.Draw(t, "merchant"),
		Market:   ports.Market{Country: a.Text.Draw(t, "country"), Type: ports.AccountType(a.Text.Draw(t, "account type"))},
		BankCode: a.Text.Draw(t, "bank"), Status: ports.StatusPending, Provider: a.Text.Draw(t, "provider"),
		Tables: a.Text.Draw(t, "tables"), CreatedAt: a.Time.Draw(t, "created"), Deadline: a.Time.Draw(t, "deadline"),
		PurgeAt: a.Time.Draw(t, "purge at"),
		Sealed:  ports.Sealed{KeyID: a.Text.Draw(t, "key"), Data: anySealed.Draw(t, "sealed")},
	}
	if rapid.Bool().Draw(t, "pending") {
		return r
	}
	r.Status = rapid.SampledFrom(Ends).Draw(t, "status")
	r.Type, r.EndedAt, r.Cached = ports.InternalRules, a.Time.Draw(t, "ended"), rapid.Bool().Draw(t, "cached")
	r.Match = ports.NameMatch{Rule: a.Text.Draw(t, "rule"), Score: rapid.IntRange(0, 100).Draw(t, "score")}
	if rapid.Bool().Draw(t, "external") {
		r.Type, r.Outcome, r.ExpiresAt = ports.External, ports.Outcome(a.Text.Draw(t, "outcome")), a.Time.Draw(t, "expires")
	}
	return r
}

// ValidationsComeBackEqual saves any record, changes it to any other, and
// reads it back by each way there is.
func ValidationsComeBackEqual(t *testing.T, store Store, a Any) {
	t.Helper()
	taken := map[string]bool{"": true}
	rapid.Check(t, func(rt *rapid.T) {
		r := a.validation(rt, a.Bytes.Filter(func(id string) bool { return !taken[id] }).Draw(rt, "id"))
		taken[r.ID] = true
		require.NoError(rt, store.Validations().Save(t.Context(), ports.ValidationChange{Record: r}))
		r.Version = 1
		requireReadable(rt, store, r)
		if r.Status != ports.StatusPending {
			return
		}
		next := a.validation(rt, r.ID)
		next.Owner, next.Version = r.Owner, 1
		require.NoError(rt, store.Validations().Save(t.Context(), ports.ValidationChange{Record: next}))
		next.Version = 2
		requireReadable(rt, store, next)
	})
}

func requireReadable(t *rapid.T, store Store, want ports.ValidationRecord) {
	ctx := context.Background()
	got, err := store.Validations().Validation(ctx, want.Owner, want.ID)
	require.NoError(t, err)
	require.Equal(t, want, got)
	overdue, err := store.Validations().Overdue(ctx, want.Deadline, ports.ValidationPos{Deadline: want.Deadline.Add(-time.Millisecond)}, 10_000)
	require.NoError(t, err)
	listed := slices.ContainsFunc(overdue, func(r ports.ValidationRecord) bool { return r.ID == want.ID })
	require.Equal(t, want.Status == ports.StatusPending, listed)
	if listed {
		require.Contains(t, overdue, want)
	}
	_, err = store.Validations().Validation(ctx, want.Owner+"x", want.ID)
	require.Equal(t, errcodes.NotFound, errcodes.Of(err))
}
