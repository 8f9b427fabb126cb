package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports/portstest/storemodel"
)

// The statements of one call are bounded, for whatever reason the server rolls them back.
func TestTriesOnAQueueAreBounded(t *testing.T) {
	t.Parallel()
	for _, state := range []string{"40001", "40P01", "22012"} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			dsn := migrated(t)
			statements := new(statements)
			store := on(t, connect(t, dsn, statements.trace), nil)
			mintThree(t, store)
			events, err := store.Outbox().Claim(t.Context(), epoch, lease, 2)
			require.NoError(t, err)
			require.NoError(t, store.Outbox().Bury(t.Context(), events[0], ""))
			query(t, dsn, `CREATE FUNCTION corridor.undo() RETURNS trigger LANGUAGE plpgsql AS
				$$ BEGIN RAISE EXCEPTION USING ERRCODE = '`+state+`'; END $$`)
			query(t, dsn, `CREATE TRIGGER undo BEFORE UPDATE OR DELETE ON corridor.events FOR EACH ROW EXECUTE FUNCTION corridor.undo()`)
			for name, do := range map[string]func(context.Context, *postgres.Store) error{
				"claim": func(ctx context.Context, s *postgres.Store) error {
					_, err := s.Outbox().Claim(ctx, epoch, lease, 10)
					return err
				},
				"ack": func(ctx context.Context, s *postgres.Store) error { return s.Outbox().Ack(ctx, events[1]) },
				"replay": func(ctx context.Context, s *postgres.Store) error {
					_, err := s.DeadLetters().Replay(ctx, epoch, storemodel.AuditRow)
					return err
				},
			} {
				asked := statements.of(t, func() error {
					err := do(t.Context(), store)
					requireCode(t, errcodes.StorageUnavailable, err)
					require.Equal(t, time.Second, errcodes.RetryAfterOf(err), name)
					return nil
				})
				require.Greater(t, len(asked), 10, "%s is tried often enough", name)
				require.LessOrEqual(t, len(asked), 40, name)
			}
		})
	}
}
