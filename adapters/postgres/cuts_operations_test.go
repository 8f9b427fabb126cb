package postgres_test

import (
	"context"
	"crypto/sha256"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/storemodel"
)

type cutDo = func(ctx context.Context, cut *postgres.Store) error

// nothingBefore is an operation on empty tables.
func nothingBefore(do cutDo) func(testing.TB, *postgres.Store) cutDo {
	return func(testing.TB, *postgres.Store) cutDo { return do }
}

// withWork returns the first lock of a book, with an event and work of the kind.
func withWork(kind string) ports.RateLockChange {
	c := mint(ports.Book{Key: keyOf("acme")}, activeLock("acme", "rl-1", epoch))
	c.Work = []ports.WorkItem{{ID: "w-1", Kind: kind, DueAt: epoch, Payload: []byte("{}")}}
	return c
}

func cancelled(b ports.Book) ports.RateLockChange {
	l := b.Slots[0]
	l.Status, l.CancellationReason, l.EndedAt = ports.LockCancelled, ports.CancelledRequested, epoch.Add(time.Minute)
	b.Slots = [ports.MaxLiveLocks]ports.RateLock{}
	e := mintedEvent(l)
	e.ID, e.Kind = "ev_end", "rate_lock.cancelled"
	return ports.RateLockChange{Book: b, Ended: []ports.RateLock{l}, Events: []ports.Event{e}}
}

// claimedEvent saves a lock and claims its event.
func claimedEvent(tb testing.TB, plain *postgres.Store) ports.Event {
	tb.Helper()
	require.NoError(tb, plain.RateLocks().Save(tb.Context(), withWork("sweep")))
	got, err := plain.Outbox().Claim(tb.Context(), epoch, time.Minute, 1)
	require.NoError(tb, err)
	require.Len(tb, got, 1)
	return got[0]
}

func claimedWork(tb testing.TB, plain *postgres.Store) ports.WorkItem {
	tb.Helper()
	require.NoError(tb, plain.RateLocks().Save(tb.Context(), withWork("sweep")))
	got, err := plain.Work().Claim(tb.Context(), "sweep", epoch, time.Minute, 1)
	require.NoError(tb, err)
	require.Len(tb, got, 1)
	return got[0]
}

// onEvent is an operation on a claimed event.
func onEvent(do func(context.Context, ports.Outbox, ports.Event) error) func(testing.TB, *postgres.Store) cutDo {
	return func(tb testing.TB, plain *postgres.Store) cutDo {
		e := claimedEvent(tb, plain)
		return func(ctx context.Context, cut *postgres.Store) error { return do(ctx, cut.Outbox(), e) }
	}
}

func onWork(do func(context.Context, ports.Work, ports.WorkItem) error) func(testing.TB, *postgres.Store) cutDo {
	return func(tb testing.TB, plain *postgres.Store) cutDo {
		w := claimedWork(tb, plain)
		return func(ctx context.Context, cut *postgres.Store) error { return do(ctx, cut.Work(), w) }
	}
}

// onBuried is an operation on a buried event.
func onBuried(do func(context.Context, ports.DeadLetters) error) func(testing.TB, *postgres.Store) cutDo {
	return func(tb testing.TB, plain *postgres.Store) cutDo {
		require.NoError(tb, plain.Outbox().Bury(tb.Context(), claimedEvent(tb, plain), "refused"))
		return func(ctx context.Context, cut *postgres.Store) error { return do(ctx, cut.DeadLetters()) }
	}
}

