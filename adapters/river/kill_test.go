package river_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
	"github.com/corridor-go/corridor/adapters/river"
)

// The test binary runs again as a second process with these variables.
const (
	childVariable = "CORRIDOR_RIVER_CHILD"
	deadVariable  = "CORRIDOR_RIVER_DEAD_AFTER"
)

// child is the process that is killed. It leads and runs an item and a round.
func child(dsn string) {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, dsn)
	must(err)
	queue, err := river.New(ctx, pool, &river.Config{Kinds: []string{notify}, DeadAfter: deadAfter()})
	must(err)
	store, err := postgres.New(ctx, pool, nil)
	must(err)
	must(queue.Run(ctx, river.Jobs{
		Work: map[string]river.Tick{notify: func(ctx context.Context, now time.Time) error {
			claimed, err := store.Work().Claim(ctx, notify, now, 5*deadAfter(), 1)
			must(err)
			if len(claimed) == 0 {
				return nil
			}
			fmt.Println("claimed")
			<-ctx.Done()
			return nil
		}},
		Tickers: []river.Ticker{
			{Name: "slow", Every: time.Hour, AtStart: true, Timeout: time.Hour, Tick: func(ctx context.Context, _ time.Time) error {
				fmt.Println("slow")
				<-ctx.Done()
				return nil
			}},
			{Name: "quick", Every: time.Second, Tick: func(context.Context, time.Time) error { return nil }},
		},
	}))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// deadAfter is shorter than a service's default, and than River's own leadership. A
// machine without time for a second may consider a process dead that lives.
func deadAfter() time.Duration {
	if d, err := time.ParseDuration(os.Getenv(deadVariable)); err == nil {
		return d
	}
	if *full {
		return 4 * time.Second
	}
	return time.Second
}

// notes count what happened.
type notes struct {
	mu sync.Mutex
	n  map[string]int
}

func (m *notes) note(what string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.n[what]++
}

func (m *notes) times(what string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.n[what]
}

func (m *notes) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.n)
}

// A process is killed while it leads and runs an item and a round: another one does the
// work and keeps ticking (I17, I22). With -full, the test also waits until the process
// would be dead if it did not beat.
func TestKill(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t, tables)
	p := open(t, dsn, river.Config{DeadAfter: deadAfter(), Poll: 100 * time.Millisecond})
	kill, lines := spawn(t, dsn)
	p.save(t, "shop", items("a"))
	got := map[string]bool{}
	for !got["claimed"] || !got["slow"] {
		got[<-lines] = true
	}

	seen := &notes{n: map[string]int{}}
	s := &service{work: p.store.Work()}
	noting := func(name string) river.Ticker {
		return river.Ticker{Name: name, Every: time.Second, Timeout: time.Hour, Tick: func(context.Context, time.Time) error {
			seen.note(name)
			return nil
		}}
	}
	p.run(river.Jobs{
		Work:    map[string]river.Tick{notify: s.Tick},
		Tickers: []river.Ticker{noting("slow"), noting("quick")},
	})
	eventually(t, "both processes are known", func() bool { return p.count(t, "queue_processes") == 2 })
	if *full {
		p.beatsOfAll(t, 2*beatsBeforeDead)
		require.Empty(t, s.handled())
	}
	kill()
	eventually(t, "the item and the round are taken over", func() bool { return len(s.handled()) == 1 && seen.times("slow") >= 1 })
	eventually(t, "there is a new leader", func() bool {
		return p.count(t, "queue_processes") == 1 && p.count(t, "river_leader WHERE leader_id IN (SELECT id FROM corridor.queue_processes)") == 1
	})
	seen.forget()
	eventually(t, "the ticker goes on", func() bool { return seen.times("quick") >= 1 })
	eventually(t, "nothing is left running", func() bool { return p.jobs(t, "running") == 0 && p.count(t, "queue_processes") == 1 })
}

// beatsBeforeDead is how many beats of the others a process sees within DeadAfter.
const beatsBeforeDead = 8

// beatsOfAll returns once each process has shown n more signs of life.
func (p *process) beatsOfAll(tb testing.TB, n int) {
	tb.Helper()
	beats := func() map[string]int {
		rows, err := p.pool.Query(context.Background(), "SELECT id, beats FROM corridor.queue_processes")
		require.NoError(tb, err)
		all := map[string]int{}
		var id string
		var count int
		_, err = pgx.ForEachRow(rows, []any{&id, &count}, func() error { all[id] = count; return nil })
		require.NoError(tb, err)
		return all
	}
	first := beats()
	eventually(tb, "all processes beat", func() bool {
		now := beats()
		for id, count := range first {
			if now[id] < count+n {
				return false
			}
		}
		return true
	})
}

func (p *process) count(tb testing.TB, table string) (n int) {
	tb.Helper()
	require.NoError(tb, p.pool.QueryRow(context.Background(), "SELECT count(*) FROM corridor."+table).Scan(&n))
	return n
}

// spawn starts the child. kill kills it with SIGKILL.
func spawn(t *testing.T, dsn string) (kill func(), output <-chan string) {
	t.Helper()
	c := exec.CommandContext(context.Background(), os.Args[0])
	c.Env = append(os.Environ(), childVariable+"="+dsn, deadVariable+"="+deadAfter().String())
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	lines := make(chan string, 10)
	var reading sync.WaitGroup
	reading.Go(func() {
		defer close(lines)
		for scan := bufio.NewScanner(out); scan.Scan(); {
			lines <- scan.Text()
		}
	})
	var once sync.Once
	kill = func() { once.Do(func() { _ = c.Process.Kill(); reading.Wait(); _ = c.Wait() }) }
	t.Cleanup(kill)
	return kill, lines
}
