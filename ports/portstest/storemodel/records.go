package storemodel

import (
	"context"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Reports makes the same calls to the stores and to the memory store, which has its
// own model, and checks that all results agree (I22).
func Reports(t *testing.T, fresh Fresh) {
	rapid.Check(t, func(rt *rapid.T) {
		d := &reportDifferential{newDifferential(rt, fresh)}
		rt.Repeat(map[string]func(*rapid.T){
			"save": d.save, "claim": d.claim, "remove": d.remove, "list": d.list, "": d.compare,
		})
		d.sameEvents(rt)
	})
}

type reportDifferential struct{ differential }

// save tries a change of the stored job, usually at its version.
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

// Transactions makes the same calls to the stores and to the memory store, which
// has its own model, and checks that all results agree (I26, I27).
func Transactions(t *testing.T, fresh Fresh) {
	rapid.Check(t, func(rt *rapid.T) {
		d := &transactionDifferential{newDifferential(rt, fresh)}
		rt.Repeat(map[string]func(*rapid.T){"save": d.save, "": d.compare})
		d.sameEvents(rt)
	})
}

type transactionDifferential struct{ differential }

// save tries a change of the stored transaction: usually at its version, often of a
// single field, with times finer than a millisecond.
func (d *transactionDifferential) save(t *rapid.T) {
	d.saves++
	owner, id := fewOwners.Draw(t, "owner"), fewIDs.Draw(t, "id")
	tx, err := d.model.Transactions().Transaction(context.Background(), owner, id)
	if err != nil {
		tx = PendingTransaction(owner, id)
	}
	before := tx
	switch rapid.IntRange(0, 5).Draw(t, "move") {
	case 0, 1:
		tx = FailedTransaction(tx)
	case 2, 3:
		tx = changedOtherwise(t, tx)
	case 4:
		tx.Version += rapid.SampledFrom([]int64{-1, 1}).Draw(t, "off")
	}
	if tx.Status.State() != "" && rapid.Bool().Draw(t, "late") {
		tx.LateAt, tx.LateRaw = finerTimes.Draw(t, "late at"), ports.RawFailure{Message: fewIDs.Draw(t, "late message")}
	}
	if before.Status.Terminal() && !tx.Status.Terminal() {
		tx.Raw, tx.Code, tx.EndedAt, tx.LateAt, tx.LateRaw = ports.RawFailure{}, "", time.Time{}, time.Time{}, ports.RawFailure{}
	}
	change := ports.TransactionChange{Transaction: tx, Events: d.event()}
	d.tries(t, func(s Store) error { return s.Transactions().Save(context.Background(), change) })
}

// changedOtherwise changes one field in a valid way.
func changedOtherwise(t *rapid.T, tx ports.Transaction) ports.Transaction {
	ended := tx.Status.Terminal()
	switch rapid.IntRange(0, 8).Draw(t, "field") {
	case 0:
		tx.Direction = errcodes.Payout
	case 1:
		tx.CreatedAt = finerTimes.Draw(t, "created")
	case 2:
		tx.RespondBy = rapid.OneOf(finerTimes, rapid.Just(time.Time{})).Draw(t, "respond by")
	case 3:
		if ended {
			tx.Raw.Code = fewIDs.Draw(t, "code")
		}
	case 4:
		if ended {
			tx.Raw.Message = fewIDs.Draw(t, "message")
		}
	case 5:
		tx.Scheme = fewIDs.Draw(t, "scheme")
	case 6:
		tx.Tables = fewIDs.Draw(t, "tables")
	case 7:
		if ended {
			tx.EndedAt = finerTimes.Draw(t, "ended")
		}
	case 8:
		tx.Status, tx.Code, tx.EndedAt = ports.TransactionSucceeded, "", finerTimes.Draw(t, "ended")
		tx.LateAt, tx.LateRaw = time.Time{}, ports.RawFailure{}
	}
	return tx
}

func (d *transactionDifferential) compare(t *rapid.T) {
	owner, id := fewOwners.Draw(t, "reader"), fewIDs.Draw(t, "what")
	asks(t, &d.differential, func(s Store) (ports.Transaction, error) {
		return s.Transactions().Transaction(context.Background(), owner, id)
	})
}

// Validations makes the same calls to the stores and to the memory store, which has
// its own model, and checks that all results agree (I18).
func Validations(t *testing.T, fresh Fresh) {
	rapid.Check(t, func(rt *rapid.T) {
		d := &validationDifferential{newDifferential(rt, fresh)}
		rt.Repeat(map[string]func(*rapid.T){"save": d.save, "purge": d.purge, "list": d.list, "": d.compare})
		d.sameEvents(rt)
	})
}

type validationDifferential struct{ differential }

// save tries any change, usually at the version of the record.
func (d *validationDifferential) save(t *rapid.T) {
	d.saves++
	r := PendingValidation(fewOwners.Draw(t, "owner"), fewIDs.Draw(t, "id"))
	// The version is 0 if the record does not exist or belongs to another owner.
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

// purge removes a few validations and then the rest of them: the store chooses
// which are removed first.
func (d *validationDifferential) purge(t *rapid.T) {
	before := fewTimes.Draw(t, "before")
	for _, n := range []int{rapid.IntRange(1, 3).Draw(t, "n"), 10_000} {
		asks(t, &d.differential, func(s Store) (int, error) { return s.Validations().PurgeValidations(context.Background(), before, n) })
	}
}

func (d *validationDifferential) list(t *rapid.T) {
	by, limit := fewTimes.Draw(t, "by"), rapid.IntRange(1, 3).Draw(t, "limit")
	asks(t, &d.differential, func(s Store) (pages [][]ports.ValidationRecord, err error) {
		page, after := make([]ports.ValidationRecord, limit), ports.Pos{}
		for len(page) == limit && len(pages) <= d.saves {
			if page, err = all(s.Validations().Overdue(context.Background(), by, after, limit)); err != nil {
				return nil, err
			}
			pages = append(pages, page)
			if n := len(page); n > 0 {
				after = ports.Pos{At: page[n-1].Deadline, ID: page[n-1].ID}
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
