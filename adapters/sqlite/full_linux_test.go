package sqlite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// smallDisk mounts a small disk and returns its folder, or "" without the privileges.
func smallDisk(tb testing.TB, bytes int) string {
	tb.Helper()
	dir := tb.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+strconv.Itoa(bytes)); err != nil {
		return ""
	}
	tb.Cleanup(func() { require.NoError(tb, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	return dir
}

// fillUp writes until the disk is full, and returns a function that frees space.
func fillUp(tb testing.TB, dir string) (empty func()) {
	tb.Helper()
	ballast := filepath.Join(dir, "ballast")
	f, err := os.Create(ballast)
	require.NoError(tb, err)
	for size := 64 << 10; size > 0; size /= 2 {
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, size))
		}
		require.ErrorIs(tb, err, syscall.ENOSPC)
	}
	require.NoError(tb, f.Close())
	return func() { require.NoError(tb, os.Remove(ballast)) }
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, 4<<20)
	if dir == "" {
		t.Skip("mounting a disk needs privileges")
	}
	store := open(t, filepath.Join(dir, "corridor.db"), nil)
	mustMint(t, store, "acme", "rl_1", epoch)
	for round := range 5 {
		empty := fillUp(t, dir)
		rejected := saveUntilFull(t, store, round)
		requireAllRejected(t, store, round)
		bookOf(t, store, "acme") // a full store still reads
		requireCode(t, errcodes.StorageUnavailable, store.Ping(t.Context()))
		empty()
		require.NoError(t, store.Ping(t.Context()), "Ping tries the write that failed")
		require.NoError(t, store.RateLocks().Save(t.Context(), rejected), "with free space again, without a restart")
		requireStored(t, store, *rejected.Minted)
	}
	var check string
	require.NoError(t, raw(t, filepath.Join(dir, "corridor.db")).QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&check))
	require.Equal(t, "ok", check)
}

// saveUntilFull mints for new owners until a save is rejected, since the log may have
// room for some changes before it must grow. It returns the first rejected change.
func saveUntilFull(tb testing.TB, store *sqlite.Store, round int) ports.RateLockChange {
	tb.Helper()
	for n := range 1000 {
		owner := fmt.Sprintf("owner %d of round %d", n, round)
		c := mint(bookOf(tb, store, owner), activeLock(owner, "rl of "+owner, epoch))
		if err := store.RateLocks().Save(tb.Context(), c); err != nil {
			requireCode(tb, errcodes.StorageUnavailable, err)
			requireAbsent(tb, store, ports.RateLockChange{Book: c.Book, Minted: c.Minted})
			return c
		}
	}
	tb.Fatal("the disk did not become full")
	return ports.RateLockChange{}
}

// requireAllRejected saves for several callers at once, each more than there is room
// for.
func requireAllRejected(tb testing.TB, store *sqlite.Store, round int) {
	tb.Helper()
	results := make([]error, 8)
	changes := make([]ports.RateLockChange, len(results))
	var all sync.WaitGroup
	for i := range results {
		owner := fmt.Sprintf("caller %d of round %d", i, round)
		changes[i] = mint(ports.Book{Key: keyOf(owner)}, activeLock(owner, "rl of "+owner, epoch))
		changes[i].Events[0].Data = make([]byte, 64<<10)
		all.Go(func() { results[i] = store.RateLocks().Save(tb.Context(), changes[i]) })
	}
	all.Wait()
	for i, err := range results {
		requireCode(tb, errcodes.StorageUnavailable, err)
		requireAbsent(tb, store, ports.RateLockChange{Book: changes[i].Book, Minted: changes[i].Minted})
	}
}

// On a full disk a rejected end leaves the transaction pending; it is accepted once
// there is space.
func TestFullDiskOfTransactions(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, 4<<20)
	if dir == "" {
		t.Skip("mounting a disk needs privileges")
	}
	store := open(t, filepath.Join(dir, "corridor.db"), nil)
	begun := mustTransact(t, store, waiting("acme", "begun"))
	end := failed(begun)
	end.Raw.Message = strings.Repeat("\xff", ports.MaxRaw)
	for i := range 3 {
		empty := fillUp(t, dir)
		var err error
		for n := 0; n < 1000 && err == nil; n++ {
			filler := failed(waiting("filler", fmt.Sprint(i, " ", n)))
			filler.Raw.Message = end.Raw.Message
			err = store.Transactions().Save(t.Context(), ports.TransactionChange{Transaction: filler})
		}
		requireCode(t, errcodes.StorageUnavailable, err)
		requireCode(t, errcodes.StorageUnavailable, store.Transactions().Save(t.Context(), moveOf(end)))
		requireTransaction(t, store, begun)
		empty()
	}
	require.NoError(t, store.Transactions().Save(t.Context(), moveOf(end)), "with free space again, without a restart")
	end.Version++
	requireTransaction(t, store, end)
	require.Len(t, claimAll(t, store), 1)
}

// On a full disk a rejected end leaves the report running under its lease; it is
// accepted once there is space.
func TestFullDiskOfReports(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, 4<<20)
	if dir == "" {
		t.Skip("mounting a disk needs privileges")
	}
	store := open(t, filepath.Join(dir, "corridor.db"), nil)
	mustReport(t, store, runs("acme", "begun"))
	begun := mustClaim(t, store, "p", epoch)
	for i := range 3 {
		empty := fillUp(t, dir)
		var err error
		for n := 0; n < 1000 && err == nil; n++ {
			filler := runs("filler", fmt.Sprint(i, " ", n))
			filler.CreatedAt = epoch.Add(time.Hour)
			filler.Request.Name = strings.Repeat("\xff", 60_000)
			err = store.Reports().Save(t.Context(), ports.ReportChange{Job: filler})
		}
		requireCode(t, errcodes.StorageUnavailable, err)
		end := completed(begun)
		end.Request.Name = strings.Repeat("x", 60_000)
		requireCode(t, errcodes.StorageUnavailable, store.Reports().Save(t.Context(), reportOf(end)))
		requireReport(t, store, begun)
		empty()
	}
	require.NoError(t, store.Reports().Save(t.Context(), reportOf(completed(begun))), "with free space again, without a restart")
	end := completed(begun)
	end.Version++
	requireReport(t, store, end)
	require.Len(t, claimAll(t, store), 1)
}
