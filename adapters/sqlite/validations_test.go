package sqlite_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// pending makes a validation that was never saved.
func pending(owner, id string) ports.ValidationRecord {
	return ports.ValidationRecord{
		ID: id, Owner: owner, MerchantID: "m-1", Market: ports.Market{Country: "NGA", Type: ports.BankAccount},
		BankCode: "058", Status: ports.StatusPending, Provider: "paystack", Tables: "2026-11",
		CreatedAt: epoch, Deadline: epoch.Add(30 * time.Second), PurgeAt: epoch.AddDate(0, 0, 30),
		Sealed: ports.Sealed{KeyID: "k1", Data: []byte("sealed of " + id)},
	}
}

// ended makes r the end that a provider's answer gives it.
func ended(r ports.ValidationRecord, status ports.ValidationStatus) ports.ValidationRecord {
	r.Status, r.Type, r.Outcome, r.EndedAt = status, ports.External, ports.OutcomeFound, epoch.Add(time.Second)
	r.Match = ports.NameMatch{Rule: "tokens", Score: 91}
	r.ExpiresAt = epoch.AddDate(0, 0, 1)
	r.Sealed.Data = append(slices.Clone(r.Sealed.Data), " "+status...)
	return r
}

func validationEvent(r ports.ValidationRecord) ports.Event {
	return ports.Event{ID: "ev_" + r.ID + string(r.Status), Kind: "validation." + string(r.Status), Key: r.ID, Owner: r.Owner, At: epoch, Data: []byte("{}")}
}

func changeOf(r ports.ValidationRecord) ports.ValidationChange {
	return ports.ValidationChange{Record: r, Events: []ports.Event{validationEvent(r)}}
}

// mustValidate saves the record alone, and gives it as it is stored.
func mustValidate(tb testing.TB, store *sqlite.Store, r ports.ValidationRecord) ports.ValidationRecord {
	tb.Helper()
	require.NoError(tb, store.Validations().Save(tb.Context(), ports.ValidationChange{Record: r}))
	r.Version++
	return r
}

func requireValidation(tb testing.TB, store *sqlite.Store, want ports.ValidationRecord) {
	tb.Helper()
	got, err := store.Validations().Validation(tb.Context(), want.Owner, want.ID)
	require.NoError(tb, err)
	require.Equal(tb, want, got)
}

var statuses = []ports.ValidationStatus{ports.StatusVerified, ports.StatusNameMismatch, ports.StatusNotFound, ports.StatusError}

// anySealed is nil when there is nothing.
var anySealed = rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) []byte { return append([]byte(nil), b...) })

// anyRecord draws a record that the rules allow, of any texts and times.
func anyRecord(t *rapid.T, id string) ports.ValidationRecord {
	r := ports.ValidationRecord{
		ID: id, Owner: anyText.Draw(t, "owner"), MerchantID: anyText.Draw(t, "merchant"),
		Market:   ports.Market{Country: anyText.Draw(t, "country"), Type: ports.AccountType(anyText.Draw(t, "account type"))},
		BankCode: anyText.Draw(t, "bank"), Status: ports.StatusPending, Provider: anyText.Draw(t, "provider"),
		Tables: anyText.Draw(t, "tables"), CreatedAt: anyTime.Draw(t, "created"), Deadline: anyTime.Draw(t, "deadline"),
		PurgeAt: anyTime.Draw(t, "purge at"),
		Sealed:  ports.Sealed{KeyID: anyText.Draw(t, "key"), Data: anySealed.Draw(t, "sealed")},
	}
	if rapid.Bool().Draw(t, "pending") {
		return r
	}
	r.Status = rapid.SampledFrom(statuses).Draw(t, "status")
	r.Type, r.EndedAt, r.Cached = ports.InternalRules, anyTime.Draw(t, "ended"), rapid.Bool().Draw(t, "cached")
	r.Match = ports.NameMatch{Rule: anyText.Draw(t, "rule"), Score: rapid.IntRange(0, 100).Draw(t, "score")}
	if rapid.Bool().Draw(t, "external") {
		r.Type, r.Outcome, r.ExpiresAt = ports.External, ports.Outcome(anyText.Draw(t, "outcome")), anyTime.Draw(t, "expires")
	}
	return r
}

