package postgres_test

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// TestConstraintsRejectImpossibleEventsAndWork writes rows without the store.
func TestConstraintsRejectImpossibleEventsAndWork(t *testing.T) {
	dsn := emptied(t)
	pool := connect(t, dsn, nil)
	q := &queue{TB: t, store: on(t, pool, nil), pool: pool}
	q.save("lock", "claimed")
	q.claims(epoch, "claimed")
	q.save("other", "new")
	require.NoError(t, addWork(t.Context(), q.store, ports.WorkItem{ID: "item", Kind: "k", DueAt: epoch}))
	for name, change := range map[string]string{
		"an unknown state":                    "events SET state = 'paid' WHERE id = 'claimed'",
		"buried without a reason":             "events SET state = 'buried', claimed = false WHERE id = 'claimed'",
		"buried and claimed":                  "events SET state = 'buried', reason = '' WHERE id = 'claimed'",
		"a reason but not buried":             "events SET reason = 'no use' WHERE id = 'claimed'",
		"no data":                             "events SET data = NULL WHERE id = 'claimed'",
		"a seq that was not generated":        "events SET seq = 7 WHERE id = 'claimed'",
		"work due at an infinite time":        "work_items SET due_at = '-infinity'",
		"work leased without end":             "work_items SET attempt = 1, leased_until = 'infinity'",
		"work leased without a claim":         "work_items SET leased_until = due_at",
		"work leased and buried":              "work_items SET attempt = 1, leased_until = due_at, reason = ''",
		"work with a negative attempt":        "work_items SET attempt = -1",
		"work with a reason that is too long": "work_items SET reason = repeat('r', 1025)::bytea",
		"work without a payload":              "work_items SET payload = NULL",
		"work without an id":                  "work_items SET id = NULL",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := pool.Exec(t.Context(), "UPDATE corridor."+change)
			var refusal *pgconn.PgError
			require.ErrorAs(t, err, &refusal)
			require.Contains(t, []string{"23514", "23502", "428C9"}, refusal.Code, refusal.Message)
		})
	}
}

// The whole change is rejected.
func TestASecondWorkItemWithTheSameIDIsRejected(t *testing.T) {
	store := open(t, emptied(t), nil)
	item := ports.WorkItem{ID: "item", Kind: "k", DueAt: epoch}
	require.NoError(t, addWork(t.Context(), store, item))
	before := bookOf(t, store, "acme")
	requireCode(t, errcodes.Conflict, addWork(t.Context(), store, item))
	require.Equal(t, before, bookOf(t, store, "acme"))
}

func TestTheQueueViewsAreReadable(t *testing.T) {
	q := newQueue(t)
	q.save("lock\xff", "claimed", "blocked")
	require.NoError(t, q.store.Outbox().Bury(t.Context(), q.claims(epoch, "claimed")[0], "no use\x00"))
	require.NoError(t, addWork(t.Context(), q.store, ports.WorkItem{ID: "item", Kind: "k", DueAt: epoch, Payload: []byte("four")}))
	var event, item string
	row := q.pool.QueryRow(t.Context(), `SELECT concat_ws(' ', id, kind, key, state, attempt, claim, claimed, reason)
		FROM corridor.readable_events WHERE state = 'buried'`)
	require.NoError(t, row.Scan(&event))
	require.Equal(t, `claimed k lock\377 buried 1 1 f no use\000`, event)
	row = q.pool.QueryRow(t.Context(), "SELECT concat_ws(' ', id, kind, payload_bytes, attempt) FROM corridor.readable_work_items")
	require.NoError(t, row.Scan(&item))
	require.Equal(t, "item k 4 0", item)
}

func TestQueuesRejectBadArguments(t *testing.T) {
	q := newQueue(t)
	q.save("lock", "a")
	e := q.claims(epoch, "a")[0]
	require.NoError(t, addWork(t.Context(), q.store, ports.WorkItem{ID: "item", Kind: "k", DueAt: epoch}))
	items, err := q.store.Work().Claim(t.Context(), "k", epoch, lease, 1)
	require.NoError(t, err)
	for _, bad := range []struct {
		lease time.Duration
		n     int
	}{{0, 1}, {-lease, 1}, {lease, 0}, {lease, -1}, {lease, 1001}} {
		_, err := q.store.Outbox().Claim(t.Context(), epoch, bad.lease, bad.n)
		requireCode(t, errcodes.InvalidRequest, err)
		_, err = q.store.Work().Claim(t.Context(), "k", epoch, bad.lease, bad.n)
		requireCode(t, errcodes.InvalidRequest, err)
	}
	long := strings.Repeat("r", 1025)
	requireCode(t, errcodes.InvalidRequest, q.store.Outbox().Bury(t.Context(), e, long))
	requireCode(t, errcodes.InvalidRequest, q.store.Work().Bury(t.Context(), items[0], long))
	require.NoError(t, q.store.Outbox().Ack(t.Context(), e))
	items[0].Claim = 1 << 40
	requireCode(t, errcodes.Conflict, q.store.Work().Done(t.Context(), items[0]))
}

func TestAClaimOnAFullDiskClaimsNothing(t *testing.T) {
	dsn := emptied(t)
	store := open(t, dsn, nil)
	b := bookOf(t, store, "acme")
	change := ports.RateLockChange{Book: b, Events: []ports.Event{{ID: "a", Key: "a", At: epoch}}, Work: []ports.WorkItem{{ID: "w", Kind: "k", DueAt: epoch}}}
	require.NoError(t, store.RateLocks().Save(t.Context(), change))
	empty := fill(t, dsn)
	_, err := store.Outbox().Claim(t.Context(), epoch, lease, 10)
	requireCode(t, errcodes.StorageUnavailable, err)
	_, err = store.Work().Claim(t.Context(), "k", epoch, lease, 10)
	requireCode(t, errcodes.StorageUnavailable, err)
	empty()
	events, err := store.Outbox().Claim(t.Context(), epoch, lease, 10)
	require.NoError(t, err)
	require.Len(t, events, 1)
	require.Equal(t, 1, events[0].Attempt)
	items, err := store.Work().Claim(t.Context(), "k", epoch, lease, 10)
	require.NoError(t, err)
	require.Len(t, items, 1)
	require.Equal(t, 1, items[0].Attempt)
}
