package report_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/report"
)

// An attempt that is released removes its files: the report may be cancelled before
// another attempt replaces them.
func TestAReleasedAttemptLeavesNoFile(t *testing.T) {
	t.Run("after a failure", func(t *testing.T) {
		r := newRig(t)
		r.source.rows = transactions(1)
		files := fake.NewFiles()
		files.Fault = func(method, name string) error {
			if method == "Commit" && strings.HasSuffix(name, "manifest.json") {
				return errcodes.New(errcodes.StorageUnavailable, "")
			}
			return nil
		}
		r.files = files
		r.create(asked())
		require.ErrorIs(t, r.another().Tick(t.Context(), r.clock.Now()), errcodes.StorageUnavailable)
		assert.Empty(t, r.kept())
	})
	t.Run("after a stop", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, realTime)
			r.source.rows = bubbleRows(1)
			id := r.create(today()).ID
			s := r.over(func(p *report.Ports) { p.Files = stuckFiles{r.files} })
			done := make(chan error, 1)
			go func() { done <- s.Run(t.Context()) }()
			synctest.Wait()
			require.Equal(t, []string{id + "/1/report.csv"}, r.kept())
			require.NoError(t, s.Stop(t.Context()))
			require.NoError(t, <-done)
			assert.Empty(t, r.kept())
		})
	})
}

// Cancelling a report whose process has died removes all its files.
func TestACancelRemovesTheFilesOfADeadProcess(t *testing.T) {
	r := newRig(t)
	id := r.create(asked()).ID
	_, err := r.store.Reports().ClaimReport(t.Context(), "dead", r.clock.Now(), time.Minute)
	require.NoError(t, err)
	f, err := r.files.Create(t.Context(), id+"/1/report.csv")
	require.NoError(t, err)
	require.NoError(t, f.Commit(t.Context()))
	_, err = r.service.Cancel(t.Context(), owner, id)
	require.NoError(t, err)
	assert.Empty(t, r.kept())
}
