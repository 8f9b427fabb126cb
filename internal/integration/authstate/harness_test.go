package authstate_test

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const owner = "shop"

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

var bothDirections = []errcodes.Direction{errcodes.Payin, errcodes.Payout}

// rig is a service with ports that the test controls.
type rig struct {
	t       testing.TB
	clock   *portstest.Clock
	store   *memory.Store
	service *authstate.Service
	faults  func(point string) error // may be set later

	mu         sync.Mutex
	effects    []authstate.Effect // as passed to the hook
	background []error
	log        bytes.Buffer
}

func newRig(t testing.TB) *rig {
	t.Helper()
	r := &rig{t: t, clock: portstest.NewClock(noon)}
	store, err := memory.New(&memory.Config{Faults: func(point string) error {
		if r.faults == nil {
			return nil
		}
		return r.faults(point)
	}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	r.store = store
	r.service = r.on(store.Transactions(), store.Work(), r.clock)
	return r
}

// on returns another service with the same hooks and log.
func (r *rig) on(transactions ports.TransactionStore, work ports.Work, clock ports.Clock) *authstate.Service {
	r.t.Helper()
	s, err := authstate.New(authstate.Ports{Transactions: transactions, Work: work}, authstate.Policy{}, &authstate.Config{
		Clock: clock, Logger: slog.New(slog.NewTextHandler(&r.log, nil)), Hooks: authstate.Hooks{
			Applied: func(_ context.Context, _ ports.Transaction, e authstate.Effect) {
				r.mu.Lock()
				defer r.mu.Unlock()
				r.effects = append(r.effects, e)
			},
			Background: func(_ context.Context, err error) {
				r.mu.Lock()
				defer r.mu.Unlock()
				r.background = append(r.background, err)
			},
		},
	})
	require.NoError(r.t, err)
	return s
}

// minute opens transactions that must be answered within a minute.
func minute(id string) authstate.Opening {
	return authstate.Opening{ID: id, Direction: errcodes.Payin, RespondBy: noon.Add(time.Minute)}
}

func (r *rig) open(o authstate.Opening) ports.Transaction {
	r.t.Helper()
	t, err := r.service.Open(r.t.Context(), owner, o)
	require.NoError(r.t, err)
	return t
}

// stored returns a transaction as stored; reading it through a service could change it.
func (r *rig) stored(id string) ports.Transaction {
	r.t.Helper()
	t, err := r.store.Transactions().Transaction(r.t.Context(), owner, id)
	require.NoError(r.t, err)
	return t
}

// said are well-known provider codes, by their outcome for a payin.
var said = map[failures.Outcome]authstate.Report{
	failures.Success: {Scheme: failures.MpesaDaraja, Code: "0", Message: "paid by Wanjiru"},
	failures.Pending: {Scheme: failures.Paystack, Code: "processing"},
	failures.Failed:  {Scheme: failures.MpesaDaraja, Code: "1032", Message: "cancelled by Wanjiru"},
	failures.Errored: {Scheme: failures.ISO8583, Code: "91", Message: "no switch for Wanjiru"},
}

// events drains all events in order.
func (r *rig) events() []ports.Event {
	r.t.Helper()
	return drained(r.t, r.store.Outbox())
}

func drained(t testing.TB, outbox ports.Outbox) []ports.Event {
	t.Helper()
	var all []ports.Event
	for {
		batch, err := outbox.Claim(context.Background(), noon, time.Minute, 1000)
		require.NoError(t, err)
		if len(batch) == 0 {
			return all
		}
		for _, e := range batch {
			require.NoError(t, outbox.Ack(context.Background(), e))
		}
		all = append(all, batch...)
	}
}

func kinds(events []ports.Event) []string {
	var kinds []string
	for _, e := range events {
		kinds = append(kinds, e.Kind)
	}
	return kinds
}

var over = noon.Add(time.Minute) // when the transactions of minute are overdue
