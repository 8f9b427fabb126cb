package postgres_test

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

func addWork(ctx context.Context, store *postgres.Store, items ...ports.WorkItem) error {
	b, err := store.RateLocks().Book(ctx, keyOf("acme"))
	if err != nil {
		return err
	}
	return store.RateLocks().Save(ctx, ports.RateLockChange{Book: b, Work: items})
}

// Work that a hook wants is stored all the same, so that a process without the hook can
// claim it.
func TestAHooksWorkIsStored(t *testing.T) {
	t.Parallel()
	dsn := emptied(t)
	require.NoError(t, addWork(t.Context(), open(t, dsn, &postgres.Config{Hook: everything{}}), ports.WorkItem{ID: "a", Kind: "k", DueAt: epoch}))
	for name, store := range map[string]*postgres.Store{
		"without a hook": open(t, dsn, nil), "with the hook": open(t, dsn, &postgres.Config{Hook: everything{}}),
	} {
		claimed, err := store.Work().Claim(t.Context(), "k", epoch, lease, 1)
		require.NoError(t, err)
		require.Len(t, claimed, 1, name)
		require.Equal(t, "a", claimed[0].ID)
		require.NoError(t, store.Work().Retry(t.Context(), claimed[0], epoch))
	}
}

// Two workers never have the same item, and no item is lost.
func TestManyWorkersClaimWorkAtOnce(t *testing.T) {
	t.Parallel()
	const workers = 8
	items := rounds(80)
	for _, level := range settings(levels...) {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			pool := connect(t, emptied(t), isolated(level))
			var all []ports.WorkItem
			for i := range items {
				all = append(all, ports.WorkItem{ID: strconv.Itoa(i), Kind: "k", DueAt: epoch.Add(-time.Duration(i) * time.Second)})
			}
			require.NoError(t, addWork(t.Context(), on(t, pool, nil), all...))
			group, ctx := errgroup.WithContext(t.Context())
			var mutex sync.Mutex
			got := map[string]int{}
			stores := storesOn(t, pool, workers)
			for w := range workers {
				store := stores[w]
				group.Go(func() error {
					return finish(ctx, store.Work(), 1+w, func(i ports.WorkItem) (total int) {
						mutex.Lock()
						defer mutex.Unlock()
						got[i.ID]++
						return len(got)
					}, items)
				})
			}
			require.NoError(t, group.Wait())
			require.Len(t, got, items)
			for id, n := range got {
				require.Equal(t, 1, n, id)
			}
		})
	}
}

// insist repeats a call that lost to others on the queue, as a worker does.
func insist(call func() error) (err error) {
	for range 100 {
		if err = call(); errcodes.Of(err) != errcodes.StorageUnavailable {
			break
		}
	}
	return err
}

// finish claims and finishes until note has seen all items.
func finish(ctx context.Context, work ports.Work, n int, note func(ports.WorkItem) int, all int) error {
	for seen, empty := 0, 0; seen < all && empty < 20; {
		var claimed []ports.WorkItem
		err := insist(func() (err error) { claimed, err = work.Claim(ctx, "k", epoch, lease, n); return err })
		if err != nil {
			return err
		}
		if empty++; len(claimed) > 0 {
			empty = 0
		}
		for _, i := range claimed {
			seen = note(i)
			if err := insist(func() error { return work.Done(ctx, i) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// TestWorkModel compares the work items with a simple model.
func TestWorkModel(t *testing.T) {
	pool := connect(t, emptied(t), nil)
	store := on(t, pool, nil)
	rapid.Check(t, func(rt *rapid.T) {
		_, err := pool.Exec(t.Context(), "TRUNCATE corridor.work_items")
		require.NoError(t, err)
		m := &workModel{store: store, now: epoch}
		rt.Repeat(map[string]func(*rapid.T){"save": m.save, "claim": m.claim, "settle": m.settle, "jump": m.jump})
	})
}

type modelItem struct {
	ports.WorkItem
	until  time.Time // end of the lease
	leased bool
	buried bool
}

type workModel struct {
	store  *postgres.Store
	now    time.Time
	saved  int
	items  []*modelItem // in the order of their saves
	claims []ports.WorkItem
}

func (m *workModel) jump(t *rapid.T) {
	m.now = m.now.Add(time.Duration(rapid.IntRange(-20, 60).Draw(t, "seconds")) * time.Second)
}

func (m *workModel) save(t *rapid.T) {
	m.saved++
	item := ports.WorkItem{
		ID: strconv.Itoa(m.saved), Kind: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "kind"),
		DueAt: m.now.Add(time.Duration(rapid.IntRange(-5, 20).Draw(t, "due")) * time.Second),
	}
	require.NoError(t, addWork(context.Background(), m.store, item))
	m.items = append(m.items, &modelItem{WorkItem: item})
}

func (m *workModel) claim(t *rapid.T) {
	kind, n := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "kind"), rapid.IntRange(1, 3).Draw(t, "n")
	term := time.Duration(rapid.IntRange(1, 30).Draw(t, "lease")) * time.Second
	var want []*modelItem
	for _, i := range m.items {
		if i.Kind == kind && !i.buried && !i.DueAt.After(m.now) && (!i.leased || !i.until.After(m.now)) {
			want = append(want, i)
		}
	}
	slices.SortStableFunc(want, func(a, b *modelItem) int { return a.DueAt.Compare(b.DueAt) })
	want = want[:min(n, len(want))]
	got, err := m.store.Work().Claim(context.Background(), kind, m.now, term, n)
	require.NoError(t, err)
	require.Len(t, got, len(want))
	for i, w := range want {
		w.Attempt, w.Claim, w.leased, w.until = w.Attempt+1, w.Claim+1, true, m.now.Add(term)
		require.Equal(t, w.ID, got[i].ID)
		require.Equal(t, w.Attempt, got[i].Attempt)
		require.True(t, w.DueAt.Equal(got[i].DueAt))
	}
	m.claims = append(m.claims, got...)
}

// settle ends any claim there has been: only the latest may succeed.
func (m *workModel) settle(t *rapid.T) {
	if len(m.claims) == 0 {
		t.Skip("there is no claim yet")
	}
	claim := rapid.SampledFrom(m.claims).Draw(t, "claim")
	i := slices.IndexFunc(m.items, func(i *modelItem) bool { return i.ID == claim.ID && i.leased && i.Claim == claim.Claim })
	how := rapid.SampledFrom([]string{"done", "retry", "bury"}).Draw(t, "how")
	at := m.now.Add(time.Duration(rapid.IntRange(-5, 30).Draw(t, "delay")) * time.Second)
	var err error
	switch how {
	case "done":
		err = m.store.Work().Done(context.Background(), claim)
	case "retry":
		err = m.store.Work().Retry(context.Background(), claim, at)
	case "bury":
		err = m.store.Work().Bury(context.Background(), claim, "no use")
	}
	if i < 0 {
		require.Equal(t, errcodes.Conflict, errcodes.Of(err), "%v", err)
		return
	}
	require.NoError(t, err)
	item := m.items[i]
	item.leased, item.buried = false, how == "bury"
	switch how {
	case "done":
		m.items = slices.Delete(m.items, i, i+1)
	case "retry":
		item.DueAt = at
	}
}
