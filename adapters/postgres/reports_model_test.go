package postgres_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// TestReportsDifferential asks two stores on one database and the memory store,
// which has a model of its own, the same: every answer agrees (I22).
func TestReportsDifferential(t *testing.T) {
	t.Parallel()
	dsn := migrated(t)
	stores := []*postgres.Store{open(t, dsn, nil), open(t, dsn, nil)}
	pool := connect(t, dsn, nil)
	rapid.Check(t, func(rt *rapid.T) {
		_, err := pool.Exec(t.Context(), "TRUNCATE corridor.reports, corridor.events")
		require.NoError(rt, err)
		model, err := memory.New(nil)
		require.NoError(rt, err)
		d := &reportDifferential{stores: stores, model: model}
		rt.Repeat(map[string]func(*rapid.T){
			"save": d.save, "claim": d.claim, "remove": d.remove, "list": d.list, "": d.compare,
		})
		sameEvents(rt, model, storedEvents(t, dsn))
	})
}

type reportDifferential struct {
	stores []*postgres.Store
	model  *memory.Store
	saves  int
}

func (d *reportDifferential) any(t *rapid.T) ports.ReportStore {
	return rapid.SampledFrom(d.stores).Draw(t, "store").Reports()
}

// agree compares two answers.
func (d *reportDifferential) agree(t *rapid.T, wantErr, err error) {
	require.Equal(t, errcodes.Of(wantErr), errcodes.Of(err), "%v; the model: %v", err, wantErr)
}

// reportTimes lie around each other, some of them below the millisecond.
var reportTimes = rapid.OneOf(finerTimes, nearTimes, rapid.Just(time.Time{}))

// save tries a change of the job as it is, mostly at its version.
func (d *reportDifferential) save(t *rapid.T) {
	d.saves++
	owner, id := nearOwners.Draw(t, "owner"), nearIDs.Draw(t, "id")
	j, err := d.model.Reports().Report(context.Background(), owner, id)
	if err != nil {
		j = runs(owner, id)
		j.CreatedAt = finerTimes.Draw(t, "created")
	}
	j.Version += rapid.SampledFrom([]int64{0, 0, 0, 0, -1, 1}).Draw(t, "off")
	if j.Status == ports.ReportRunning {
		switch rapid.IntRange(0, 4).Draw(t, "move") {
		case 0:
			j = completed(j)
			j.EndedAt = finerTimes.Draw(t, "ended")
		case 1:
			j = broke(j)
			j.EndedAt = nearTimes.Draw(t, "ended")
		default:
			j.LeaseUntil, j.StartedAt = reportTimes.Draw(t, "lease"), reportTimes.Draw(t, "started")
			j.AsOf, j.Holder = reportTimes.Draw(t, "as of"), nearIDs.Draw(t, "holder")
		}
	}
	j.Request.Name = strconv.Itoa(d.saves)
	j.Request.Columns = rapid.SliceOfN(nearIDs, 0, 3).Draw(t, "columns")
	change := ports.ReportChange{Job: j, Events: []ports.Event{{ID: strconv.Itoa(d.saves), Key: strconv.Itoa(d.saves), At: epoch}}}
	d.agree(t, d.model.Reports().Save(context.Background(), change), d.any(t).Save(context.Background(), change))
}

func (d *reportDifferential) claim(t *rapid.T) {
	now := rapid.OneOf(finerTimes, nearTimes).Draw(t, "now")
	lease := rapid.SampledFrom([]time.Duration{time.Nanosecond, 300 * time.Microsecond, time.Millisecond, 3 * time.Millisecond}).Draw(t, "lease")
	holder := nearIDs.Draw(t, "holder")
	want, wantErr := d.model.Reports().ClaimReport(context.Background(), holder, now, lease)
	got, err := d.any(t).ClaimReport(context.Background(), holder, now, lease)
	d.agree(t, wantErr, err)
	require.Equal(t, want, got)
}

func (d *reportDifferential) remove(t *rapid.T) {
	owner, id := nearOwners.Draw(t, "owner"), nearIDs.Draw(t, "id")
	d.agree(t, d.model.Reports().RemoveReport(context.Background(), owner, id), d.any(t).RemoveReport(context.Background(), owner, id))
}

func (d *reportDifferential) list(t *rapid.T) {
	before, limit := rapid.OneOf(finerTimes, nearTimes).Draw(t, "before"), rapid.IntRange(0, 4).Draw(t, "limit")
	want, wantErr := d.model.Reports().ExpiredReports(context.Background(), before, limit)
	got, err := d.any(t).ExpiredReports(context.Background(), before, limit)
	d.agree(t, wantErr, err)
	require.Equal(t, want, got)
}

func (d *reportDifferential) compare(t *rapid.T) {
	owner, id := nearOwners.Draw(t, "reader"), nearIDs.Draw(t, "what")
	want, wantErr := d.model.Reports().Report(context.Background(), owner, id)
	got, err := d.any(t).Report(context.Background(), owner, id)
	d.agree(t, wantErr, err)
	require.Equal(t, want, got)
}
