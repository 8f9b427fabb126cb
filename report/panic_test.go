package report_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/report"
)

// brittle is a writer and a store of files that panics where the test says.
type brittle struct {
	ports.ReportFiles
	lines

	broken string
	open   int // number of open row writers
}

func (b *brittle) trip(place string) {
	if b.broken == place {
		panic("account 0123456789 in " + place)
	}
}

func (b *brittle) Create(ctx context.Context, name string) (ports.NewReportFile, error) {
	b.trip("Create")
	file, err := b.ReportFiles.Create(ctx, name)
	return brittleFile{file, b}, err
}

type brittleFile struct {
	ports.NewReportFile

	b *brittle
}

func (f brittleFile) Commit(ctx context.Context) error {
	f.b.trip("Commit")
	return f.NewReportFile.Commit(ctx)
}

func (b *brittle) Begin(w io.Writer, columns []ports.Column) (ports.RowWriter, error) {
	b.trip("Begin")
	out, err := b.lines.Begin(w, columns)
	b.open++
	return brittleRows{out, b}, err
}

type brittleRows struct {
	ports.RowWriter

	b *brittle
}

func (r brittleRows) Write(row []string) error {
	r.b.trip("Write")
	return r.RowWriter.Write(row)
}

func (r brittleRows) Close() error {
	r.b.open--
	r.b.trip("Close")
	return r.RowWriter.Close()
}

// A panic of a port fails one attempt, not the process. The attempt's files are removed,
// and the next attempt makes the report.
func TestAPanicFailsOnlyTheAttempt(t *testing.T) {
	for _, place := range []string{"Rows", "Create", "Begin", "Write", "Close", "Commit"} {
		t.Run(place, func(t *testing.T) {
			var log bytes.Buffer
			r := newRig(t, func(c *report.Config) { c.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
			b := &brittle{ReportFiles: r.files, broken: place}
			r.source.rows = transactions(3)
			r.source.before = func(_ context.Context, row int) error {
				if row == 2 {
					b.trip("Rows")
				}
				return nil
			}
			service, err := report.New(report.Ports{
				Reports: r.store.Reports(), Transactions: r.source, Writers: []ports.ReportWriter{b}, Files: b, Scratch: fake.NewScratch(),
			}, report.Policy{}, &r.config)
			require.NoError(t, err)
			tick := func() error { return service.Tick(t.Context(), r.clock.Now()) }

			j := r.create(asked())
			err = tick()
			require.ErrorIs(t, err, errcodes.Internal)
			require.Contains(t, err.Error(), "panic with a string")
			require.Contains(t, log.String(), "(*brittle).trip", "where it was")
			require.NotContains(t, fmt.Sprint(err, log.String()), "0123456789")
			require.Zero(t, b.open, "each writer is closed")
			r.nothingUnder(j.ID)
			require.Equal(t, ports.ReportRunning, r.get(j.ID).Status)

			b.broken = ""
			r.clock.Advance(r.config.Lease + report.DefaultLease)
			require.NoError(t, tick())
			require.Equal(t, ports.ReportCompleted, r.get(j.ID).Status)

			b.broken = place
			j = r.create(asked())
			for range report.DefaultMaxAttempts {
				require.Error(t, tick())
				r.clock.Advance(report.DefaultLease)
			}
			j = r.get(j.ID)
			require.Equal(t, ports.ReportFailed, j.Status, "a bug that stays ends the report")
			require.Equal(t, string(errcodes.Internal), j.Reason)
			r.nothingUnder(j.ID)
		})
	}
}

func (b *brittle) Remove(ctx context.Context, name string) error {
	b.trip("Remove")
	return b.ReportFiles.Remove(ctx, name)
}

// Files are also removed outside attempts: after a lost or interrupted attempt, after the
// end, after a cancel and after KeepFor.
func TestAPanicInARemovalDoesNotEndTheProcess(t *testing.T) {
	var log bytes.Buffer
	r := newRig(t, func(c *report.Config) { c.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	var background error
	r.config.Hooks.Background = func(_ context.Context, err error) { background = err }
	b := &brittle{ReportFiles: r.files}
	service, err := report.New(report.Ports{
		Reports: r.store.Reports(), Transactions: r.source, Writers: []ports.ReportWriter{b}, Files: b, Scratch: fake.NewScratch(),
	}, report.Policy{KeepFor: time.Hour}, &r.config)
	require.NoError(t, err)
	panicked := func(err error) {
		t.Helper()
		require.ErrorIs(t, err, errcodes.Internal)
		require.Contains(t, err.Error(), "panic with a string")
		require.Contains(t, log.String(), "(*brittle).trip", "where it was")
		require.NotContains(t, fmt.Sprint(err, log.String()), "0123456789")
		log.Reset()
	}

	kept := r.create(asked())
	require.NoError(t, service.Tick(t.Context(), r.clock.Now()))
	failed := r.create(asked())
	r.source.before = func(context.Context, int) error { return errcodes.New(errcodes.Unprocessable, "") }
	b.broken = "Remove"
	panicked(service.Tick(t.Context(), r.clock.Now()))
	require.Equal(t, ports.ReportFailed, r.get(failed.ID).Status)

	again := r.create(asked())
	r.source.before = func(context.Context, int) error { return errcodes.New(errcodes.Unavailable, "") }
	panicked(service.Tick(t.Context(), r.clock.Now()))
	gone, err := service.Cancel(t.Context(), owner, again.ID)
	require.NoError(t, err)
	require.Equal(t, ports.ReportFailed, gone.Status)
	panicked(background)

	r.clock.Advance(time.Hour)
	panicked(service.Tick(t.Context(), r.clock.Now()))
	require.Equal(t, ports.ReportCompleted, r.get(kept.ID).Status, "it goes when its files have gone")
	b.broken = ""
	require.NoError(t, service.Tick(t.Context(), r.clock.Now()))
	_, err = service.Get(t.Context(), owner, kept.ID)
	require.ErrorIs(t, err, errcodes.NotFound)
}
