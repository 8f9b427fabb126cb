package river_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/riverqueue/river/rivertype"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
	"github.com/corridor-go/corridor/adapters/river"
	"github.com/corridor-go/corridor/errcodes"
)

// A process that cannot look at the others does not consider them dead.
func TestAnUnreachableDatabaseMakesNoProcessDead(t *testing.T) {
	onlyInFull(t, "it waits for seconds; TestAProcessThatDoesNotBeatIsDead has the rule")
	t.Parallel()
	cluster := pgtest.New(t, nil)
	dsn := cluster.Database(t, migrated)
	rescued := make(chan int, 10)
	begun, goOn := make(chan struct{}, 1000), make(chan struct{})
	var all []*process
	var services []*service
	for range 2 {
		p := open(t, dsn, river.Config{DeadAfter: time.Second, Hooks: river.Hooks{Rescued: func(_ context.Context, n int) { rescued <- n }}})
		s := &service{work: p.store.Work()}
		p.run(river.Jobs{Work: map[string]river.Tick{notify: func(ctx context.Context, now time.Time) error {
			begun <- struct{}{}
			<-goOn
			return s.Tick(ctx, now)
		}}})
		all, services = append(all, p), append(services, s)
	}
	p := all[0]
	p.save(t, "shop", items("a"))
	<-begun
	eventually(t, "both processes are known", func() bool { return p.count(t, "queue_processes") == 2 })
	require.NoError(t, cluster.Pause())
	<-time.After(3 * time.Second) // longer than DeadAfter
	require.NoError(t, cluster.Resume())
	p.beatsOfAll(t, 2*beatsBeforeDead)
	require.Empty(t, rescued)
	close(goOn)
	eventually(t, "the item is done", func() bool { return p.jobs(t, "completed") == 1 })
	require.Len(t, append(services[0].handled(), services[1].handled()...), 1, "once")
}

// A run that River lost, such as one whose end it could not store, is repeated.
func TestARunWithoutAProcessIsRepeated(t *testing.T) {
	t.Parallel()
	for name, holder := range map[string]string{
		"of an unknown process": "'gone'",
		"of this process":       "(SELECT id FROM corridor.queue_processes)",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rescued := make(chan int, 1)
			p, _ := serve(t, pgtest.Database(t, tables), river.Config{DeadAfter: time.Second, Hooks: river.Hooks{Rescued: func(_ context.Context, n int) { rescued <- n }}})
			p.save(t, "shop", items("a"))
			eventually(t, "it is done", func() bool { return p.jobs(t, "completed") == 1 })
			_, err := p.pool.Exec(t.Context(), `UPDATE corridor.river_job
				SET state = 'running', finalized_at = NULL, attempted_by = array_append(attempted_by, `+holder+`) WHERE args ? 'due'`)
			require.NoError(t, err)
			require.Equal(t, 1, <-rescued)
			eventually(t, "it is done again", func() bool { return p.jobs(t, "completed") == 1 })
		})
	}
}

// Texts of errors and panics that River would log are not logged.
func TestRiversLogIsGuarded(t *testing.T) {
	got := &records{}
	log := slog.New(river.Guard(got)).With("secret", "secret", "queue", "work-notify")
	log.Info("of no interest")
	log.Warn("JobExecutor: failed", "job_id", 7, "error", errSecret.Error(), "panic_val", "secret",
		"err", errors.Join(errSecret, &pgconn.PgError{Code: "40001", Message: "secret"}))
	require.Equal(t, "JobExecutor: failed job_id=7 sqlstate=40001", got.text())
}

