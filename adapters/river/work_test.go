package river_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
	"github.com/corridor-go/corridor/adapters/river"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// serve opens a process whose service handles the work.
func serve(tb testing.TB, dsn string, config river.Config) (*process, *service) {
	tb.Helper()
	p := open(tb, dsn, config)
	s := &service{work: p.store.Work()}
	p.run(river.Jobs{Work: map[string]river.Tick{notify: s.Tick}})
	return p, s
}

func TestWorkRunsWithItsChange(t *testing.T) {
	t.Parallel()
	p, s := serve(t, pgtest.Database(t, tables), river.Config{})
	want := items("a")[0]
	want.ID, want.Payload = "a\x00\xff", []byte("any\x00\xff bytes")
	p.save(t, "shop", []ports.WorkItem{want})
	eventually(t, "the item is handled", func() bool { return len(s.handled()) == 1 })
	got := s.got[0]
	require.Equal(t, []any{want.ID, want.Payload, 1}, []any{got.ID, got.Payload, got.Attempt})
	require.Equal(t, want.DueAt.UnixMilli(), got.DueAt.UnixMilli())
	eventually(t, "the job is completed", func() bool { return p.jobs(t, "completed") == 1 })
	claimed, err := p.store.Work().Claim(t.Context(), notify, time.Now(), time.Minute, 10)
	require.NoError(t, err)
	require.Empty(t, claimed, "the store does not have a second copy")
}

func TestARejectedChangeLeavesNoJob(t *testing.T) {
	t.Parallel()
	p := open(t, pgtest.Database(t, tables), river.Config{})
	p.save(t, "shop", nil)
	requireCode(t, errcodes.Conflict, p.trySave(t, "shop", items("of a stale version")))
	require.Zero(t, p.jobs(t, "available"))

	p.save(t, "first", items("twice"))
	err := p.trySave(t, "second", items("fresh", "twice"))
	requireCode(t, errcodes.Conflict, err)
	require.Equal(t, 1, p.jobs(t, "available"))
	book, err := p.store.RateLocks().Book(t.Context(), ports.BookKey{Owner: "second", Pair: ports.Pair{Base: "USD", Quote: "ZAR"}})
	require.NoError(t, err)
	require.Zero(t, book.Version, "the change was rejected with its work")

	tx, err := p.pool.Begin(t.Context())
	require.NoError(t, err)
	require.NoError(t, p.queue.Enqueue(t.Context(), tx, nil, items("undone")))
	require.NoError(t, tx.Rollback(t.Context()))
	require.Equal(t, 1, p.count(t, "river_job"))
	p.save(t, "third", []ports.WorkItem{item("in an hour", time.Now().Add(time.Hour))})
	require.Equal(t, 1, p.jobs(t, "scheduled"), "it is scheduled until then")
}

// The leader inserts the rounds of the kinds that only other processes run: nothing else
// finds an item that a process without a queue has stored.
func TestRoundsRunWhereTheirWorkIs(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t, tables)
	config := river.Config{Kinds: []string{notify}, Every: time.Second}
	leader := open(t, dsn, config)
	leader.run(river.Jobs{Tickers: []river.Ticker{{
		Name: "idle", Every: time.Hour, Tick: func(context.Context, time.Time) error { return nil },
	}}})
	eventually(t, "the process leads", func() bool { return leader.count(t, "river_leader") == 1 })
	_, s := serve(t, dsn, config)
	alone := open(t, dsn, config)
	alone.withoutHook(t)
	alone.save(t, "shop", items("a"))
	eventually(t, "the item is handled", func() bool { return len(s.handled()) == 1 })
}

func TestAnIDCanBeReusedAfterItsItemIsDone(t *testing.T) {
	t.Parallel()
	p, s := serve(t, pgtest.Database(t, tables), river.Config{})
	for i, owner := range []string{"first", "second"} {
		p.save(t, owner, items("again"))
		eventually(t, "the item is done", func() bool { return len(s.handled()) == i+1 && p.jobs(t, "completed") == i+1 })
	}
}

func TestWorkWaitsUntilItIsDue(t *testing.T) {
	t.Parallel()
	p, s := serve(t, pgtest.Database(t, tables), river.Config{})
	due := time.Now().Add(1500 * time.Millisecond)
	p.save(t, "shop", []ports.WorkItem{item("later", due)})
	eventually(t, "the item is handled", func() bool { return len(s.handled()) == 1 })
	require.False(t, time.Now().Before(due), "not before its time")
}

