package service

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

// assembled returns a complete service that does not run yet.
func assembled(t *testing.T, store string, log *slog.Logger) *Service {
	t.Helper()
	settings := Defaults()
	settings.Listen, settings.Sandbox, settings.Store, settings.ClientsFile = "127.0.0.1:0", true, store, clientsFile(t)
	settings.Reports.ReportFiles = "dir:" + t.TempDir()
	b := newBuilder(t.Context(), &settings, Shipped(), log)
	app, err := b.service()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, app.Close()) })
	return app
}

// serveApp serves until the stop, and reports when it has begun.
func serveApp(t *testing.T, stop <-chan struct{}, app *Service) (listener net.Listener, ended <-chan error) {
	t.Helper()
	end, begun := make(chan error, 1), make(chan struct{})
	go func() { end <- app.serve(stop, func() { close(begun) }) }()
	await(t, "start", begun)
	return app.listener, end
}

func TestServeEndsIfALoopEndsUnexpectedly(t *testing.T) {
	at(t, serveEndsIfALoopEndsUnexpectedly, inMemory, shared)
}

func serveEndsIfALoopEndsUnexpectedly(t *testing.T, store string) {
	var lines screen
	log := slog.New(slog.NewTextHandler(&lines, nil))
	app := assembled(t, store, log)
	loop := `loop="rate locks"`
	if app.queue == nil {
		require.NoError(t, app.locks.Stop(t.Context()))
	} else {
		loop = "loop=queue"
		require.NoError(t, app.queue.Stop(t.Context()))
	}
	listener, ended := serveApp(t, nil, app)
	err := await(t, "end", ended)
	require.ErrorIs(t, err, errBroken)
	require.NotErrorAs(t, err, new(Rejected), "its exit status is 1")
	require.Equal(t, errBroken.Error(), err.Error(), "one line")
	require.Regexp(t, `level=ERROR msg="background loop ended unexpectedly" `+loop, lines.String())
	// A dial would not do: a child that another test forks holds a copy until it execs.
	_, err = listener.Accept()
	require.ErrorIs(t, err, net.ErrClosed, "still listening")
}

// The queue ends before the other loops are stopped.
func TestAStopIsNotAnUnexpectedEnd(t *testing.T) { at(t, aStopIsNotAnUnexpectedEnd, inMemory, shared) }

func aStopIsNotAnUnexpectedEnd(t *testing.T, store string) {
	var lines screen
	log := slog.New(slog.NewTextHandler(&lines, nil))
	app := assembled(t, store, log)
	stop := make(chan struct{})
	_, ended := serveApp(t, stop, app)
	close(stop)
	require.NoError(t, await(t, "end", ended))
	require.NotContains(t, lines.String(), "by itself")
}

// Errors of a stopped loop are not reported.
func TestErrorsOfStoppedLoopsAreIgnored(t *testing.T) {
	t.Parallel()
	var lines screen
	b := &background{log: slog.New(slog.NewTextHandler(&lines, nil)), broken: make(chan error, 1)}
	b.stopping.Store(true)
	for _, err := range []error{nil, context.Canceled, errors.New("the feed was cut off")} {
		b.keep(t.Context(), loop{"a loop", func(context.Context) error { return err }})
	}
	require.Empty(t, b.broken)
	require.Empty(t, lines.String())
	b.stopping.Store(false)
	for range 2 { // both at once
		b.keep(t.Context(), loop{"a loop", func(context.Context) error { return nil }})
	}
	require.ErrorIs(t, <-b.broken, errBroken)
}

// Such a loop would end by itself.
func TestPartsThatAreNotConfiguredHaveNoLoop(t *testing.T) {
	t.Parallel()
	app := assembled(t, "memory:", slog.New(slog.DiscardHandler))
	names := func() (all []string) {
		for _, l := range app.loops() {
			all = append(all, l.name)
		}
		return all
	}
	require.Subset(t, names(), []string{"reports", "sandbox transactions", "clients file"})
	app.payments.sandbox, app.reports, app.clients = nil, nil, nil
	require.Equal(t, []string{"events", "rate locks", "validations", "transactions", "tokens"}, names())
}
