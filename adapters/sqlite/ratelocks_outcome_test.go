package sqlite_test

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/storemodel"
)

var errDisk = errors.New("the disk is broken")

// broken fails at the given points once it is armed.
type broken struct {
	armed    bool
	points   []string
	readBack func() // what another process does before the outcome is read, or nil
}

func (b *broken) fault(point string) error {
	if b.armed && point == sqlite.BeforeReadBack && b.readBack != nil {
		b.readBack()
	}
	for _, p := range b.points {
		if b.armed && p == point {
			return errDisk
		}
	}
	return nil
}

// failedCommits are the ways in which a COMMIT fails: at which points, which code the
// caller gets, and whether the change is stored.
var failedCommits = map[string]struct {
	points []string
	code   errcodes.Code
	stored bool
}{
	"the commit fails":                                    {[]string{sqlite.BeforeCommit}, errcodes.StorageUnavailable, false},
	"the acknowledgement is lost":                         {[]string{sqlite.AfterCommit}, "", true},
	"the commit fails and cannot be read back":            {[]string{sqlite.BeforeCommit, sqlite.BeforeReadBack}, errcodes.OutcomeUnknown, false},
	"the acknowledgement is lost and cannot be read back": {[]string{sqlite.AfterCommit, sqlite.BeforeReadBack}, errcodes.OutcomeUnknown, true},
}

// If COMMIT fails, Save reads back whether the change is stored. If it cannot, the
// outcome is unknown. The result is never wrong.
func TestFailedCommit(t *testing.T) {
	disk, path := &broken{}, migrated(t)
	store := open(t, path, &sqlite.Config{Faults: disk.fault})
	for name, c := range failedCommits {
		t.Run(name, func(t *testing.T) {
			wipe(t, store)
			disk.points = c.points
			mustMint(t, store, "acme", "rl_1", epoch)
			change := mint(bookOf(t, store, "acme"), activeLock("acme", "rl_2", epoch.Add(1e9)))

			disk.armed = true
			err := store.RateLocks().Save(t.Context(), change)
			disk.armed = false

			requireCode(t, c.code, err)
			if c.code != "" {
				require.ErrorIs(t, err, errDisk)
			}
			if c.stored {
				require.Len(t, claimAll(t, store), 2)
				l, b, err := store.RateLocks().Lock(t.Context(), "acme", "rl_2")
				require.NoError(t, err)
				require.Equal(t, *change.Minted, l)
				require.EqualValues(t, 2, b.Version)
			} else {
				if c.code == errcodes.StorageUnavailable {
					require.Zero(t, logSize(t, path), "the log contains nothing that recovery could restore")
				}
				requireAbsent(t, store, change)
				require.NoError(t, store.RateLocks().Save(t.Context(), change), "the next write")
			}
		})
	}
}

func logSize(tb testing.TB, path string) int64 {
	tb.Helper()
	info, err := os.Stat(path + "-wal")
	require.NoError(tb, err)
	return info.Size()
}

// There is no minted lock to look for, but an event.
func TestFailedCommitOfAnEnding(t *testing.T) {
	for point, code := range map[string]errcodes.Code{sqlite.BeforeCommit: errcodes.StorageUnavailable, sqlite.AfterCommit: ""} {
		t.Run(point, func(t *testing.T) {
			disk := &broken{points: []string{point}}
			store := open(t, migrated(t), &sqlite.Config{Faults: disk.fault})
			mustMint(t, store, "acme", "rl_1", epoch)
			change := expire(bookOf(t, store, "acme"))
			disk.armed = true
			requireCode(t, code, store.RateLocks().Save(t.Context(), change))
			disk.armed = false
			l, _, err := store.RateLocks().Lock(t.Context(), "acme", "rl_1")
			require.NoError(t, err)
			require.Equal(t, code == "", l.Status == ports.LockExpired)
		})
	}
}

