package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/storemodel"
)

const lease = time.Minute

// queue is a store with a second connection, in whose transaction the test blocks
// statements of the store.
type queue struct {
	testing.TB

	store *postgres.Store
	pool  *pgxpool.Pool
}

func newQueue(tb testing.TB) *queue {
	tb.Helper()
	pool := connect(tb, emptied(tb), nil)
	return &queue{TB: tb, store: on(tb, pool, nil), pool: pool}
}

// save stores events of the key with these ids.
func (q *queue) save(key string, ids ...string) {
	q.Helper()
	change := ports.RateLockChange{Book: bookOf(q, q.store, "acme")}
	for _, id := range ids {
		change.Events = append(change.Events, ports.Event{ID: id, Kind: "k", Key: key, At: epoch})
	}
	require.NoError(q, q.store.RateLocks().Save(q.Context(), change))
}

// claims claims all events that are claimable at now, which must be these.
func (q *queue) claims(now time.Time, want ...string) []ports.Event {
	q.Helper()
	events, err := q.store.Outbox().Claim(q.Context(), now, lease, 1000)
	require.NoError(q, err)
	require.Equal(q, want, idsOf(events))
	return events
}

func idsOf(events []ports.Event) []string {
	var ids []string
	for _, e := range events {
		ids = append(ids, e.ID)
	}
	return ids
}

