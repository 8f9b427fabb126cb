package sqlite_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/storemodel"
)

func TestRestartKeepsEverything(t *testing.T) {
	path := migrated(t)
	store, err := sqlite.Open(t.Context(), path, nil)
	require.NoError(t, err)
	client := ports.Client{
		ID: "acme", Merchants: []string{"m\x00", "M\xff"}, Disabled: true,
		Secrets: []ports.ClientSecret{{SHA256: [32]byte{1}, NotBefore: epoch}, {SHA256: [32]byte{2}, NotAfter: epoch}},
	}
	token := ports.Token{SHA256: [32]byte{0xff}, ClientID: "acme", IssuedAt: epoch, ExpiresAt: epoch.Add(time.Hour)}
	require.NoError(t, store.Clients().PutClient(t.Context(), client, storemodel.AuditRow))
	require.NoError(t, store.Tokens().PutToken(t.Context(), token, 10))
	change := mint(ports.Book{Key: keyOf("acme")}, activeLock("acme", "rl_1", epoch))
	change.Work = []ports.WorkItem{{ID: "w", Kind: "k", DueAt: epoch, Payload: []byte{0, 0xff}}}
	require.NoError(t, store.RateLocks().Save(t.Context(), change))
	require.NoError(t, store.Close())

	store = open(t, path, nil)
	gotClient, err := store.Clients().Client(t.Context(), "acme")
	require.NoError(t, err)
	require.Equal(t, client, gotClient)
	gotToken, err := store.Tokens().Token(t.Context(), token.SHA256)
	require.NoError(t, err)
	require.Equal(t, token, gotToken)
	requireStored(t, store, *change.Minted)
	change.Book.Version++
	require.Equal(t, change.Book, bookOf(t, store, "acme"))
	change.Events[0].Attempt, change.Events[0].Claim = 1, 1
	require.Equal(t, change.Events, claimAll(t, store))
	items, err := store.Work().Claim(t.Context(), "k", epoch, time.Second, 10)
	require.NoError(t, err)
	change.Work[0].Attempt, change.Work[0].Claim = 1, 1
	require.Equal(t, change.Work, items)
}

func TestRestartKeepsValidations(t *testing.T) {
	path := migrated(t)
	store, err := sqlite.Open(t.Context(), path, nil)
	require.NoError(t, err)
	change := changeOf(ended(pending("acme", "v"), ports.StatusVerified))
	change.Work = []ports.WorkItem{{ID: "w", Kind: "k", DueAt: epoch, Payload: []byte{0, 0xff}}}
	require.NoError(t, store.Validations().Save(t.Context(), change))
	answer := ports.CachedAnswer{
		Key: [32]byte{0xff}, Provider: "paystack", At: epoch, ExpiresAt: epoch.Add(time.Hour),
		Sealed: ports.Sealed{KeyID: "k1", Data: []byte("\x00sealed")},
	}
	require.NoError(t, store.Answers().PutAnswer(t.Context(), answer))
	_, err = store.Answers().Claim(t.Context(), answer.Key, "holder", epoch, epoch.Add(time.Minute))
	require.NoError(t, err)
	secret, err := store.Secrets().Secret(t.Context(), "cursor", bytes.Repeat([]byte{1}, 32))
	require.NoError(t, err)
	require.NoError(t, store.Close())

	store = open(t, path, nil)
	change.Record.Version++
	requireValidation(t, store, change.Record)
	require.Len(t, claimAll(t, store), 1)
	items, err := store.Work().Claim(t.Context(), "k", epoch, time.Second, 10)
	require.NoError(t, err)
	require.Len(t, items, 1)
	got, err := store.Answers().Answer(t.Context(), answer.Key)
	require.NoError(t, err)
	require.Equal(t, answer, got)
	won, err := store.Answers().Claim(t.Context(), answer.Key, "another", epoch, epoch.Add(time.Minute))
	require.NoError(t, err)
	require.False(t, won)
	again, err := store.Secrets().Secret(t.Context(), "cursor", bytes.Repeat([]byte{2}, 32))
	require.NoError(t, err)
	require.Equal(t, secret, again)
}

// TestTwoProcessesRace lets two stores on one file save the same book. Every
// acknowledged save must have got a different version.
func TestTwoProcessesRace(t *testing.T) {
	const each = 20
	stores := twoProcesses(t)
	var g errgroup.Group
	for i, store := range stores {
		for worker := range 2 {
			g.Go(func() error {
				for n := 0; n < each; {
					switch err := saveEvent(t, store, fmt.Sprintf("%d.%d.%d", i, worker, n)); errcodes.Of(err) {
					case "":
						n++
					case errcodes.Conflict: // the other was faster
					default:
						return err
					}
				}
				return nil
			})
		}
	}
	require.NoError(t, g.Wait())
	require.EqualValues(t, 4*each, bookOf(t, stores[0], "acme").Version)
	require.Len(t, claimAll(t, stores[1]), 4*each)
}

func saveEvent(tb testing.TB, store *sqlite.Store, id string) error {
	tb.Helper()
	b, err := store.RateLocks().Book(tb.Context(), keyOf("acme"))
	if err != nil {
		return err
	}
	e := ports.Event{ID: id, Key: id, At: epoch}
	return store.RateLocks().Save(tb.Context(), ports.RateLockChange{Book: b, Events: []ports.Event{e}})
}

// Another process has an open write transaction.
func TestAnotherProcessKeepsTheFileLocked(t *testing.T) {
	path := migrated(t)
	store := open(t, path, &sqlite.Config{BusyTimeout: 100 * time.Millisecond})
	mustMint(t, store, "acme", "rl_1", epoch)
	other := raw(t, path)
	query(t, other, "BEGIN IMMEDIATE")

	change := mint(bookOf(t, store, "acme"), activeLock("acme", "rl_2", epoch.Add(time.Second)))
	requireCode(t, errcodes.StorageUnavailable, store.RateLocks().Save(t.Context(), change))
	require.True(t, store.Connected(), "the connection is still used")
	require.EqualValues(t, 1, bookOf(t, store, "acme").Version, "reads still work")

	query(t, other, "COMMIT")
	require.NoError(t, store.RateLocks().Save(t.Context(), change))
}

// The store would wait for a minute.
func TestWaitingHonoursTheContext(t *testing.T) {
	path := migrated(t)
	store := open(t, path, &sqlite.Config{BusyTimeout: time.Minute})
	change := mint(bookOf(t, store, "acme"), activeLock("acme", "rl_1", epoch))
	other := raw(t, path)
	query(t, other, "BEGIN IMMEDIATE")
	ctx := &endsAt{Context: t.Context(), at: 4}
	requireCode(t, errcodes.Canceled, store.RateLocks().Save(ctx, change))
	query(t, other, "COMMIT")
	requireAbsent(t, store, change)
}
