package report_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/report"
)

func (r *rig) parts() report.Ports {
	return report.Ports{
		Reports: r.store.Reports(), Transactions: r.source, Writers: []ports.ReportWriter{lines{}}, Files: r.files,
		Scratch: fake.NewScratch(),
	}
}

// A report and its files are removed together, and not before KeepFor is over.
func TestReportsAreKeptForKeepFor(t *testing.T) {
	r := newRig(t)
	s, err := report.New(r.parts(), report.Policy{KeepFor: time.Hour}, &r.config)
	require.NoError(t, err)
	id := r.create(asked()).ID
	require.NoError(t, s.Tick(t.Context(), r.clock.Now()))
	r.clock.Advance(time.Hour - time.Millisecond)
	require.NoError(t, s.Tick(t.Context(), r.clock.Now()))
	assert.NotEmpty(t, r.file(id))
	r.clock.Advance(time.Millisecond)
	require.NoError(t, s.Tick(t.Context(), r.clock.Now()))
	r.nothingUnder(id)
	_, err = s.Get(t.Context(), owner, id)
	require.ErrorIs(t, err, errcodes.NotFound)
}

// A failing report does not delay the next one.
func TestAFailingReportDoesNotBlockOthers(t *testing.T) {
	r := newRig(t)
	failures := 1
	r.source.before = func(context.Context, int) error {
		if failures--; failures >= 0 {
			return errcodes.New(errcodes.Unavailable, "")
		}
		return nil
	}
	bad := r.create(asked())
	r.clock.Advance(time.Millisecond)
	good := r.create(asked())
	require.ErrorIs(t, r.tick(), errcodes.Unavailable)
	assert.Equal(t, ports.ReportRunning, r.get(bad.ID).Status)
	assert.Equal(t, ports.ReportCompleted, r.get(good.ID).Status)
}

func TestTheLengthOfANameIsInCharacters(t *testing.T) {
	q := asked()
	q.Name = strings.Repeat("ü", report.MaxName)
	newRig(t).create(q)
}

func TestInlineRowsCanBeDisabled(t *testing.T) {
	r := newRig(t, func(c *report.Config) { c.Inline = -1 })
	r.source.rows = transactions(1)
	id := r.create(asked()).ID
	require.NoError(t, r.tick())
	_, few, err := r.service.Rows(t.Context(), owner, id)
	require.NoError(t, err)
	assert.False(t, few)
}
