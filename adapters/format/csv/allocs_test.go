//go:build !race

package csv_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/ports"
)

func TestRowsAreWrittenWithoutAllocating(t *testing.T) {
	w, err := newWriter(t, nil).Begin(io.Discard, []ports.Column{
		{Name: "id", Type: ports.ColumnText}, {Name: "amount", Type: ports.ColumnMoney},
		{Name: "items", Type: ports.ColumnInteger}, {Name: "at", Type: ports.ColumnTime},
	})
	require.NoError(t, err)
	row := []string{"=\"a\xff", "-12.50", "9223372036854775807", "2026-11-20T15:00:00.000Z"}
	require.Zero(t, testing.AllocsPerRun(10_000, func() { _ = w.Write(row) }))
}
