package river_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
	"github.com/corridor-go/corridor/adapters/river"
)

// pageStatements returns the statements of the page for operators, by block.
func pageStatements(t *testing.T) (blocks []string) {
	t.Helper()
	page, err := os.ReadFile("../../internal/docs/operations.md")
	require.NoError(t, err)
	for _, rest := range strings.Split(string(page), "```sql\n")[1:] {
		block, _, closed := strings.Cut(rest, "```")
		require.True(t, closed)
		blocks = append(blocks, block)
	}
	require.Len(t, blocks, 3, "roles, queries, after a restore")
	return blocks
}

func run(t *testing.T, pool *pgxpool.Pool, statements string) {
	t.Helper()
	_, err := pool.Exec(t.Context(), statements)
	require.NoError(t, err)
}

// The statements of the page for operators work as they are written. A role that may only
// read and write the tables runs jobs, with and without SkipMigrate, if nothing is left to
// migrate.
func TestOperatorsStatements(t *testing.T) {
	t.Parallel()
	page := pageStatements(t)
	c := pgtest.New(t, nil)
	dsn := c.Database(t, bare)
	as := func(role string) string {
		changed := strings.Replace(dsn, "user=postgres", "user="+role, 1)
		require.NotEqual(t, dsn, changed)
		return changed
	}
	run(t, connect(t, dsn), page[0])
	owner := connect(t, as("corridor_owner"))
	require.NoError(t, postgres.Migrate(t.Context(), owner))
	require.NoError(t, river.Migrate(t.Context(), owner))
	for name, skip := range map[string]bool{"migrating": false, "not migrating": true} {
		p := open(t, as("corridor_app"), river.Config{SkipMigrate: skip})
		s := &service{work: p.store.Work()}
		p.run(river.Jobs{
			Work:    map[string]river.Tick{notify: s.Tick},
			Tickers: []river.Ticker{{Name: "often", Every: time.Second, Tick: s.Tick}},
		})
		p.save(t, name, items(name))
		eventually(t, name+": it ran", func() bool { return len(s.handled()) == 1 })
		require.NoError(t, p.close())
	}
	run(t, owner, page[1])
	run(t, owner, page[2])
}
