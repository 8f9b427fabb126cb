package stores_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/ports/portstest/storemodel"
)

// everyPort contains the ports that all stores of this module have.
type everyPort interface {
	storemodel.Store
	Clients() ports.ClientStore
	Tokens() ports.TokenStore
	Secrets() ports.SecretStore
	Work() ports.Work
}

// world is one store with its services.
type world struct {
	everyPort
	services

	name string
	pos  []int64 // of the buried events listed last; each store has its own numbers
}

// worlds contains one world for each store. All have the same clock, feed and randomness,
// so their results must be equal.
type worlds struct {
	all   []*world
	clock *portstest.Clock
	feed  *fake.Feed

	locks    []string      // ids that the services returned
	checks   []string      // ids of validations
	raw      []string      // ids of validations that the test saved itself
	reports  []string      // ids of reports
	tokens   []string      // issued tokens
	events   []ports.Event // as claimed; some claims are outdated
	items    []ports.WorkItem
	buried   []string // ids of the buried events listed last
	serial   int      // numbers the records that the test saves
	versions map[string]int64
}

// The same operations return the same results on memory, SQLite and PostgreSQL, byte for
// byte, through the services and at the ports, and produce the same events. -rapid.checks
// makes it longer.
func TestStoresAgree(t *testing.T) {
	pool := connect(t)
	store := on(t, pool, &postgres.Config{SkipMigrate: true, AcquireTimeout: time.Minute, Timeout: time.Minute})
	folder, runs := t.TempDir(), 0
	migrated := filepath.Join(folder, "migrated.db")
	require.NoError(t, sqlite.Migrate(t.Context(), migrated))
	tables, err := os.ReadFile(migrated)
	require.NoError(t, err)
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		emptyTables(t, pool)
		small, err := memory.New(nil)
		require.NoError(rt, err)
		path := filepath.Join(folder, fmt.Sprintf("%d.db", runs))
		require.NoError(rt, os.WriteFile(path, tables, 0o600))
		file, err := sqlite.Open(t.Context(), path, nil)
		require.NoError(rt, err)
		w := newWorlds(rt, map[string]everyPort{"memory": small, "sqlite": file, "postgres": store})
		defer func() {
			w.close(rt)
			require.NoError(rt, file.Close())
			require.NoError(rt, small.Close())
		}()
		for range 2 {
			rt.Repeat(w.someActions(rt))
		}
		w.drain(rt)
	})
}

// someActions draws the actions of a run: few that often interact, or all.
func (w *worlds) someActions(t *rapid.T) map[string]func(*rapid.T) {
	areas := []map[string]func(*rapid.T){
		w.lockActions(), w.queueActions(), w.accountActions(), w.paymentActions(), w.reportActions(), w.clientActions(),
	}
	some := map[string]func(*rapid.T){"clock": w.moveClock}
	which := rapid.IntRange(0, len(areas)).Draw(t, "area")
	for i := range areas {
		if i == which || which == len(areas) {
			maps.Copy(some, areas[i])
		}
	}
	return some
}

// emptyTables empties the tables of a database.
func emptyTables(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	_, err := pool.Exec(t.Context(), `DO $$ DECLARE t text; BEGIN
		FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'corridor' AND tablename NOT LIKE '%migration%'
			AND tablename NOT LIKE 'goose%' LOOP
			EXECUTE format('DELETE FROM corridor.%I', t);
		END LOOP; END $$`)
	require.NoError(t, err)
}

func newWorlds(t *rapid.T, stores map[string]everyPort) *worlds {
	w := &worlds{clock: portstest.NewClock(epoch), versions: map[string]int64{}}
	w.feed = fake.NewFeed(w.clock.Now)
	for _, pair := range []ports.Pair{usdZAR, usdZAR.Inverse()} {
		w.feed.Offer(pair, "18.2500")
	}
	for _, name := range []string{"memory", "sqlite", "postgres"} {
		w.all = append(w.all, &world{name: name, everyPort: stores[name], services: newServices(t, stores[name], w)})
	}
	return w
}

// same calls each world, compares the results, and returns the first.
func same[V any](t *rapid.T, w *worlds, ask func(ctx context.Context, w *world) (V, error)) (V, error) {
	var first V
	var said string
	var failed error
	for i, one := range w.all {
		v, err := ask(context.Background(), one)
		answer := encoded(v, err)
		if i == 0 {
			first, said, failed = v, answer, err
		}
		if answer != said {
			t.Fatalf("%s and %s differ:\n%s\n%s", w.all[0].name, one.name, said, answer)
		}
	}
	return first, failed
}

// agree is same for functions that return only an error.
func agree(t *rapid.T, w *worlds, ask func(ctx context.Context, w *world) error) error {
	_, err := same(t, w, func(ctx context.Context, w *world) (struct{}, error) { return struct{}{}, ask(ctx, w) })
	return err
}

// encoded encodes a result completely; a nil slice equals an empty one. Of an error it
// encodes the code, because texts differ between stores.
func encoded(v any, err error) string {
	text := strings.ReplaceAll(fmt.Sprintf("%#v", v), "(nil)", "{}")
	if err == nil {
		return text
	}
	return fmt.Sprintf("%s: %s", errcodes.Of(err), text)
}

func (w *worlds) moveClock(t *rapid.T) {
	w.clock.Advance(time.Duration(rapid.SampledFrom([]int{1, 1, 10, 100, 1_000, 60_000, 1_200_000, 3_600_000, 90_000_000, -1, -60_000}).Draw(t, "ms")) * time.Millisecond)
}

// owner draws an owner; two of them look alike.
func (*worlds) owner(t *rapid.T) string {
	return rapid.SampledFrom([]string{"shop", "Shop", "shop\x00"}).Draw(t, "owner")
}

func draw[V any](t *rapid.T, some []V, what string) V {
	if len(some) == 0 {
		t.Skip("none yet")
	}
	// The latest ids are the most interesting.
	return some[max(0, len(some)-1-rapid.IntRange(0, 7).Draw(t, what))]
}

// seeded is randomness that is the same in each world, for any number of callers.
type seeded struct {
	mu     sync.Mutex
	random *rand.ChaCha8
}

func newSeeded(what byte) io.Reader {
	return &seeded{random: rand.NewChaCha8([32]byte(bytes.Repeat([]byte{what}, 32)))}
}

func (s *seeded) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.random.Read(p)
}
