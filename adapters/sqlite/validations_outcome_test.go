package sqlite_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// TestFailedCommitOfAValidation saves a new validation, a change and an end. The result
// must be true wherever the outcome can be read.
func TestFailedCommitOfAValidation(t *testing.T) {
	disk := &broken{}
	store := open(t, migrated(t), &sqlite.Config{Faults: disk.fault})
	for name, c := range failedCommits {
		t.Run(name, func(t *testing.T) {
			wipe(t, store)
			disk.points = c.points
			saved := mustValidate(t, store, pending("acme", "saved"))
			unsealed := mustValidate(t, store, pending("acme", "unsealed"))
			unsealed.Sealed = ports.Sealed{}
			next := saved
			next.Sealed.Data = []byte("another")
			for _, r := range []ports.ValidationRecord{
				pending("acme", "new"), ended(pending("acme", "new and ended"), ports.StatusNotFound), unsealed,
				next, ended(saved, ports.StatusError),
			} {
				r.CreatedAt = r.CreatedAt.Add(1234) // below the millisecond
				if r.Version != 0 {
					saved, err := store.Validations().Validation(t.Context(), "acme", r.ID)
					require.NoError(t, err)
					r.Version = saved.Version
				}
				disk.armed = true
				err := store.Validations().Save(t.Context(), ports.ValidationChange{Record: r})
				disk.armed = false
				requireCode(t, c.code, err)
				r.CreatedAt = epoch
				got, _ := store.Validations().Validation(t.Context(), "acme", r.ID)
				r.Version++
				require.Equal(t, c.stored, got.Version == r.Version && got.Status == r.Status, "%v", r.ID)
			}
		})
	}
}

// Another process writes before the outcome is read.
func TestFailedCommitOfAValidationWhileAnotherProcessWrites(t *testing.T) {
	type records = []ports.ValidationRecord
	mine := ended(pending("acme", "v"), ports.StatusVerified)
	mine.Version = 1
	still := pending("acme", "v")
	still.Version, still.Sealed.Data = 1, []byte("mine")
	bare := mine
	bare.Sealed = ports.Sealed{}
	theirs := func(version int64) ports.ValidationRecord {
		r := pending("acme", "v")
		r.Version, r.Sealed.Data = version, []byte("theirs")
		return r
	}
	lost, acked := sqlite.BeforeCommit, sqlite.AfterCommit
	disk := &broken{}
	store, other := overtaken(t, disk)
	for name, c := range map[string]struct {
		point  string
		record ports.ValidationRecord
		event  bool
		theirs records
		code   errcodes.Code
	}{
		"they took the version":                 {lost, mine, true, records{theirs(1)}, errcodes.StorageUnavailable},
		"they saved after the old version":      {lost, mine, true, records{theirs(1), theirs(2)}, errcodes.StorageUnavailable},
		"they saved after mine":                 {acked, still, true, records{theirs(2)}, ""},
		"they saved next, no event":             {acked, still, false, records{theirs(2)}, errcodes.OutcomeUnknown},
		"they saved twice, mine is lost":        {lost, still, true, records{theirs(1), theirs(2)}, errcodes.OutcomeUnknown},
		"they wrote the same, unsealed":         {lost, bare, true, records{bare}, errcodes.OutcomeUnknown},
		"mine is unsealed, its event is stored": {acked, bare, true, nil, ""},
		"mine is unsealed, without events":      {acked, bare, false, nil, ""},
		"no other write":                        {lost, mine, true, nil, errcodes.StorageUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			disk.armed = false
			wipe(t, store)
			disk.points, disk.readBack = []string{c.point}, func() {
				for _, r := range c.theirs {
					mustValidate(t, other, r)
				}
			}
			mustValidate(t, store, pending("acme", "v"))
			change := ports.ValidationChange{Record: c.record}
			if c.event {
				change = changeOf(c.record)
			}
			disk.armed = true
			requireCode(t, c.code, store.Validations().Save(t.Context(), change))
		})
	}
}

// Only the sealed bytes show the outcome.
func TestFailedCommitOfAValidationWhoseEventIsDelivered(t *testing.T) {
	disk := &broken{points: []string{sqlite.AfterCommit}}
	store, other := overtaken(t, disk)
	disk.readBack = func() {
		for _, e := range claimAll(t, other) {
			require.NoError(t, other.Outbox().Ack(t.Context(), e))
		}
	}
	disk.armed = true
	require.NoError(t, store.Validations().Save(t.Context(), changeOf(ended(pending("acme", "v"), ports.StatusVerified))))
	require.Empty(t, claimAll(t, other))
}

// Secret must not return a secret that is not stored.
func TestFailedCommitOfASecret(t *testing.T) {
	fresh, later := []byte(strings.Repeat("a", 16)), []byte(strings.Repeat("b", 1024))
	for point, code := range map[string]errcodes.Code{sqlite.BeforeCommit: errcodes.StorageUnavailable, sqlite.AfterCommit: ""} {
		t.Run(point, func(t *testing.T) {
			disk := &broken{points: []string{point}}
			store := open(t, migrated(t), &sqlite.Config{Faults: disk.fault})
			disk.armed = true
			got, err := store.Secrets().Secret(t.Context(), "cursor", fresh)
			disk.armed = false
			requireCode(t, code, err)
			want := fresh
			if err != nil {
				require.Nil(t, got)
				want = later
			}
			got, err = store.Secrets().Secret(t.Context(), "cursor", later)
			require.NoError(t, err)
			require.Equal(t, want, got)
		})
	}
}

// These writes are not read back, and may be repeated.
func TestOtherWritesOfValidationsWithAFailedCommit(t *testing.T) {
	disk := &broken{points: []string{sqlite.AfterCommit}}
	store := open(t, migrated(t), &sqlite.Config{Faults: disk.fault})
	key := [32]byte{1}
	claim := func() (bool, error) { return store.Answers().Claim(t.Context(), key, "h", epoch, epoch.Add(1e9)) }
	disk.armed = true
	won, err := claim()
	requireCode(t, errcodes.OutcomeUnknown, err)
	require.False(t, won)
	requireCode(t, errcodes.OutcomeUnknown, store.Answers().PutAnswer(t.Context(), ports.CachedAnswer{Key: key}))
	requireCode(t, errcodes.OutcomeUnknown, store.Answers().Release(t.Context(), [32]byte{2}, "h"))
	disk.armed = false
	won, err = claim()
	require.NoError(t, err)
	require.True(t, won, "a holder may renew its claim")
}
