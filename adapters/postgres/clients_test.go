package postgres_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/storemodel"
)

// A client is read while eight writers replace it: each read returns what one of them
// wrote. Above READ COMMITTED a writer may get StorageUnavailable.
func TestAClientIsReplacedAsAWhole(t *testing.T) {
	t.Parallel()
	for _, level := range settings(levels...) {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			dsn := emptied(t)
			stores := []*postgres.Store{storeAt(t, dsn, level), storeAt(t, dsn, level)}
			var possible []ports.Client
			for i := range 8 {
				possible = append(possible, clientOf(i))
			}
			require.NoError(t, stores[0].Clients().PutClient(t.Context(), possible[0], storemodel.AuditRow))
			var writers errgroup.Group
			for i, c := range possible {
				writers.Go(func() error { return replace(t.Context(), stores[i%2], c, level != levels[0]) })
			}
			done := make(chan error, 1)
			go func() { done <- writers.Wait() }()
			for written := false; !written; {
				select {
				case err := <-done:
					require.NoError(t, err)
					written = true
				default:
				}
				c, err := stores[0].Clients().Client(t.Context(), "acme")
				require.NoError(t, err)
				require.Contains(t, possible, c)
			}
		})
	}
}

// clientOf returns a client whose parts all contain its number.
func clientOf(i int) ports.Client {
	c := ports.Client{ID: "acme", Disabled: i%2 == 0}
	for range i % 4 {
		c.Secrets = append(c.Secrets, ports.ClientSecret{SHA256: [32]byte{byte(i)}, NotBefore: epoch.Add(time.Duration(i) * time.Hour)})
		c.Merchants = append(c.Merchants, strconv.Itoa(i))
	}
	return c
}

func replace(ctx context.Context, store *postgres.Store, c ports.Client, mayBeBusy bool) error {
	for range 25 {
		err := store.Clients().PutClient(ctx, c, storemodel.AuditRow)
		if err != nil && (!mayBeBusy || errcodes.Of(err) != errcodes.StorageUnavailable) {
			return err
		}
	}
	return nil
}
