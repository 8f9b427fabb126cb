package river_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
	"github.com/corridor-go/corridor/adapters/river"
	"github.com/corridor-go/corridor/ports"
)

// The statements of internal/docs/capacity.md about buried work.
const (
	listBuried = `SELECT id, args->>'kind' AS kind, finalized_at, errors[array_upper(errors, 1)]->>'error' AS reason
FROM corridor.river_job WHERE state IN ('cancelled', 'discarded') ORDER BY id;`
	removeBuried = `DELETE FROM corridor.river_job WHERE state IN ('cancelled', 'discarded') AND finalized_at < '2027-01-01';`
)

// Buried work can be listed and removed as the documentation says, and is removed in no
// other way.
func TestBuriedWorkIsListedAndRemoved(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../internal/docs/capacity.md")
	require.NoError(t, err)
	require.Contains(t, string(page), listBuried+"\n"+removeBuried)

	p := open(t, pgtest.Database(t, tables), river.Config{Keep: time.Second})
	s := &service{work: p.queue.Work()}
	s.settle = func(ctx context.Context, w ports.WorkItem) error { return s.work.Bury(ctx, w, "the record is damaged") }
	p.run(river.Jobs{Work: map[string]river.Tick{notify: s.Tick}})
	p.save(t, "shop", items("a", "b"))
	eventually(t, "both are buried", func() bool { return p.jobs(t, "cancelled") == 2 })
	_, err = p.pool.Exec(t.Context(), `UPDATE corridor.river_job SET finalized_at = '2026-12-31', state = CASE id
		WHEN (SELECT min(id) FROM corridor.river_job) THEN 'discarded' ELSE 'cancelled' END::corridor.river_job_state`)
	require.NoError(t, err)

	rows, err := p.pool.Query(t.Context(), listBuried)
	require.NoError(t, err)
	listed := 0
	for rows.Next() {
		values, err := rows.Values()
		require.NoError(t, err)
		require.Equal(t, notify, values[1])
		require.Contains(t, values[3], "the record is damaged")
		listed++
	}
	require.NoError(t, rows.Err())
	require.Equal(t, 2, listed)
	tag, err := p.pool.Exec(t.Context(), removeBuried)
	require.NoError(t, err)
	require.EqualValues(t, 2, tag.RowsAffected())
	p.save(t, "other shop", items("a"))
	eventually(t, "the queue goes on", func() bool { return p.jobs(t, "cancelled") == 1 })
}
