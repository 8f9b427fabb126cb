package sqlite_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/storemodel"
)

// mustValidate saves the record without events and returns it as it is stored.
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

// Two stores on one file end each of many validations differently: one end succeeds, and
// only its event is stored.
func TestTwoProcessesEndOneValidation(t *testing.T) {
	stores := twoProcesses(t)
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
				err := stores[i%2].Validations().Save(t.Context(), changeOf(ended(r, storemodel.Ends[i])))
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
		for i, status := range storemodel.Ends {
			require.Equal(t, got.Status == status, won[i][k])
		}
		got.Version-- // as the save had it
		want = append(want, changeOf(got).Events[0].ID)
	}
	var events []string
	for _, e := range claimAll(t, stores[1]) {
		events = append(events, e.ID)
	}
	require.ElementsMatch(t, want, events)
}

// TestValidationsAtOnce is for the race detector: all methods share one file.
func TestValidationsAtOnce(t *testing.T) {
	store := open(t, migrated(t), nil)
	ctx := context.Background()
	var g errgroup.Group
	for i := range 4 {
		g.Go(func() error {
			key, holder := [32]byte{}, string(rune('a'+i))
			for n := range 10 {
				r := pending("acme", holder+string(rune('0'+n)))
				assert.NoError(t, store.Validations().Save(ctx, changeOf(r)))
				r.Version = 1
				assert.NoError(t, store.Validations().Save(ctx, changeOf(ended(r, ports.StatusVerified))))
				_, err := store.Validations().Overdue(ctx, epoch, ports.Pos{}, 10)
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