// begin starts a transaction on the second connection.
func (q *queue) begin() pgx.Tx {
	q.Helper()
	tx, err := q.pool.BeginTx(q.Context(), pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
	require.NoError(q, err)
	q.Cleanup(func() { _ = tx.Rollback(context.WithoutCancel(q.Context())) })
	return tx
}

func (q *queue) run(tx pgx.Tx, sql string, args ...any) {
	q.Helper()
	_, err := tx.Exec(q.Context(), sql, args...)
	require.NoError(q, err)
}

// waits starts do and returns when do waits for a lock. The returned function returns
// do's error.
func (q *queue) waits(do func(ctx context.Context) error) (end func() error) {
	q.Helper()
	errs := make(chan error, 1)
	go func() { errs <- do(q.Context()) }()
	for waiting := 0; waiting == 0; {
		row := q.pool.QueryRow(q.Context(), `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`)
		require.NoError(q, row.Scan(&waiting))
		select {
		case err := <-errs:
			require.Fail(q, "it did not wait", "%v", err)
		default:
		}
	}
	return func() error { return <-errs }
}

func claimKey(e ports.Event) []any { return []any{[]byte(e.ID), []byte(e.Key), e.Claim} }

// An event is settled while a claim blocks another one after it: the settling must not
// miss that one.
func TestAnAckDuringABlockingClaim(t *testing.T) {
	for name, settle := range map[string]func(o ports.Outbox, ctx context.Context, e ports.Event) error{
		"Ack":  ports.Outbox.Ack,
		"Bury": func(o ports.Outbox, ctx context.Context, e ports.Event) error { return o.Bury(ctx, e, "no use") },
	} {
		t.Run(name, func(t *testing.T) {
			q := newQueue(t)
			q.save("lock", "a")
			a := q.claims(epoch, "a")[0]
			q.save("lock", "b")
			claim := q.begin()
			q.run(claim, postgres.QueueQueries["claim events"], epoch, epoch.Add(lease), 10)
			end := q.waits(func(ctx context.Context) error { return settle(q.store.Outbox(), ctx, a) })
			require.NoError(t, claim.Commit(t.Context()))
			require.NoError(t, end())
			q.claims(epoch, "b")
		})
	}
}

// While an event is being settled, a claim must not block the next one of its key.
func TestAClaimDuringAnAck(t *testing.T) {
	q := newQueue(t)
	q.save("lock", "a")
	a := q.claims(epoch, "a")[0]
	q.save("lock", "b")
	ack := q.begin()
	q.run(ack, postgres.QueueQueries["ack an event"], claimKey(a)...)
	q.claims(epoch)
	require.NoError(t, ack.Commit(t.Context()))
	q.claims(epoch, "b")
}

// replayed creates a state that only a replay can create: p is first and claimed; m follows
// it and is blocked, but has a claim that may still settle it; n is new.
func (q *queue) replayed() (p, m ports.Event) {
	q.Helper()
	q.save("lock", "p", "m")
	require.NoError(q, q.store.Outbox().Bury(q.Context(), q.claims(epoch, "p")[0], "no use"))
	m = q.claims(epoch, "m")[0]
	n, err := q.store.DeadLetters().Replay(q.Context(), epoch, storemodel.AuditRow)
	require.NoError(q, err)
	require.Equal(q, 1, n)
	p = q.claims(epoch.Add(lease), "p")[0] // m's lease has ended
	q.save("lock", "n")
	return p, m
}

// Settling p is about to unblock m, while m is settled concurrently by a statement that
// has not seen that n is blocked.
func TestAnAckOfTheNextEventDuringAnAck(t *testing.T) {
	q := newQueue(t)
	p, m := q.replayed()
	ack := q.begin()
	q.run(ack, postgres.QueueQueries["ack an event"], claimKey(m)...)
	q.claims(epoch.Add(lease)) // n is blocked behind p
	end := q.waits(func(ctx context.Context) error { return q.store.Outbox().Ack(ctx, p) })
	require.NoError(t, ack.Commit(t.Context()))
	require.NoError(t, end())
	q.claims(epoch.Add(lease), "n")
}

// The statement that settles m has not seen that n is blocked. It waits for the one that
// settles p, which unblocks m.
func TestAnAckThatWaitedForAnotherAck(t *testing.T) {
	q := newQueue(t)
	p, m := q.replayed()
	ack := q.begin()
	q.run(ack, "SELECT FROM corridor.events WHERE id = $1 FOR UPDATE", []byte(m.ID))
	end := q.waits(func(ctx context.Context) error { return q.store.Outbox().Ack(ctx, m) })
	q.claims(epoch.Add(lease)) // n is blocked behind p
	q.run(ack, postgres.QueueQueries["ack an event"], claimKey(p)...)
	require.NoError(t, ack.Commit(t.Context()))
	require.NoError(t, end())
	q.claims(epoch.Add(lease), "n")
}

// A claim never waits.
func TestAClaimSkipsLockedEvents(t *testing.T) {
	q := newQueue(t)
	q.save("a", "a")
	q.save("b", "b")
	claim := q.begin()
	q.run(claim, postgres.QueueQueries["claim events"], epoch, epoch.Add(lease), 1)
	q.claims(epoch, "b")
	require.NoError(t, claim.Rollback(t.Context()))
	q.claims(epoch, "a")
}

// A replayed event comes before the retried one.
func TestARetryOfABlockedEvent(t *testing.T) {
	q := newQueue(t)
	p, m := q.replayed()
	require.NoError(t, q.store.Outbox().Retry(t.Context(), m, epoch.Add(2*lease)))
	requireCode(t, errcodes.Conflict, q.store.Outbox().Ack(t.Context(), m))
	require.NoError(t, q.store.Outbox().Ack(t.Context(), p))
	q.claims(epoch.Add(lease)) // m comes before n, but not yet
	q.claims(epoch.Add(2*lease), "m")
}

// A replayed event comes before the acknowledged one.
func TestAnAckOfABlockedEvent(t *testing.T) {
	q := newQueue(t)
	p, m := q.replayed()
	q.claims(epoch.Add(lease))
	require.NoError(t, q.store.Outbox().Ack(t.Context(), m))
	q.claims(epoch.Add(lease)) // n is behind p
	require.NoError(t, q.store.Outbox().Ack(t.Context(), p))
	q.claims(epoch.Add(lease), "n")
}

// b waits although a, before it, is new and outside the 250 new events that a claim looks
// at.
func TestDueEventsAfterTheWindowWait(t *testing.T) {
	q := newQueue(t)
	for _, sql := range []string{
		`INSERT INTO corridor.events (id, kind, key, owner, at, data, state, available_at)
			VALUES ('head', 'k', 'hot', '', $1, '', 'waiting', $1::timestamptz + interval '1 day')`,
		`INSERT INTO corridor.events (id, kind, key, owner, at, data)
			SELECT ('hot' || i)::bytea, 'k', 'hot', '', $1, '' FROM generate_series(1, 300) i`,
		`INSERT INTO corridor.events (id, kind, key, owner, at, data) VALUES ('a', 'k', 'lock', '', $1, '')`,
		`INSERT INTO corridor.events (id, kind, key, owner, at, data, state) VALUES ('b', 'k', 'lock', '', $1, '', 'waiting')`,
	} {
		_, err := q.pool.Exec(t.Context(), sql, epoch)
		require.NoError(t, err)
	}
	events, err := q.store.Outbox().Claim(t.Context(), epoch, lease, 10)
	require.NoError(t, err)
	require.Equal(t, []string{"a"}, idsOf(events))
}
