package river_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
	"github.com/corridor-go/corridor/adapters/river"
)

// deaf rejects the first statements that listen to River's control notifications.
type deaf struct{ left atomic.Int32 }

func (d *deaf) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	if !strings.HasPrefix(data.SQL, "LISTEN") || !strings.Contains(data.SQL, "river_control") || d.left.Add(-1) < 0 {
		return ctx
	}
	late, cancel := context.WithDeadline(ctx, time.Unix(0, 0))
	cancel()
	return late
}

func (*deaf) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// A start that fails after a queue has subscribed to notifications is tried again.
func TestAStartThatFailsHalfwayIsTriedAgain(t *testing.T) {
	t.Parallel()
	config, err := pgxpool.ParseConfig(pgtest.Database(t, migrated))
	require.NoError(t, err)
	listens := &deaf{}
	listens.left.Store(2)
	config.ConnConfig.Tracer, config.MaxConns = listens, 8
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	require.NoError(t, err)
	defer pool.Close()
	var failures atomic.Int32
	queue, err := river.New(t.Context(), pool, &river.Config{Hooks: river.Hooks{
		Background: func(context.Context, error) { failures.Add(1) },
	}})
	require.NoError(t, err)

	ticked, ran := make(chan struct{}, 100), make(chan error, 1)
	only := river.Ticker{Name: "only", Every: time.Second, AtStart: true, Tick: func(context.Context, time.Time) error {
		ticked <- struct{}{}
		return nil
	}}
	go func() {
		ran <- queue.Run(context.WithoutCancel(t.Context()), river.Jobs{Tickers: []river.Ticker{only}})
	}()
	<-ticked
	require.GreaterOrEqual(t, failures.Load(), int32(2))
	require.NoError(t, queue.Stop(t.Context()))
	require.NoError(t, <-ran)
}