// expire ends the oldest lock of the book.
func expire(b ports.Book) ports.RateLockChange {
	l := b.Slots[0]
	l.Status, l.EndedAt = ports.LockExpired, l.ExpiresAt
	copy(b.Slots[:], b.Slots[1:])
	b.Slots[len(b.Slots)-1] = ports.RateLock{}
	e := mintedEvent(l)
	e.ID, e.Kind = "ev_expired_"+l.ID, "rate_lock.expired"
	return ports.RateLockChange{Book: b, Ended: []ports.RateLock{l}, Events: []ports.Event{e}}
}

// overtaken returns a store on the broken disk, and another on the same file.
func overtaken(tb testing.TB, disk *broken) (store, other *sqlite.Store) {
	tb.Helper()
	path := migrated(tb)
	return open(tb, path, &sqlite.Config{Faults: disk.fault}), open(tb, path, nil)
}

// Another process takes the version in between, so only the change's own records show
// the outcome.
func TestFailedCommitWhileAnotherProcessWrites(t *testing.T) {
	disk := &broken{points: []string{sqlite.BeforeCommit}}
	store, other := overtaken(t, disk)
	change := mint(bookOf(t, store, "acme"), activeLock("acme", "rl_1", epoch))
	disk.armed, disk.readBack = true, func() { mustMint(t, other, "acme", "rl_2", epoch) }
	requireCode(t, errcodes.StorageUnavailable, store.RateLocks().Save(t.Context(), change))
	disk.armed = false
	_, _, err := store.RateLocks().Lock(t.Context(), "acme", "rl_1")
	requireCode(t, errcodes.NotFound, err)

	ending := expire(bookOf(t, store, "acme"))
	ending.Events = nil
	disk.armed, disk.readBack = true, func() { mustMint(t, other, "acme", "rl_3", epoch.Add(1e9)) }
	requireCode(t, errcodes.OutcomeUnknown, store.RateLocks().Save(t.Context(), ending))
}

// These writes are not read back, so their outcome is unknown.
func TestOtherWritesWithAFailedCommit(t *testing.T) {
	disk := &broken{points: []string{sqlite.AfterCommit}}
	store := open(t, migrated(t), &sqlite.Config{Faults: disk.fault})
	disk.armed = true
	requireCode(t, errcodes.OutcomeUnknown, store.Clients().PutClient(t.Context(), ports.Client{ID: "c"}, storemodel.AuditRow))
	requireCode(t, errcodes.OutcomeUnknown, store.Tokens().PutToken(t.Context(), ports.Token{ClientID: "c"}, 10))
	disk.armed = false
	require.NoError(t, store.Clients().PutClient(t.Context(), ports.Client{ID: "c"}, storemodel.AuditRow))
}

// The context ends just before the COMMIT, or just after it.
func TestContextEndsDuringSave(t *testing.T) {
	t.Run("after the commit has begun it is stored", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		store := open(t, migrated(t), &sqlite.Config{Faults: func(point string) error {
			if point == sqlite.BeforeCommit {
				cancel()
			}
			return nil
		}})
		change := mint(bookOf(t, store, "acme"), activeLock("acme", "rl_1", epoch))
		require.NoError(t, store.RateLocks().Save(ctx, change))
		require.EqualValues(t, 1, bookOf(t, store, "acme").Version)
	})
	t.Run("before the commit nothing is stored", func(t *testing.T) {
		store := open(t, migrated(t), nil)
		change := mint(bookOf(t, store, "acme"), activeLock("acme", "rl_1", epoch))
		ctx := &endsAt{Context: t.Context()}
		for ctx.at = 1; ; ctx.at++ {
			ctx.asked = 0
			err := store.RateLocks().Save(ctx, change)
			if err == nil {
				break
			}
			requireCode(t, errcodes.Canceled, err)
			requireAbsent(t, store, change)
		}
		require.Greater(t, ctx.at, 3, "the context was checked")
	})
}

// endsAt is a context that ends at its n-th check.
type endsAt struct {
	context.Context
	at, asked int
}

func (c *endsAt) Done() <-chan struct{} { return nil }

func (c *endsAt) Err() error {
	c.asked++
	if c.asked >= c.at {
		return context.Canceled
	}
	return nil
}
