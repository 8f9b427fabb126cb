package service

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
)

// embedded is a Go program on the service's database that uses neither River nor the
// service.
type embedded struct {
	store    StorePorts
	payments *authstate.Service
}

// embed returns a program whose clock stands at now.
func embed(t *testing.T, spec string, now time.Time) *embedded {
	t.Helper()
	e := &embedded{store: withoutQueue(t, spec)}
	var err error
	e.payments, err = authstate.New(authstate.Ports{Transactions: e.store.Transactions(), Work: e.store.Work()},
		authstate.Policy{}, &authstate.Config{Clock: portstest.NewClock(now)})
	require.NoError(t, err)
	return e
}

func withoutQueue(t *testing.T, spec string) StorePorts {
	t.Helper()
	if strings.HasPrefix(spec, "sqlite:") {
		store, err := sqlite.Open(t.Context(), afterColon(spec), nil)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, store.Close()) })
		return store
	}
	pool, err := connect(t.Context(), spec)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	store, err := postgres.New(t.Context(), pool.Pool, nil)
	require.NoError(t, err)
	return store
}

// status reads the record, because a Get would itself end a payment that is overdue.
func (e *embedded) status(t *testing.T, id string) ports.TransactionStatus {
	t.Helper()
	stored, err := e.store.Transactions().Transaction(t.Context(), "acme", id)
	require.NoError(t, err)
	return stored.Status
}

func opening(id string, respondBy time.Time) authstate.Opening {
	return authstate.Opening{ID: id, Direction: errcodes.Payin, RespondBy: respondBy}
}

// A service ends the payments that another program opened without River, before the
// service started and after.
func TestTheServiceDoesTheWorkOfOtherPrograms(t *testing.T) {
	at(t, theServiceDoesTheWorkOfOtherPrograms, onFile, shared)
}

func theServiceDoesTheWorkOfOtherPrograms(t *testing.T, store string) {
	yesterday := time.Now().AddDate(0, 0, -1)
	other := embed(t, store, yesterday)
	open := func(id string) {
		_, err := other.payments.Open(t.Context(), "acme", opening(id, yesterday.Add(time.Second)))
		require.NoError(t, err)
	}
	ended := func(id string) func() bool {
		return func() bool { return other.status(t, id) == ports.TransactionFailed }
	}
	open("before")
	stop := make(chan struct{})
	_, served := serveApp(t, stop, assembled(t, store, slog.New(slog.DiscardHandler)))
	require.Eventually(t, ended("before"), time.Minute, 10*time.Millisecond, "a payment from before the start is pending")
	open("after")
	require.Eventually(t, ended("after"), time.Minute, 10*time.Millisecond, "a payment from after the start is pending")
	close(stop)
	require.NoError(t, await(t, "end", served))
}

// Another program without River ends the payments that a service left behind, whether the
// program opened the database before or after the service did.
func TestOtherProgramsDoTheWorkOfTheService(t *testing.T) {
	at(t, otherProgramsDoTheWorkOfTheService, onFile, shared)
}

func otherProgramsDoTheWorkOfTheService(t *testing.T, store string) {
	later := time.Now().Add(2 * time.Hour)
	early := embed(t, store, later)
	app := assembled(t, store, slog.New(slog.DiscardHandler))
	late := embed(t, store, later)
	for id, other := range map[string]*embedded{"early": early, "late": late} {
		_, err := app.payments.service.Open(t.Context(), "acme", opening(id, later.Add(-time.Hour)))
		require.NoError(t, err)
		require.NoError(t, other.payments.Tick(t.Context(), later))
		require.Equal(t, ports.TransactionFailed, other.status(t, id), id)
	}
}
