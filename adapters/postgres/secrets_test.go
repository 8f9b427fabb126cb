package postgres_test

import (
	"bytes"
	"crypto/rand"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/errcodes"
)

// Eight racers of two processes ask for secrets that do not exist.
func TestProcessesGetTheSameSecret(t *testing.T) {
	t.Parallel()
	for _, level := range settings(levels...) {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			dsn := emptied(t)
			stores := []*postgres.Store{storeAt(t, dsn, level), storeAt(t, dsn, level)}
			const racers, rounds = 8, 8
			var got [racers][rounds]string
			var g errgroup.Group
			for i := range racers {
				g.Go(func() error {
					for round := range rounds {
						secret, err := stores[i%2].Secrets().Secret(t.Context(), strconv.Itoa(round), []byte(rand.Text()))
						if err != nil {
							return err
						}
						got[i][round] = string(secret)
					}
					return nil
				})
			}
			require.NoError(t, g.Wait())
			for i := range racers {
				require.Equal(t, got[0], got[i])
			}
		})
	}
}

// What is stored afterwards is the secret. If nothing is stored, fresh is not returned.
func TestASecretWhoseInsertHasAnUnknownOutcome(t *testing.T) {
	t.Parallel()
	for _, arrives := range []bool{false, true} {
		t.Run("arrives="+strconv.FormatBool(arrives), func(t *testing.T) {
			t.Parallel()
			dsn := emptied(t)
			network := &losing{before: !arrives}
			skip := &lossAtStatement{of: network}
			store := on(t, connect(t, dsn, func(c *pgxpool.Config) { network.dial(c); c.ConnConfig.Tracer = skip }), nil)
			skip.armAt = 2 // the first statement looks for the secret
			fresh := bytes.Repeat([]byte{7}, 16)
			secret, err := store.Secrets().Secret(t.Context(), "s", fresh)
			if !arrives {
				requireCode(t, errcodes.OutcomeUnknown, err)
				require.Nil(t, secret)
				secret, err = store.Secrets().Secret(t.Context(), "s", fresh)
			}
			require.NoError(t, err)
			require.Equal(t, fresh, secret)
		})
	}
}