// Run waits for an unreachable database, and continues after an outage.
func TestRunSurvivesAnOutageOfTheDatabase(t *testing.T) {
	t.Parallel()
	cluster := pgtest.New(t, nil)
	dsn := cluster.Database(t, migrated)
	failures, logged, began := make(chan error, 1000), new(messages), time.Now()
	p := open(t, dsn, river.Config{DeadAfter: time.Second, Logger: slog.New(logged), Hooks: river.Hooks{Background: func(_ context.Context, err error) { failures <- err }}})
	stopped := open(t, dsn, river.Config{})
	require.NoError(t, cluster.Stop(pgtest.Immediate))
	s := &service{work: p.store.Work()}
	p.run(river.Jobs{Work: map[string]river.Tick{notify: s.Tick}})
	requireCode(t, errcodes.StorageUnavailable, <-failures)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, stopped.queue.Run(ctx, river.Jobs{Tickers: []river.Ticker{ticker("any")}}), context.Canceled)

	for i, owner := range []string{"first", "second"} {
		require.NoError(t, cluster.Start())
		eventually(t, "the change is stored", func() bool { return p.trySave(t, owner, items(owner)) == nil })
		eventually(t, "its work is done", func() bool { return slices.Contains(s.handled(), owner) && p.jobs(t, "running") == 0 })
		if i == 0 {
			require.NoError(t, cluster.Stop(pgtest.Immediate))
			for range len(failures) + 2 { // River fails repeatedly
				requireCode(t, errcodes.StorageUnavailable, <-failures)
			}
			eventually(t, "River's own log is read", func() bool { return logged.count()["producer: Error fetching jobs"] > 0 })
		}
	}
	minutes := 1 + int(time.Since(began)/time.Minute)
	for message, n := range logged.count() {
		require.LessOrEqual(t, n, minutes, "%s: logged more than once a minute", message)
	}
}

// River sets the time of a round by its leader's clock and that of other jobs that run at
// once by the process's clock. Both may be ahead of the database's clock.
func TestJobsThatRunAtOnceHaveTheDatabasesTime(t *testing.T) {
	t.Parallel()
	ahead := time.Now().Add(5 * time.Minute)
	for _, job := range []struct {
		what   string
		unique []byte
		at     *time.Time
		kept   bool
	}{
		{"a round of an interval", []byte("key"), &ahead, false}, {"an event", nil, nil, false},
		{"an item that is due", nil, nil, false}, {"an item that is not due", nil, &ahead, true},
	} {
		inserted := &rivertype.JobInsertParams{UniqueKey: job.unique, ScheduledAt: job.at}
		require.NoError(t, river.DateByDatabase(t.Context(), inserted))
		require.Equal(t, job.kept, inserted.ScheduledAt.Equal(ahead), job.what)
		require.Equal(t, !job.kept, inserted.ScheduledAt.IsZero(), job.what)
	}
}

// A process whose clock is an hour ahead of the database's still runs its rounds and
// items.
func TestADatabaseWhoseClockIsBehind(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t, migrated)
	setClockBack(t, dsn)
	p := open(t, dsn, river.Config{Wake: map[string]string{"report.created": "reports"}})
	s := &service{work: p.store.Work()}
	var rounds, woken tally
	p.run(river.Jobs{
		Work: map[string]river.Tick{notify: s.Tick},
		Tickers: []river.Ticker{
			{Name: "rounds", Every: time.Second, Tick: func(context.Context, time.Time) error { rounds.begin()(); return nil }},
			{Name: "reports", Every: time.Hour, Tick: func(context.Context, time.Time) error { woken.begin()(); return nil }},
		},
	})
	p.save(t, "shop", items("item"), event("event", "report.created"))
	eventually(t, "an item", func() bool { return len(s.handled()) == 1 })
	eventually(t, "a wake-up", func() bool { total, _ := woken.read(); return total == 1 })
	eventually(t, "a round", func() bool { total, _ := rounds.read(); return total >= 1 })
}

// setClockBack makes the time an hour earlier for statements of new connections to the
// database.
func setClockBack(t *testing.T, dsn string) {
	t.Helper()
	pool := connect(t, dsn)
	_, err := pool.Exec(t.Context(), `CREATE SCHEMA behind;
		CREATE FUNCTION behind.now() RETURNS timestamptz STABLE LANGUAGE sql AS $$ SELECT pg_catalog.now() - interval '1 hour' $$;
		DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = behind, public, pg_catalog', current_database()); END $$`)
	require.NoError(t, err)
}

func TestAProcessThatDoesNotBeatIsDead(t *testing.T) {
	judge := river.FindDead(8 * time.Second)
	now := time.Now()
	look := func(after time.Duration, a, b int64) []string {
		now = now.Add(after)
		return judge(map[string]int64{"a": a, "b": b}, now)
	}
	for beat := range int64(8) {
		require.Empty(t, look(time.Second, beat, 5))
	}
	require.Equal(t, []string{"b"}, look(time.Second, 8, 5))
	require.Empty(t, look(time.Second, 9, 6), "the process was only slow")
	require.Empty(t, look(time.Minute, 9, 6), "after a pause, observation starts again")
	require.Empty(t, look(4*time.Second, 9, 6))
	require.ElementsMatch(t, []string{"a", "b"}, look(4*time.Second, 9, 6))
}