// TestValidationsComeBackEqual saves any record, changes it to any other, and
// reads it back by each way there is.
func TestValidationsComeBackEqual(t *testing.T) {
	store := open(t, file(t), nil)
	taken := map[string]bool{"": true}
	rapid.Check(t, func(rt *rapid.T) {
		r := anyRecord(rt, anyText.Filter(func(id string) bool { return !taken[id] }).Draw(rt, "id"))
		taken[r.ID] = true
		require.NoError(rt, store.Validations().Save(t.Context(), ports.ValidationChange{Record: r}))
		r.Version = 1
		requireRecord(rt, store, r)
		if r.Status != ports.StatusPending {
			return
		}
		next := anyRecord(rt, r.ID)
		next.Owner, next.Version = r.Owner, 1
		require.NoError(rt, store.Validations().Save(t.Context(), ports.ValidationChange{Record: next}))
		next.Version = 2
		requireRecord(rt, store, next)
	})
}

func requireRecord(t *rapid.T, store *sqlite.Store, want ports.ValidationRecord) {
	ctx := context.Background()
	got, err := store.Validations().Validation(ctx, want.Owner, want.ID)
	require.NoError(t, err)
	require.Equal(t, want, got)
	overdue, err := store.Validations().Overdue(ctx, want.Deadline, ports.ValidationPos{}, 10_000)
	require.NoError(t, err)
	listed := slices.ContainsFunc(overdue, func(r ports.ValidationRecord) bool { return r.ID == want.ID })
	require.Equal(t, want.Status == ports.StatusPending, listed)
	if listed {
		require.Contains(t, overdue, want)
	}
	_, err = store.Validations().Validation(ctx, want.Owner+"x", want.ID)
	require.Equal(t, errcodes.NotFound, errcodes.Of(err))
}

// TestTwoProcessesEndOneValidation lets two stores on one file end each of many
// validations, each otherwise: one end holds, and its event alone is there.
func TestTwoProcessesEndOneValidation(t *testing.T) {
	path := file(t)
	stores := []*sqlite.Store{open(t, path, nil), open(t, path, nil)}
	const n = 40
	var records []ports.ValidationRecord
	for i := range n {
		records = append(records, mustValidate(t, stores[i%2], pending("acme", string(rune('A'+i)))))
	}
	won := make([][n]bool, 4)
	var g errgroup.Group
	for i := range won {
		g.Go(func() error {
			for k, r := range records {
				err := stores[i%2].Validations().Save(t.Context(), changeOf(ended(r, statuses[i])))
				if won[i][k] = err == nil; err != nil && errcodes.Of(err) != errcodes.Conflict {
					return err
				}
			}
			return nil
		})
	}
	require.NoError(t, g.Wait())
	var want []string
	for k, r := range records {
		got, err := stores[0].Validations().Validation(t.Context(), "acme", r.ID)
		require.NoError(t, err)
		for i, status := range statuses {
			require.Equal(t, got.Status == status, won[i][k])
		}
		want = append(want, validationEvent(got).ID)
	}
	var events []string
	for _, e := range claimAll(t, stores[1]) {
		events = append(events, e.ID)
	}
	require.ElementsMatch(t, want, events)
}

// TestValidationsAtOnce is for the race detector: all methods share one file.
func TestValidationsAtOnce(t *testing.T) {
	store := open(t, file(t), nil)
	ctx := context.Background()
	var g errgroup.Group
	for i := range 4 {
		g.Go(func() error {
			key, holder := ports.AnswerKey{}, string(rune('a'+i))
			for n := range 10 {
				r := pending("acme", holder+string(rune('0'+n)))
				assert.NoError(t, store.Validations().Save(ctx, changeOf(r)))
				r.Version = 1
				assert.NoError(t, store.Validations().Save(ctx, changeOf(ended(r, ports.StatusVerified))))
				_, err := store.Validations().Overdue(ctx, epoch, ports.ValidationPos{}, 10)
				assert.NoError(t, err)
				if _, err := store.Answers().Claim(ctx, key, holder, epoch, epoch.Add(time.Minute)); err != nil {
					return err
				}
				assert.NoError(t, store.Answers().PutAnswer(ctx, ports.CachedAnswer{Key: key, Provider: holder}))
				_, err = store.Answers().Answer(ctx, key)
				assert.NoError(t, err)
				assert.NoError(t, store.Answers().Release(ctx, key, holder))
				if _, err := store.Validations().PurgeValidations(ctx, epoch, 10); err != nil {
					return err
				}
			}
			return nil
		})
	}
	require.NoError(t, g.Wait())
}
