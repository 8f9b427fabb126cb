package storemodel

import (
	"context"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/ports"
)

// Reports asks the stores and the memory store, which has a model of its own, the
// same: every answer agrees (I22).
func Reports(t *testing.T, fresh Fresh) {
	t.Helper()
	rapid.Check(t, func(rt *rapid.T) {
		d := &reportDifferential{newDifferential(rt, fresh)}
		rt.Repeat(map[string]func(*rapid.T){
			"save": d.save, "claim": d.claim, "remove": d.remove, "list": d.list, "": d.compare,
		})
		d.sameEvents(rt)
	})
}

type reportDifferential struct{ differential }

// save tries a change of the job as it is, mostly at its version.
func (d *reportDifferential) save(t *rapid.T) {
	d.saves++
	owner, id := fewOwners.Draw(t, "owner"), fewIDs.Draw(t, "id")
	j, err := d.model.Reports().Report(context.Background(), owner, id)
	if err != nil {
		j = RunningReport(owner, id)
		j.CreatedAt = finerTimes.Draw(t, "created")
	}
	j.Version += rapid.SampledFrom([]int64{0, 0, 0, 0, -1, 1}).Draw(t, "off")
	if j.Status == ports.ReportRunning {
		switch rapid.IntRange(0, 4).Draw(t, "move") {
		case 0:
			j = CompletedReport(j)
			j.EndedAt = finerTimes.Draw(t, "ended")
		case 1:
			j = FailedReport(j)
			j.EndedAt = fewTimes.Draw(t, "ended")
		default:
			j.LeaseUntil, j.StartedAt = optionalTimes.Draw(t, "lease"), optionalTimes.Draw(t, "started")
			j.AsOf, j.Holder = optionalTimes.Draw(t, "as of"), fewIDs.Draw(t, "holder")
		}
	}
	j.Request.Name = strconv.Itoa(d.saves)
	j.Request.Columns = rapid.SliceOfN(fewIDs, 0, 3).Draw(t, "columns")
	change := ports.ReportChange{Job: j, Events: d.event()}
	d.tries(t, func(s Store) error { return s.Reports().Save(context.Background(), change) })
}

func (d *reportDifferential) claim(t *rapid.T) {
	now := nearTimes.Draw(t, "now")
	lease := rapid.SampledFrom([]time.Duration{time.Nanosecond, 300 * time.Microsecond, time.Millisecond, 3 * time.Millisecond}).Draw(t, "lease")
	holder := fewIDs.Draw(t, "holder")
	asks(t, &d.differential, func(s Store) (ports.ReportJob, error) {
		return s.Reports().ClaimReport(context.Background(), holder, now, lease)
	})
}

func (d *reportDifferential) remove(t *rapid.T) {
	owner, id := fewOwners.Draw(t, "owner"), fewIDs.Draw(t, "id")
	d.tries(t, func(s Store) error { return s.Reports().RemoveReport(context.Background(), owner, id) })
}

func (d *reportDifferential) list(t *rapid.T) {
	before, limit := nearTimes.Draw(t, "before"), rapid.IntRange(0, 4).Draw(t, "limit")
	asks(t, &d.differential, func(s Store) ([]ports.ReportJob, error) {
		return s.Reports().ExpiredReports(context.Background(), before, limit)
	})
}

func (d *reportDifferential) compare(t *rapid.T) {
	owner, id := fewOwners.Draw(t, "reader"), fewIDs.Draw(t, "what")
	asks(t, &d.differential, func(s Store) (ports.ReportJob, error) { return s.Reports().Report(context.Background(), owner, id) })
}
