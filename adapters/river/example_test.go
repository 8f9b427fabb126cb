package river_test

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/adapters/river"
	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/errcodes"
)

// Each process passes the Ticks of its services to the queue. The example needs a
// database, so it is not run.
func Example() { //nolint:testableexamples // it needs a database
	serve := func(ctx context.Context, pool *pgxpool.Pool) error {
		queue, err := river.New(ctx, pool, &river.Config{Kinds: []string{authstate.WorkTimeout}})
		if err != nil {
			return err
		}
		store, err := postgres.New(ctx, pool, &postgres.Config{Hook: queue})
		if err != nil {
			return err
		}
		payments, err := authstate.New(
			authstate.Ports{Transactions: store.Transactions(), Work: store.Work()}, authstate.Policy{}, nil)
		if err != nil {
			return err
		}
		return queue.Run(ctx, river.Jobs{
			Work: map[string]river.Tick{authstate.WorkTimeout: payments.Tick},
		})
	}
	_ = serve
}

func ExampleNew() {
	_, err := river.New(context.Background(), nil, &river.Config{Batch: 5000})
	fmt.Println(errcodes.Of(err), "-", errcodes.MessageOf(err))
	// Output:
	// configuration - Batch is 5000, want 1 to 1000
}
