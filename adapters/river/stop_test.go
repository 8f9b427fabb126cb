package river_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
	"github.com/corridor-go/corridor/adapters/river"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Items that a process has not begun go to others at once; those that it has begun
// continue.
func TestStopReleasesWaitingItems(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t, tables)
	first := open(t, dsn, river.Config{Grace: time.Minute})
	begun, goOn := make(chan struct{}), make(chan struct{})
	work := first.store.Work()
	first.run(river.Jobs{Work: map[string]river.Tick{notify: func(ctx context.Context, now time.Time) error {
		var all []ports.WorkItem
		for len(all) < 2 && ctx.Err() == nil {
			claimed, err := work.Claim(ctx, notify, now.Add(time.Minute), time.Minute, 1)
			require.NoError(t, err)
			all = append(all, claimed...)
		}
		close(begun)
		<-goOn
		return errors.Join(work.Done(ctx, all[0]), work.Done(ctx, all[1]))
	}}})
	first.save(t, "shop", items("begun", "begun, too"))
	<-begun
	first.save(t, "second", items("waiting"))
	eventually(t, "one more waits", func() bool { return first.jobs(t, "running") == 3 })

	stopped := make(chan error, 1)
	go func() { stopped <- first.queue.Stop(context.Background()) }()
	_, other := serve(t, dsn, river.Config{})
	eventually(t, "another process has it and its job", func() bool { return len(other.handled()) == 1 && first.jobs(t, "completed") >= 1 })
	require.Equal(t, []string{"waiting"}, other.handled())
	require.Empty(t, stopped, "Stop waits for the round")
	close(goOn)
	require.NoError(t, <-stopped)
	require.NoError(t, <-first.ran)
	eventually(t, "all are done", func() bool { return first.jobs(t, "completed") == 3 })
	require.NoError(t, first.queue.Run(t.Context(), river.Jobs{Tickers: []river.Ticker{ticker("late")}}), "Run returns nil after Stop")
	first.save(t, "third", items("after Stop"))
	eventually(t, "its changes are still worked off", func() bool { return len(other.handled()) == 2 })
}

func ticker(name string) river.Ticker {
	return river.Ticker{Name: name, Every: time.Second, Tick: func(context.Context, time.Time) error { return nil }}
}

// The contexts of rounds end after the grace, or at once with Run's context.
func TestAnInterruptedRoundGoesToAnotherProcess(t *testing.T) {
	t.Parallel()
	for name, stop := range map[string]func(p *process, cancel func()) error{
		"Stop": func(p *process, _ func()) error {
			ctx, cancel := context.WithTimeout(context.Background(), within)
			defer cancel()
			return p.queue.Stop(ctx)
		},
		"Run's context": func(_ *process, cancel func()) error { cancel(); return nil },
		"Run's context, when Stop waits": func(p *process, cancel func()) error {
			over, end := context.WithCancel(context.Background())
			end()
			if err := p.queue.Stop(over); !errors.Is(err, context.Canceled) {
				return err
			}
			cancel() // whether the process already waits for its rounds or not
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn := pgtest.Database(t, tables)
			grace := 200 * time.Millisecond
			if name != "Stop" {
				grace = 10 * time.Minute // longer than a test may take
			}
			p := open(t, dsn, river.Config{Grace: grace, Timeout: time.Hour})
			begun := make(chan string, 2)
			block := func(what string) river.Tick {
				return func(ctx context.Context, _ time.Time) error {
					begun <- what
					<-ctx.Done()
					return ctx.Err()
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			long := river.Ticker{Name: "long", Every: time.Hour, AtStart: true, Timeout: time.Hour, Tick: block("long")}
			go func() {
				p.ran <- p.queue.Run(ctx, river.Jobs{Work: map[string]river.Tick{notify: block("item")}, Tickers: []river.Ticker{long}})
			}()
			p.save(t, "shop", items("a"))
			<-begun
			<-begun
			require.NoError(t, stop(p, cancel))
			require.Equal(t, errcodes.Of(ctx.Err()), errcodes.Of(<-p.ran))
			require.Equal(t, 2, p.count(t, "river_job WHERE state = 'available' AND scheduled_at <= now() AND (kind <> 'corridor_work' OR args ? 'due')"), "both jobs can run at once")
			require.Zero(t, p.count(t, "queue_processes"))
		})
	}
}

func TestStopEndsWithItsContext(t *testing.T) {
	t.Parallel()
	p := open(t, pgtest.Database(t, tables), river.Config{Grace: 300 * time.Millisecond})
	begun := make(chan struct{})
	long := ticker("long")
	long.Every, long.AtStart, long.Tick = time.Hour, true, func(ctx context.Context, _ time.Time) error {
		close(begun)
		<-ctx.Done()
		return nil
	}
	p.run(river.Jobs{Tickers: []river.Ticker{long}})
	<-begun
	late, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, p.queue.Stop(late), context.Canceled)
	require.NoError(t, p.queue.Stop(t.Context()), "again, with time")
}

func TestStopWithoutRun(t *testing.T) {
	t.Parallel()
	p := open(t, pgtest.Database(t, tables), river.Config{})
	require.NoError(t, p.queue.Stop(t.Context()))
	require.NoError(t, p.queue.Stop(t.Context()))
}