var (
	cutValidation = ports.ValidationRecord{
		ID: "v-1", Owner: "acme", MerchantID: "m", Market: ports.Market{Country: "NGA", Type: ports.BankAccount}, BankCode: "058",
		Status: ports.StatusPending, Provider: "provider", CreatedAt: epoch, Deadline: epoch.Add(time.Minute), PurgeAt: epoch.Add(time.Hour),
		Sealed: ports.Sealed{KeyID: "k", Data: []byte("sealed")},
	}
	cutTransaction = ports.Transaction{
		ID: "t-1", Owner: "acme", Direction: errcodes.Payin, Status: ports.TransactionPending, CreatedAt: epoch,
	}
	cutToken = ports.Token{SHA256: sha256.Sum256([]byte("token")), ClientID: "acme", IssuedAt: epoch, ExpiresAt: epoch.Add(time.Hour)}
	cutEvent = []ports.Event{{ID: "ev-1", Kind: "ended", Key: "k", Owner: "acme", At: epoch, Data: []byte("{}")}}
	cutItem  = []ports.WorkItem{{ID: "w-1", Kind: "recover", DueAt: epoch, Payload: []byte("{}")}}
)

// cutThoroughly is the number of cutOperations, from the first on, that are cut in all
// places and on new connections as well.
const cutThoroughly = 4

