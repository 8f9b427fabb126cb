package storetest

import (
	"fmt"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// validationVersionChecks: compare-and-swap, and ends that are for good (I18).
var validationVersionChecks = []storeCheck{
	{"a pending validation may change, and each save raises the version by one", validationVersions},
	{"an id that is taken is a conflict and stores nothing", validationTaken},
	{"a stale version is a conflict and stores nothing", validationStale},
	{"a version that is yet to come is a conflict", validationFuture},
	{"a change of another owner's validation is a conflict", validationStolen},
	{"an ended validation never changes", endedForGood},
	{"of many racers with one new id one wins", newIDRacers},
	{"of many racers at one version one wins", validationRacers},
	{"saves of different validations do not get in each other's way", validationsApart},
}

func validationVersions(k *storeKit) {
	v := pendingValidation("acme", "validation-1")
	for version := range int64(5) {
		k.Same(v.Version, version, "the version")
		v.Provider = fmt.Sprint("provider-", version)
		v.Deadline = v.Deadline.Add(time.Second)
		v.Sealed.Data = fmt.Append(nil, "sealed ", version)
		v = k.saveValidation(v)
		k.hasValidation(v, "a validation that is still pending")
	}
	v = k.saveValidation(endedAs(v, ports.StatusVerified))
	k.Same(v.Version, int64(6), "the version of the end")
	k.hasValidation(v, "a validation that has ended")
}

func validationTaken(k *storeKit) {
	pending := k.saveValidation(pendingValidation("acme", "pending"))
	done := k.saveValidation(endedAs(pendingValidation("acme", "done"), ports.StatusNotFound))
	for _, owner := range []string{"acme", "zenith"} {
		for _, taken := range []ports.ValidationRecord{pending, done} {
			again := pendingValidation(owner, taken.ID)
			again.MerchantID = "merchant-2"
			k.refusedValidation(again, "a new validation of a taken id")
			k.refusedValidation(endedAs(again, ports.StatusVerified), "a new and ended validation of a taken id")
			k.hasValidation(taken, "the validation that has the id")
		}
	}
	k.noValidation("zenith", "pending", "a new validation that was refused")
	k.noValidation("zenith", "done", "a new validation that was refused")
}

func validationStale(k *storeKit) {
	first := k.saveValidation(pendingValidation("acme", "validation-1"))
	next := first
	next.Provider = "provider-2"
	want := k.saveValidation(next)
	stale := first
	stale.Provider = "provider-3"
	k.refusedValidation(stale, "a change at a stale version")
	k.refusedValidation(endedAs(stale, ports.StatusVerified), "an end at a stale version")
	k.hasValidation(want, "the validation after a conflict")
}

func validationFuture(k *storeKit) {
	want := k.saveValidation(pendingValidation("acme", "validation-1"))
	future := want
	future.Version++
	k.refusedValidation(future, "a change at a version that is yet to come")
	k.hasValidation(want, "the validation after a conflict")

	none := pendingValidation("acme", "validation-2")
	none.Version = 1
	k.refusedValidation(none, "a change of a validation that was never saved")
	k.refusedValidation(endedAs(none, ports.StatusError), "an end of a validation that was never saved")
	k.noValidation("acme", "validation-2", "a validation that was never saved")
}

func validationStolen(k *storeKit) {
	want := k.saveValidation(pendingValidation("acme", "validation-1"))
	for _, owner := range []string{"zenith", "Acme", "acme ", "acme\x00", ""} {
		stolen := want
		stolen.Owner = owner
		k.refusedValidation(stolen, "a change of another owner's validation")
		k.refusedValidation(endedAs(stolen, ports.StatusVerified), "an end of another owner's validation")
		k.noValidation(owner, "validation-1", "another owner's id")
	}
	k.hasValidation(want, "the validation after a conflict")
}

// endedForGood tries every change on every end.
func endedForGood(k *storeKit) {
	for _, first := range terminals {
		atOnce := k.saveValidation(endedAs(pendingValidation("acme", "at once "+string(first)), first))
		later := k.saveValidation(endedAs(k.saveValidation(pendingValidation("acme", "later "+string(first))), first))
		for _, want := range []ports.ValidationRecord{atOnce, later} {
			k.refusedValidation(want, "saving a validation that ended as "+string(first)+" as it is")
			again := pendingValidation("acme", want.ID)
			again.Version = want.Version
			k.refusedValidation(again, "opening a validation again that ended as "+string(first))
			for _, second := range terminals {
				k.refusedValidation(endedAs(again, second), "a second end as "+string(second)+" after "+string(first))
			}
			k.hasValidation(want, "a validation that ended as "+string(first))
		}
	}
	k.Same(k.overdue(kit.Epoch.AddDate(1, 0, 0)), []string{}, "Overdue after all ended")
}

// winner checks that one racer got through and the rest met a conflict, and
// gives the winner.
func (k *storeKit) winner(errs []error) int {
	k.Helper()
	won := -1
	for i, err := range errs {
		switch {
		case err != nil:
			k.Code(err, errcodes.Conflict, "a racer that lost")
		case won >= 0:
			k.Fatalf("racers %d and %d both won", won, i)
		default:
			won = i
		}
	}
	if won < 0 {
		k.Fatalf("none of %d racers won", len(errs))
	}
	return won
}

func newIDRacers(k *storeKit) {
	for round := range 8 {
		id := fmt.Sprint("validation-", round)
		racer := func(i int) ports.ValidationRecord {
			v := pendingValidation(fmt.Sprint("owner-", i%2), id)
			v.MerchantID = fmt.Sprint("merchant-", i)
			if i%4 > 1 {
				v = endedAs(v, ports.StatusVerified)
			}
			return v
		}
		want := racer(k.winner(kit.Race(kit.Racers, func(i int) error {
			return k.Validations.Save(k.Context(), ports.ValidationChange{Record: racer(i)})
		})))
		want.Version++
		k.hasValidation(want, "the winner's validation")
		for i := range kit.Racers {
			if loser := racer(i); loser.Owner != want.Owner {
				k.noValidation(loser.Owner, id, "a racer that lost")
			}
		}
	}
}

func validationRacers(k *storeKit) {
	v := k.saveValidation(pendingValidation("acme", "validation-1"))
	for range 8 {
		racer := func(i int) ports.ValidationRecord {
			next := v
			next.Provider = fmt.Sprint("provider-", i)
			return next
		}
		won := k.winner(kit.Race(kit.Racers, func(i int) error {
			return k.Validations.Save(k.Context(), ports.ValidationChange{Record: racer(i)})
		}))
		v = racer(won)
		v.Version++
		k.hasValidation(v, "the winner's change")
	}
	won := k.winner(kit.Race(kit.Racers, func(i int) error {
		return k.Validations.Save(k.Context(), ports.ValidationChange{Record: endedAs(v, terminals[i%len(terminals)])})
	}))
	v = endedAs(v, terminals[won%len(terminals)])
	v.Version++
	k.hasValidation(v, "the winner's end")
}

func validationsApart(k *storeKit) {
	made := func(i int) ports.ValidationRecord {
		return pendingValidation(fmt.Sprint("owner-", i%3), fmt.Sprint("validation-", i))
	}
	errs := kit.Race(kit.Racers, func(i int) error {
		return k.Validations.Save(k.Context(), ports.ValidationChange{Record: made(i)})
	})
	for i, err := range errs {
		k.OK(err, "one of many saves of different validations")
		want := made(i)
		want.Version++
		k.hasValidation(want, "one of many validations")
	}
}
