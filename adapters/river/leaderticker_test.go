package river_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
	"github.com/corridor-go/corridor/adapters/river"
	"github.com/corridor-go/corridor/errcodes"
)

// The rounds of a ticker with Stays run in one process until that ends.
func TestATickerWithStaysRunsInOneProcess(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t, tables)
	var counts [3]tally
	var all []*process
	for i := range counts {
		p := open(t, dsn, river.Config{})
		p.run(river.Jobs{Tickers: []river.Ticker{
			{Name: "drift", Every: time.Second, Stays: true, Tick: func(context.Context, time.Time) error {
				counts[i].begin()()
				return nil
			}},
			{Name: "others", Every: time.Second, Tick: func(context.Context, time.Time) error { return nil }},
		}})
		all = append(all, p)
	}
	ticking := func() (who []int) {
		for i := range counts {
			if total, _ := counts[i].read(); total > 0 {
				who = append(who, i)
			}
		}
		return who
	}
	eventually(t, "two rounds of one", func() bool {
		who := ticking()
		if len(who) == 0 {
			return false
		}
		total, _ := counts[who[0]].read()
		return total >= 2
	})
	first := ticking()
	require.Len(t, first, 1)
	require.NoError(t, all[first[0]].close())
	eventually(t, "another takes over", func() bool { return len(ticking()) == 2 })
	_, most := counts[first[0]].read()
	require.Equal(t, 1, most)
}

func TestAQueueNeedsMoreThanTickersWithStays(t *testing.T) {
	t.Parallel()
	p := open(t, pgtest.Database(t, tables), river.Config{})
	err := p.queue.Run(t.Context(), river.Jobs{Tickers: []river.Ticker{
		{Name: "drift", Every: time.Second, Stays: true, Tick: func(context.Context, time.Time) error { return nil }},
	}})
	require.Equal(t, errcodes.Configuration, errcodes.Of(err))
}
