package postgres_test

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/storemodel"
)

// deliveries records what workers on one outbox did, by key: the events are numbered in
// the order of their saves.
type deliveries struct {
	mutex   sync.Mutex
	settled map[string][]bool // true once their settling began
	claims  map[string]int
	left    int
	wrong   []string
}

// claimed records a claim: all earlier events of the key must be settled.
func (d *deliveries) claimed(e ports.Event) (nth int) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	nth, _ = strconv.Atoi(string(e.Data))
	d.claims[e.ID]++
	for i := range nth {
		if !d.settled[e.Key][i] {
			d.wrong = append(d.wrong, fmt.Sprintf("%s was claimed before %d was settled", e.ID, i))
		}
	}
	if d.settled[e.Key][nth] || d.claims[e.ID] != e.Attempt {
		d.wrong = append(d.wrong, e.ID+" was claimed twice")
	}
	return d.claims[e.ID]
}

func (d *deliveries) settles(e ports.Event) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	nth, _ := strconv.Atoi(string(e.Data))
	d.settled[e.Key][nth] = true
	d.left--
}

func (d *deliveries) done() bool {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return d.left == 0
}

// Eight stores claim, settle and retry, while two more save to the same few keys. Events
// of a key are delivered in order, two workers never have the same event, and no event is
// lost.
func TestManyWorkersClaimEventsAtOnce(t *testing.T) {
	t.Parallel()
	const keys, workers = 6, 8
	perKey := rounds(8)
	for _, level := range settings(levels...) {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			dsn := emptied(t)
			pool := connect(t, dsn, isolated(level))
			d := &deliveries{settled: map[string][]bool{}, claims: map[string]int{}, left: keys * perKey}
			for k := range keys {
				d.settled[strconv.Itoa(k)] = make([]bool, perKey)
			}
			group, ctx := errgroup.WithContext(t.Context())
			stores := storesOn(t, pool, workers+2)
			for half, store := range stores[workers:] { // each key is saved by one store
				group.Go(func() error { return saveKeys(ctx, store, half, keys, perKey) })
			}
			for w, store := range stores[:workers] {
				group.Go(func() error { return d.deliver(ctx, store.Outbox(), w) })
			}
			require.NoError(t, group.Wait())
			require.Empty(t, d.wrong)
			events, err := on(t, pool, nil).Outbox().Claim(t.Context(), epoch.AddDate(1, 0, 0), lease, 10)
			require.NoError(t, err)
			require.Empty(t, events)
		})
	}
}

// storesOn returns that many stores on a pool of eight connections.
func storesOn(tb testing.TB, pool *pgxpool.Pool, n int) []*postgres.Store {
	tb.Helper()
	stores := make([]*postgres.Store, n)
	for i := range stores {
		stores[i] = on(tb, pool, nil)
	}
	return stores
}

// saveKeys saves events of every second key in turn.
func saveKeys(ctx context.Context, store *postgres.Store, half, keys, perKey int) error {
	for nth := range perKey {
		for k := half; k < keys; k += 2 {
			key := strconv.Itoa(k)
			b, err := store.RateLocks().Book(ctx, keyOf(key))
			if err != nil {
				return err
			}
			e := ports.Event{ID: fmt.Sprintf("%s/%d", key, nth), Kind: "k", Key: key, At: epoch, Data: []byte(strconv.Itoa(nth))}
			if err := saveAgain(ctx, store, ports.RateLockChange{Book: b, Events: []ports.Event{e}}); err != nil {
				return err
			}
		}
	}
	return nil
}

// saveAgain saves, and repeats a save that a serializable database has rolled back too
// often, as a service's caller does.
func saveAgain(ctx context.Context, store *postgres.Store, c ports.RateLockChange) error {
	for {
		if err := store.RateLocks().Save(ctx, c); errcodes.Of(err) != errcodes.StorageUnavailable {
			return err
		}
	}
}

// deliver claims until everything is settled. It retries each event once.
func (d *deliveries) deliver(ctx context.Context, outbox ports.Outbox, worker int) error {
	for !d.done() {
		var events []ports.Event
		err := insist(func() (err error) { events, err = outbox.Claim(ctx, epoch, lease, 1+worker); return err })
		if err != nil {
			return err
		}
		for _, e := range events {
			if d.claimed(e) == 1 {
				err = insist(func() error { return outbox.Retry(ctx, e, epoch) })
			} else {
				d.settles(e)
				err = insist(func() error { return end(ctx, outbox, e) })
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// end acknowledges most events, and buries the others.
func end(ctx context.Context, outbox ports.Outbox, e ports.Event) error {
	if len(e.ID)%4 == 0 {
		return outbox.Bury(ctx, e, "no use")
	}
	return outbox.Ack(ctx, e)
}

// Some workers replay what others bury, and leases end: finally every event was claimable
// and is delivered.
func TestNothingStaysBlocked(t *testing.T) {
	t.Parallel()
	for _, level := range settings(levels...) {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			pool := connect(t, emptied(t), isolated(level))
			const keys, workers = 3, 6
			perKey := rounds(12)
			group, ctx := errgroup.WithContext(t.Context())
			stores := storesOn(t, pool, workers+1)
			group.Go(func() error { return saveKeys(ctx, stores[workers], 0, 2*keys, perKey) })
			for w, store := range stores[:workers] {
				group.Go(func() error { return disturb(ctx, store, w) })
			}
			require.NoError(t, group.Wait())
			require.Equal(t, keys*perKey, drain(t, on(t, pool, nil)))
		})
	}
}

// disturb claims at later and later times, so that leases have ended when their holders
// settle; it never acknowledges.
func disturb(ctx context.Context, store *postgres.Store, worker int) error {
	for round := range rounds(20) {
		now := epoch.Add(time.Duration(round) * lease / 2)
		var events []ports.Event
		err := insist(func() (err error) { events, err = store.Outbox().Claim(ctx, now, lease, 1+worker); return err })
		if err != nil {
			return err
		}
		for i, e := range events {
			err := insist(func() error {
				if (i+round)%2 == 0 {
					return store.Outbox().Bury(ctx, e, "no use")
				}
				return store.Outbox().Retry(ctx, e, now)
			})
			if err != nil && errcodes.Of(err) != errcodes.Conflict {
				return err
			}
		}
		if round%5 == worker%5 {
			err := insist(func() error { _, err := store.DeadLetters().Replay(ctx, now, storemodel.AuditRow); return err })
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// drain acknowledges all events and returns their number.
func drain(t *testing.T, store *postgres.Store) (total int) {
	t.Helper()
	late := epoch.AddDate(1, 0, 0)
	_, err := store.DeadLetters().Replay(t.Context(), late, storemodel.AuditRow)
	require.NoError(t, err)
	for {
		events, err := store.Outbox().Claim(t.Context(), late, lease, 1000)
		require.NoError(t, err)
		for _, e := range events {
			require.NoError(t, store.Outbox().Ack(t.Context(), e))
		}
		if total += len(events); len(events) == 0 {
			return total
		}
	}
}
