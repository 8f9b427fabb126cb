package relay_test

import (
	"bytes"
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/relay"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
)

// A sink's panic fails one delivery, not the process: the event is tried again, events
// of other keys arrive, and an event whose delivery always panics is buried.
func TestAPanicOfTheSinkIsAFailedDelivery(t *testing.T) {
	outbox := &recorder{Outbox: stored(t, event("a1", "a"), event("b1", "b"), event("c1", "c")).Outbox()}
	clock := portstest.NewClock(noon)
	var log bytes.Buffer
	good := &sink{}
	attempts := 0
	bad := sinkFunc(func(ctx context.Context, e ports.Event) error {
		if attempts++; e.ID == "a1" || e.ID == "b1" && e.Attempt == 1 {
			panic("account 0123456789")
		}
		return good.Deliver(ctx, e)
	})
	r, err := relay.New(relay.Ports{Outbox: outbox, Sink: bad}, relay.Policy{Attempts: 3}, &relay.Config{Clock: clock, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	require.NoError(t, err)
	for range 3 {
		err = r.Tick(t.Context(), time.Time{})
		require.NoError(t, err)
		clock.Advance(time.Hour)
	}
	require.Equal(t, []string{"c1", "b1"}, good.delivered())
	require.Equal(t, 6, attempts)
	require.Equal(t, []string{string(errcodes.Internal)}, outbox.reasons)
	require.Contains(t, log.String(), "TestAPanicOfTheSinkIsAFailedDelivery", "the log has the stack")
	require.NotContains(t, log.String(), "0123456789")
}
