package report_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/report"
)

// hoarder is a writer that writes its rows when it is closed, like one of ZIP files.
type hoarder struct {
	ports.ReportWriter
	closed chan error
}

func (h hoarder) Begin(out io.Writer, _ []ports.Column) (ports.RowWriter, error) {
	return hoard{out, h.closed}, nil
}

type hoard struct {
	out    io.Writer
	closed chan error
}

func (hoard) Write([]string) error { return nil }

func (h hoard) Close() error {
	_, err := h.out.Write([]byte("all of it"))
	h.closed <- err
	return err
}

// After failed rows a writer's buffered output is not written: a stop would wait for it.
func TestAFailedAttemptWritesNoMore(t *testing.T) {
	r := newRig(t)
	broken := errors.New("the source broke")
	r.source.before = func(context.Context, int) error { return broken }
	h := hoarder{lines{}, make(chan error, 1)}
	service, err := report.New(report.Ports{
		Reports: r.store.Reports(), Transactions: r.source, Writers: []ports.ReportWriter{h}, Files: r.files,
		Scratch: fake.NewScratch(),
	}, report.Policy{}, &r.config)
	require.NoError(t, err)
	j := r.create(asked())
	require.Error(t, service.Tick(t.Context(), r.clock.Now()))
	require.ErrorIs(t, <-h.closed, broken)
	r.nothingUnder(j.ID)
}
