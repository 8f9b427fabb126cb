package sqlite_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/storemodel"
)

var anyText, anyTime = storemodel.AnyBytes, storemodel.AnyTime

// TestRecordsComeBackEqual saves any lock and event, and reads them in every way.
func TestRecordsComeBackEqual(t *testing.T) {
	t.Parallel()
	store := open(t, migrated(t), nil)
	taken := map[string]bool{"": true}
	rapid.Check(t, func(rt *rapid.T) {
		word := anyText.Filter(func(text string) bool { return text != "" })
		base := word.Draw(rt, "base")
		l := ports.RateLock{
			ID:    anyText.Filter(func(id string) bool { return !taken[id] }).Draw(rt, "id"),
			Owner: anyText.Draw(rt, "owner"), Base: base, Quote: word.Filter(func(quote string) bool { return quote != base }).Draw(rt, "quote"),
			MidRate: rapid.StringMatching(`[1-9][0-9]{0,11}(\.[0-9]{1,18})?`).Draw(rt, "mid"), MidSource: anyText.Draw(rt, "source"),
			MarkupBps: rapid.IntRange(0, 100_000).Draw(rt, "markup"), ToleranceBps: rapid.Int().Draw(rt, "tolerance"),
			MidAt: anyTime.Draw(rt, "mid at"), CreatedAt: anyTime.Draw(rt, "created"), Status: ports.LockActive,
		}
		taken[l.ID] = true
		l.ExpiresAt = l.CreatedAt.Add(time.Duration(rapid.IntRange(1, 1e9).Draw(rt, "validity")) * time.Millisecond)
		var err error
		l.AllInRate, err = ports.AllInRate(l.MidRate, l.MarkupBps)
		require.NoError(rt, err)
		b, err := store.RateLocks().Book(t.Context(), l.Book())
		require.NoError(rt, err)
		b.Slots = [ports.MaxLiveLocks]ports.RateLock{l}
		b.HighWater = l.CreatedAt
		require.NoError(rt, store.RateLocks().Save(t.Context(), ports.RateLockChange{Book: b, Minted: &l}))
		b.Version++

		gotLock, gotBook, err := store.RateLocks().Lock(t.Context(), l.Owner, l.ID)
		require.NoError(rt, err)
		require.Equal(rt, l, gotLock)
		require.Equal(rt, b, gotBook)
		gotBook, err = store.RateLocks().Book(t.Context(), l.Book())
		require.NoError(rt, err)
		require.Equal(rt, b, gotBook)
		live, err := store.RateLocks().List(t.Context(), ports.LockQuery{Pair: l.Pair(), Since: l.CreatedAt, Limit: 10_000})
		require.NoError(rt, err)
		require.Contains(rt, live, l)
	})
}

// TestListingsInPages reads Live and Due page by page, with locks of equal times: each
// lock is returned once.
func TestListingsInPages(t *testing.T) {
	t.Parallel()
	store := open(t, migrated(t), nil)
	var locks []ports.RateLock
	for i := range 60 {
		id := string([]byte{byte(255 - 4*i), 0})
		change := mustMint(t, store, "owner of "+id, id, epoch.Add(time.Duration(i%3)*time.Millisecond))
		locks = append(locks, *change.Minted)
	}
	rapid.Check(t, func(rt *rapid.T) {
		limit := rapid.IntRange(1, 70).Draw(rt, "limit")
		since := epoch.Add(time.Duration(rapid.IntRange(0, 3).Draw(rt, "since")) * time.Millisecond)
		seen, after := map[string]bool{}, ports.Pos{}
		for {
			q := ports.LockQuery{Pair: usdZAR, Since: since, After: after, Limit: limit}
			page, err := store.RateLocks().List(t.Context(), q)
			require.NoError(rt, err)
			for _, l := range page {
				pos := ports.Pos{At: l.CreatedAt, ID: l.ID}
				require.False(rt, seen[l.ID])
				require.True(rt, after.At.Before(pos.At) || after.At.Equal(pos.At) && after.ID < pos.ID, "order")
				seen[l.ID], after = true, pos
			}
			if len(page) < limit {
				break
			}
		}
		want := 0
		for _, l := range locks {
			if !l.CreatedAt.Before(since) {
				want++
			}
		}
		require.Len(rt, seen, want)
	})
	due, err := store.RateLocks().List(t.Context(), ports.LockQuery{DueBy: epoch.Add(24 * time.Hour), Limit: 100})
	require.NoError(t, err)
	require.Len(t, due, 20, "only those that are due")
}

// FuzzPath opens a file of any name: that very file must contain the data.
func FuzzPath(f *testing.F) {
	data, err := emptyFile()
	require.NoError(f, err)
	for _, name := range []string{
		"a.db", "%2e%2e", "a?mode=memory", "#", "#1.db", "a&b=c.db", ":memory:", "file:a", "a\x00b",
		"a b.db", "50%.db", "%41.db", "\u00e4\u20ac.db", "new\nline.db", "\xff.db",
	} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if name == "" || len(name) > 200 || name != filepath.Base(name) || name == "." || name == ".." {
			t.Skip("not the name of a file in a folder")
		}
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Skip("not the name of a file")
		}
		config := &sqlite.Config{SkipMigrate: true}
		if strings.ContainsAny(name, "?%") { // and then the store makes the file, which takes longer
			require.NoError(t, os.Remove(path))
			config = nil
		}
		mustMint(t, open(t, path, config), "acme", "rl_1", epoch)
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, e := range entries {
			require.Contains(t, []string{name, name + "-wal", name + "-shm"}, e.Name())
		}
	})
}

// TestEverythingAtOnce is for the race detector: all ports share one file.
func TestEverythingAtOnce(t *testing.T) {
	store := open(t, migrated(t), nil)
	ctx := context.Background()
	var wg sync.WaitGroup
	for i := range 4 {
		owner := string(rune('a' + i))
		wg.Go(func() {
			for n := range 8 {
				mustSave(ctx, t, store, owner, n)
				_, err := store.RateLocks().List(ctx, ports.LockQuery{Pair: usdZAR, Limit: 5})
				assert.NoError(t, err)
				events, err := store.Outbox().Claim(ctx, epoch, time.Minute, 2)
				assert.NoError(t, err)
				for _, e := range events {
					assert.NoError(t, store.Outbox().Ack(ctx, e))
				}
				assert.NoError(t, store.Clients().PutClient(ctx, ports.Client{ID: "shared", Merchants: []string{owner}}, storemodel.AuditRow))
				c, err := store.Clients().Client(ctx, "shared")
				assert.NoError(t, err)
				assert.Len(t, c.Merchants, 1, "the client is read at one instant")
			}
		})
	}
	wg.Wait()
}

func mustSave(ctx context.Context, t *testing.T, store *sqlite.Store, owner string, n int) {
	t.Helper()
	b, err := store.RateLocks().Book(ctx, keyOf(owner))
	assert.NoError(t, err)
	e := ports.Event{ID: owner + string(rune('0'+n)), Key: owner, At: epoch}
	w := ports.WorkItem{ID: e.ID, Kind: "k", DueAt: epoch}
	change := ports.RateLockChange{Book: b, Events: []ports.Event{e}, Work: []ports.WorkItem{w}}
	assert.NoError(t, store.RateLocks().Save(ctx, change))
}