func TestARetriedItemRunsAgainAndABuriedOneDoesNot(t *testing.T) {
	t.Parallel()
	p := open(t, pgtest.Database(t, tables), river.Config{Every: time.Second})
	s := &service{work: p.store.Work()}
	var at time.Time
	s.settle = func(ctx context.Context, w ports.WorkItem) error {
		if w.Attempt == 1 {
			at = time.Now().Add(300 * time.Millisecond)
			return s.work.Retry(ctx, w, at)
		}
		return s.work.Bury(ctx, w, "no use")
	}
	p.run(river.Jobs{Work: map[string]river.Tick{notify: s.Tick}})
	p.save(t, "shop", items("a"))
	eventually(t, "the item is buried", func() bool { return p.count(t, "work_items WHERE reason = 'no use'") == 1 })
	require.False(t, time.Now().Before(at))
	require.Equal(t, []string{"a", "a"}, s.handled())
	require.Equal(t, at.UnixMilli(), s.got[1].DueAt.UnixMilli(), "the retry time is the new due time")
}

func TestAnUnsettledItemRunsAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tick  func(s *service) error
		fails bool
	}{
		"an error":     {func(*service) error { return errcodes.New(errcodes.StorageUnavailable, "") }, true},
		"nothing done": {func(*service) error { return nil }, false},
		"a panic":      {func(*service) error { panic("secret payload") }, true},
		"claimed, not settled": {func(s *service) error {
			_, err := s.work.Claim(context.Background(), notify, time.Now(), time.Second, 1)
			return err
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := &records{}
			ended := make(chan error, 1000)
			p := open(t, pgtest.Database(t, tables), river.Config{Every: time.Second, Logger: slog.New(log), Hooks: river.Hooks{
				JobEnded: func(_ context.Context, _ string, _ time.Duration, err error) { ended <- err },
			}})
			s := &service{work: p.store.Work()}
			first := true
			p.save(t, "shop", items("a"))
			p.run(river.Jobs{Work: map[string]river.Tick{notify: func(ctx context.Context, now time.Time) error {
				if first {
					first = false
					return c.tick(s)
				}
				return s.Tick(ctx, now)
			}}})
			require.Equal(t, c.fails, <-ended != nil)
			eventually(t, "the item is done after all", func() bool { return len(s.handled()) == 1 && p.count(t, "work_items") == 0 })
			require.NotContains(t, log.text(), "secret")
			require.NotContains(t, log.text(), "payload of a")
		})
	}
}

func TestOneTickHandlesAllWaitingItems(t *testing.T) {
	t.Parallel()
	p := open(t, pgtest.Database(t, tables), river.Config{})
	s := &service{work: p.store.Work()}
	first, open := make(chan struct{}), make(chan struct{})
	var once sync.Once
	p.run(river.Jobs{Work: map[string]river.Tick{notify: func(ctx context.Context, now time.Time) error {
		err := s.Tick(ctx, now)
		once.Do(func() { close(first); <-open })
		return err
	}}})
	p.save(t, "shop", items("first"))
	<-first
	var many []string
	for i := range 50 {
		many = append(many, "item-"+string(rune('A'+i)))
	}
	p.save(t, "crowd", items(many...))
	eventually(t, "all wait for the next round", func() bool { return p.jobs(t, "running") == 1+len(many) })
	close(open)
	eventually(t, "all are done", func() bool { return p.jobs(t, "completed") == 1+len(many) })
	require.Less(t, s.ticks, 5, "not one for each item") // one more at the start, and one for what came during a round
}

func TestWorkOfOtherKindsWakesNobody(t *testing.T) {
	t.Parallel()
	p := open(t, pgtest.Database(t, tables), river.Config{Wake: map[string]string{"report.created": "reports"}})
	other := items("a", "b")
	other[0].Kind, other[1].Kind = "report.created", "other"
	p.save(t, "shop", other)
	require.Zero(t, p.count(t, "river_job"))
	require.Equal(t, 2, p.count(t, "work_items"))
}

// records records what was logged.
type records struct {
	mu  sync.Mutex
	got []string
}

func (r *records) Enabled(context.Context, slog.Level) bool { return true }
func (r *records) WithAttrs([]slog.Attr) slog.Handler       { return r }
func (r *records) WithGroup(string) slog.Handler            { return r }

func (r *records) Handle(_ context.Context, rec slog.Record) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	line := rec.Message
	rec.Attrs(func(a slog.Attr) bool {
		line += " " + a.String()
		return true
	})
	r.got = append(r.got, line)
	return nil
}

func (r *records) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(slices.Clone(r.got), "\n")
}

var errSecret = errors.New("secret payload")
