package storemodel

import (
	"context"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/ports"
)

// Validations asks the stores and the memory store, which has a model of its own,
// the same: every answer agrees (I18).
func Validations(t *testing.T, fresh Fresh) {
	t.Helper()
	rapid.Check(t, func(rt *rapid.T) {
		d := &validationDifferential{newDifferential(rt, fresh)}
		rt.Repeat(map[string]func(*rapid.T){"save": d.save, "purge": d.purge, "list": d.list, "": d.compare})
		d.sameEvents(rt)
	})
}

type validationDifferential struct{ differential }

// save tries any change, most of them at the version of the record.
func (d *validationDifferential) save(t *rapid.T) {
	d.saves++
	r := PendingValidation(fewOwners.Draw(t, "owner"), fewIDs.Draw(t, "id"))
	// Version 0 if it is not there, or another owner's.
	old, _ := d.model.Validations().Validation(context.Background(), fewOwners.Draw(t, "owner of the version"), r.ID)
	r.Version = old.Version + rapid.SampledFrom([]int64{0, 0, 0, 0, 1, -1}).Draw(t, "off")
	if status := rapid.SampledFrom(append(Ends, ports.StatusPending, ports.StatusPending)).Draw(t, "status"); status != ports.StatusPending {
		r = EndedValidation(r, status)
	}
	r.Deadline, r.PurgeAt = fewTimes.Draw(t, "deadline"), fewTimes.Draw(t, "purge at")
	r.Sealed.Data = []byte(strconv.Itoa(d.saves))
	change := ports.ValidationChange{Record: r, Events: d.event()}
	d.tries(t, func(s Store) error { return s.Validations().Save(context.Background(), change) })
}

// purge removes a few, and then what is left of them: which go first is the
// store's to choose.
func (d *validationDifferential) purge(t *rapid.T) {
	before := fewTimes.Draw(t, "before")
	for _, n := range []int{rapid.IntRange(1, 3).Draw(t, "n"), 10_000} {
		asks(t, &d.differential, func(s Store) (int, error) { return s.Validations().PurgeValidations(context.Background(), before, n) })
	}
}

func (d *validationDifferential) list(t *rapid.T) {
	by, limit := fewTimes.Draw(t, "by"), rapid.IntRange(1, 3).Draw(t, "limit")
	asks(t, &d.differential, func(s Store) (pages [][]ports.ValidationRecord, err error) {
		page, after := make([]ports.ValidationRecord, limit), ports.ValidationPos{}
		for len(page) == limit && len(pages) <= d.saves {
			if page, err = all(s.Validations().Overdue(context.Background(), by, after, limit)); err != nil {
				return nil, err
			}
			pages = append(pages, page)
			if n := len(page); n > 0 {
				after = ports.ValidationPos{Deadline: page[n-1].Deadline, ID: page[n-1].ID}
			}
		}
		return pages, nil
	})
}

func (d *validationDifferential) compare(t *rapid.T) {
	owner, id := fewOwners.Draw(t, "reader"), fewIDs.Draw(t, "what")
	asks(t, &d.differential, func(s Store) (ports.ValidationRecord, error) {
		return s.Validations().Validation(context.Background(), owner, id)
	})
}