// cutOperations contains each kind of statement that writes.
var cutOperations = []cutOperation{
	{name: "mint the first lock", prepare: nothingBefore(func(ctx context.Context, cut *postgres.Store) error {
		return cut.RateLocks().Save(ctx, withWork("sweep"))
	})},
	{name: "mint with work for a hook", prepare: nothingBefore(func(ctx context.Context, cut *postgres.Store) error {
		return cut.RateLocks().Save(ctx, withWork("noted"))
	})},
	{name: "claim events", prepare: func(tb testing.TB, plain *postgres.Store) cutDo {
		require.NoError(tb, plain.RateLocks().Save(tb.Context(), withWork("sweep")))
		return func(ctx context.Context, cut *postgres.Store) error {
			_, err := cut.Outbox().Claim(ctx, epoch, time.Minute, 10)
			return err
		}
	}},
	{name: "put a token", prepare: nothingBefore(func(ctx context.Context, cut *postgres.Store) error { return cut.Tokens().PutToken(ctx, cutToken, 10) })},

	{name: "mint the second lock", prepare: func(tb testing.TB, plain *postgres.Store) cutDo {
		require.NoError(tb, plain.RateLocks().Save(tb.Context(), withWork("sweep")))
		c := mint(bookOf(tb, plain, "acme"), activeLock("acme", "rl-2", epoch.Add(time.Second)))
		return func(ctx context.Context, cut *postgres.Store) error { return cut.RateLocks().Save(ctx, c) }
	}},
	{name: "cancel a lock", prepare: func(tb testing.TB, plain *postgres.Store) cutDo {
		require.NoError(tb, plain.RateLocks().Save(tb.Context(), withWork("sweep")))
		c := cancelled(bookOf(tb, plain, "acme"))
		return func(ctx context.Context, cut *postgres.Store) error { return cut.RateLocks().Save(ctx, c) }
	}},

	{name: "acknowledge an event", prepare: onEvent(func(ctx context.Context, o ports.Outbox, e ports.Event) error { return o.Ack(ctx, e) })},
	{name: "retry an event", prepare: onEvent(func(ctx context.Context, o ports.Outbox, e ports.Event) error {
		return o.Retry(ctx, e, epoch.Add(time.Minute))
	})},
	{name: "bury an event", prepare: onEvent(func(ctx context.Context, o ports.Outbox, e ports.Event) error { return o.Bury(ctx, e, "refused") })},
	{name: "replay an event", prepare: onBuried(func(ctx context.Context, d ports.DeadLetters) error {
		_, err := d.Replay(ctx, epoch, storemodel.AuditRow)
		return err
	})},
	{name: "discard an event", prepare: onBuried(func(ctx context.Context, d ports.DeadLetters) error {
		_, err := d.Discard(ctx, storemodel.AuditRow, "ev_rl-1")
		return err
	})},

	{name: "claim work", prepare: func(tb testing.TB, plain *postgres.Store) cutDo {
		require.NoError(tb, plain.RateLocks().Save(tb.Context(), withWork("sweep")))
		return func(ctx context.Context, cut *postgres.Store) error {
			_, err := cut.Work().Claim(ctx, "sweep", epoch, time.Minute, 10)
			return err
		}
	}},
	{name: "finish work", prepare: onWork(func(ctx context.Context, q ports.Work, w ports.WorkItem) error { return q.Done(ctx, w) })},
	{name: "retry work", prepare: onWork(func(ctx context.Context, q ports.Work, w ports.WorkItem) error {
		return q.Retry(ctx, w, epoch.Add(time.Minute))
	})},
	{name: "bury work", prepare: onWork(func(ctx context.Context, q ports.Work, w ports.WorkItem) error { return q.Bury(ctx, w, "broken") })},

	{name: "begin a validation", prepare: nothingBefore(func(ctx context.Context, cut *postgres.Store) error {
		return cut.Validations().Save(ctx, ports.ValidationChange{Record: cutValidation, Events: cutEvent, Work: cutItem})
	})},
	{name: "end a validation", prepare: func(tb testing.TB, plain *postgres.Store) cutDo {
		require.NoError(tb, plain.Validations().Save(tb.Context(), ports.ValidationChange{Record: cutValidation}))
		v := cutValidation
		v.Version, v.Status, v.Type, v.Outcome = 1, ports.StatusNotFound, ports.External, ports.OutcomeNotFound
		v.EndedAt = epoch.Add(time.Second)
		return func(ctx context.Context, cut *postgres.Store) error {
			return cut.Validations().Save(ctx, ports.ValidationChange{Record: v, Events: cutEvent})
		}
	}},
	{name: "begin a transaction", prepare: nothingBefore(func(ctx context.Context, cut *postgres.Store) error {
		return cut.Transactions().Save(ctx, ports.TransactionChange{Transaction: cutTransaction, Events: cutEvent, Work: cutItem})
	})},
	{name: "begin a report", prepare: nothingBefore(func(ctx context.Context, cut *postgres.Store) error {
		return cut.Reports().Save(ctx, ports.ReportChange{Job: waitingReport("rp-1"), Events: cutEvent, Work: cutItem})
	})},
	{name: "claim a report", prepare: func(tb testing.TB, plain *postgres.Store) cutDo {
		require.NoError(tb, plain.Reports().Save(tb.Context(), ports.ReportChange{Job: waitingReport("rp-1")}))
		return func(ctx context.Context, cut *postgres.Store) error {
			_, err := cut.Reports().ClaimReport(ctx, "worker", epoch, time.Minute)
			return err
		}
	}},

	{name: "put a client", prepare: nothingBefore(func(ctx context.Context, cut *postgres.Store) error {
		return cut.Clients().PutClient(ctx, ports.Client{ID: "acme", Secrets: []ports.ClientSecret{{SHA256: cutToken.SHA256}}}, storemodel.AuditRow)
	})},
	{name: "revoke a client's tokens", prepare: func(tb testing.TB, plain *postgres.Store) cutDo {
		require.NoError(tb, plain.Tokens().PutToken(tb.Context(), cutToken, 10))
		return func(ctx context.Context, cut *postgres.Store) error {
			_, err := cut.Tokens().RevokeAll(ctx, cutToken.ClientID, storemodel.AuditRow)
			return err
		}
	}},
	{name: "purge tokens", prepare: func(tb testing.TB, plain *postgres.Store) cutDo {
		require.NoError(tb, plain.Tokens().PutToken(tb.Context(), cutToken, 10))
		return func(ctx context.Context, cut *postgres.Store) error {
			_, err := cut.Tokens().PurgeTokens(ctx, epoch.Add(time.Hour), 10)
			return err
		}
	}},
	{name: "put an answer", prepare: nothingBefore(func(ctx context.Context, cut *postgres.Store) error {
		return cut.Answers().PutAnswer(ctx, ports.CachedAnswer{Key: cutToken.SHA256, Provider: "p", At: epoch, ExpiresAt: epoch.Add(time.Hour)})
	})},
	{name: "claim an answer", prepare: nothingBefore(func(ctx context.Context, cut *postgres.Store) error {
		_, err := cut.Answers().Claim(ctx, cutToken.SHA256, "holder", epoch, epoch.Add(time.Minute))
		return err
	})},
}
