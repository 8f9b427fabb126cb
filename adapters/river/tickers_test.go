package river_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
	"github.com/corridor-go/corridor/adapters/river"
	"github.com/corridor-go/corridor/ports"
)

// tally counts what processes did.
type tally struct {
	mu    sync.Mutex
	total int
	now   int
	most  int
}

func (c *tally) begin() (end func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.total++
	c.now++
	c.most = max(c.most, c.now)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.now--
	}
}

func (c *tally) read() (total, most int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.total, c.most
}

func event(id, kind string) ports.Event {
	return ports.Event{ID: id, Kind: kind, Key: "key", Owner: "shop", At: time.Now(), Data: []byte(`{}`)}
}

// Three processes together run each round and each item once, as one process would (I22).
func TestProcessesShareTheWork(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t, tables)
	var rounds, slow tally
	var services []*service
	var all []*process
	goOn := make(chan struct{})
	began := time.Now()
	for range 3 {
		p := open(t, dsn, river.Config{})
		s := &service{work: p.store.Work()}
		all, services = append(all, p), append(services, s)
		p.run(river.Jobs{
			Work: map[string]river.Tick{notify: s.Tick},
			Tickers: []river.Ticker{
				{Name: "rounds", Every: time.Second, AtStart: true, Tick: func(context.Context, time.Time) error {
					defer rounds.begin()()
					return errSecret // an error does not add rounds
				}},
				{Name: "slow.rounds", Every: time.Second, AtStart: true, Timeout: time.Hour, Tick: func(ctx context.Context, _ time.Time) error {
					defer slow.begin()()
					select {
					case <-ctx.Done():
					case <-goOn:
					}
					return nil
				}},
			},
		})
	}
	const many = 30
	for i := range many {
		all[i%3].save(t, "shop-"+string(rune('0'+i)), items("item-"+string(rune('0'+i))))
	}
	eventually(t, "three rounds while a slow one runs", func() bool {
		total, _ := rounds.read()
		slow, _ := slow.read()
		return total >= 3 && slow > 0
	})
	total, _ := slow.read()
	require.Equal(t, 1, total, "a slow round is not doubled")
	close(goOn)
	total, most := rounds.read()
	if *full { // a busy machine may have another leader, whose first round comes at once
		require.LessOrEqual(t, total, int(time.Since(began)/time.Second)+2, "one round per second, and the first one of a leader")
	}
	require.Equal(t, 1, most)
	var handled map[string]int
	eventually(t, "all items handled", func() bool {
		handled = map[string]int{}
		for _, s := range services {
			for _, id := range s.handled() {
				handled[id]++
			}
		}
		return len(handled) == many
	})
	for id, n := range handled {
		require.Equal(t, 1, n, id)
	}
}

func TestAnEventWakesATicker(t *testing.T) {
	t.Parallel()
	p := open(t, pgtest.Database(t, tables), river.Config{Wake: map[string]string{"report.created": "reports"}})
	woken, open := make(chan struct{}, 10), make(chan struct{})
	p.run(river.Jobs{Tickers: []river.Ticker{
		{Name: "reports", Every: time.Hour, AtOnce: 2, Timeout: time.Hour, Tick: func(ctx context.Context, _ time.Time) error {
			woken <- struct{}{}
			select {
			case <-open:
			case <-ctx.Done():
			}
			return nil
		}},
	}})
	p.save(t, "shop", nil, event("1", "report.created"), event("2", "rate_lock.minted"))
	<-woken
	p.save(t, "second", nil, event("3", "report.created"), event("4", "report.created"))
	<-woken // while the first still runs
	eventually(t, "the third waits", func() bool { return p.jobs(t, "running") == 2 && p.jobs(t, "available") == 1 })
	close(open)
	<-woken
	eventually(t, "all have ended", func() bool { return p.jobs(t, "completed") == 3 })
	events, err := p.store.Outbox().Claim(t.Context(), time.Now(), time.Minute, 10)
	require.NoError(t, err)
	require.NotEmpty(t, events, "the store has the events, too")
}

// Ended jobs are removed, except for those that somebody cancelled or River gave up.
func TestEndedJobsAreRemoved(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t, tables)
	p := open(t, dsn, river.Config{})
	p.save(t, "shop", items("done a while ago", "done just now", "cancelled long ago", "given up long ago"))
	for _, ended := range []string{
		"'completed', finalized_at = now() - interval '2 minutes'",
		"'completed', finalized_at = now() - interval '5 seconds'",
		"'cancelled', finalized_at = now() - interval '10 years'",
		"'discarded', finalized_at = now() - interval '10 years'",
	} {
		_, err := p.pool.Exec(t.Context(), "UPDATE corridor.river_job SET state = "+ended+
			" WHERE id = (SELECT min(id) FROM corridor.river_job WHERE state = 'available')")
		require.NoError(t, err)
	}
	p.run(river.Jobs{Tickers: []river.Ticker{ticker("any")}})
	eventually(t, "the old one is removed", func() bool { return p.count(t, "river_job WHERE args ? 'due'") == 3 })
	require.Equal(t, 1, p.jobs(t, "cancelled"))
	require.Equal(t, 1, p.jobs(t, "discarded"))
}
