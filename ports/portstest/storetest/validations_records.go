package storetest

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// validationRecordChecks: what goes in comes out.
var validationRecordChecks = []storeCheck{
	{"an unknown validation is not found", unknownValidation},
	{"another owner's validation is not found", foreignValidation},
	{"every field of a pending validation comes back as saved", validationRoundTrip},
	{"every field of an ended validation comes back as saved", validationEndRoundTrip},
	{"fields that are empty come back empty", emptyValidation},
	{"times far from now come back equal", validationFarTimes},
	{"sealed bytes of any kind come back", sealedRoundTrip},
	{"changing a validation outside changes nothing stored", validationNotAliased},
}

// validationKeyChecks: owners and ids are byte strings.
var validationKeyChecks = []storeCheck{
	{"owners that look alike have validations of their own", validationOwnersApart},
	{"validation ids that look alike are different validations", validationIDsApart},
	{"owners, ids and texts of 10,000 characters are kept", longValidation},
}

func unknownValidation(k *storeKit) {
	k.noValidation("acme", "validation-1", "an empty store")
	k.saveValidation(pendingValidation("acme", "validation-1"))
	for _, id := range []string{"validation-2", "", "validation-", "validation-1 ", "VALIDATION-1", "validation-1\x00", "%", "validation_1"} {
		k.Case(kit.Name(id), func() {
			k.noValidation("acme", id, "an unknown id")
		})
	}
}

func foreignValidation(k *storeKit) {
	k.saveValidation(pendingValidation("acme", "validation-1"))
	k.saveValidation(endedAs(pendingValidation("zenith", "validation-2"), ports.StatusVerified))
	for _, owner := range []string{"zenith", "", "Acme", "acme "} {
		k.Case(kit.Name(owner), func() {
			k.noValidation(owner, "validation-1", "another owner's id")
		})
	}
	k.noValidation("acme", "validation-2", "another owner's id")
}

func validationRoundTrip(k *storeKit) {
	v := pendingValidation("acme", "validation-1")
	v.Market.Type, v.BankCode = ports.MobileMoney, ""
	k.hasValidation(k.saveValidation(v), "a pending validation")
	v = pendingValidation("acme", "validation-2")
	v.CreatedAt, v.Deadline, v.PurgeAt = kit.Epoch.Add(time.Millisecond), kit.Epoch.Add(2*time.Millisecond), kit.Epoch.Add(3*time.Millisecond)
	k.hasValidation(k.saveValidation(v), "a pending validation whose times lie close together")
}

// validationEndRoundTrip saves each end at once, and as a change of a pending one.
func validationEndRoundTrip(k *storeKit) {
	for i, status := range terminals {
		for _, cached := range []bool{false, true} {
			k.Case(fmt.Sprintf("%s, cached %t", status, cached), func() {
				id := fmt.Sprint("validation-", i, cached)
				v := endedAs(pendingValidation("acme", id), status)
				v.Cached = cached
				k.hasValidation(k.saveValidation(v), "a validation that ended at once as "+string(status))

				before := k.saveValidation(pendingValidation("acme", id+" later"))
				after := endedAs(before, status)
				after.MerchantID, after.Market.Country, after.BankCode = "m\x00\xff,\"' ", "KEN", "01"
				after.Market.Type, after.Provider = ports.InstitutionWallet, "provider-2"
				after.Cached, after.Match, after.Tables = cached, ports.NameMatch{Rule: "initials", Score: i}, "2026-03-02.7"
				for ms, t := range []*time.Time{&after.CreatedAt, &after.EndedAt, &after.Deadline, &after.ExpiresAt, &after.PurgeAt} {
					*t = kit.Epoch.Add(time.Duration(ms+1) * time.Millisecond)
				}
				after.Sealed.KeyID = "key-2"
				k.hasValidation(k.saveValidation(after), "a validation that ended later as "+string(status))
			})
		}
	}
}

// emptyValidation leaves out what a validation by internal rules has not.
func emptyValidation(k *storeKit) {
	k.hasValidation(k.saveValidation(ports.ValidationRecord{
		ID: "validation-1", Owner: "acme", Market: ports.Market{Country: "EGY", Type: ports.BankAccount},
		Status: ports.StatusError, Provider: ports.ProviderRules, Type: ports.InternalRules,
		CreatedAt: kit.Epoch, EndedAt: kit.Epoch, PurgeAt: kit.Epoch.Add(time.Hour),
	}), "an ended validation of empty fields")
	k.hasValidation(k.saveValidation(ports.ValidationRecord{
		ID: "validation-2", Owner: "acme", Market: ports.Market{Country: "EGY", Type: ports.BankAccount},
		Status: ports.StatusPending, CreatedAt: kit.Epoch, Deadline: kit.Epoch, PurgeAt: kit.Epoch,
	}), "a pending validation of empty fields")
}

func validationFarTimes(k *storeKit) {
	for _, at := range []time.Time{
		time.Date(1969, 12, 31, 23, 59, 59, int(999*time.Millisecond), time.UTC),
		time.Date(1600, 1, 1, 0, 0, 0, int(time.Millisecond), time.UTC),
		time.Date(2500, 1, 1, 0, 0, 0, int(time.Millisecond), time.UTC),
	} {
		k.Case(at.Format(time.DateOnly), func() {
			v := pendingValidation("acme", at.Format(time.DateOnly))
			v.CreatedAt, v.Deadline, v.PurgeAt = at, at, at
			v = k.saveValidation(v)
			k.hasValidation(v, "a pending validation")
			v = endedAs(v, ports.StatusVerified)
			v.EndedAt, v.ExpiresAt = at, at
			k.hasValidation(k.saveValidation(v), "an ended validation")
		})
	}
}

func sealedRoundTrip(k *storeKit) {
	for i, data := range append(kit.AnyBytes, bytes.Repeat([]byte("x"), 10_000)) {
		v := pendingValidation("acme", fmt.Sprint("validation-", i))
		v.Sealed.Data = data
		v = k.saveValidation(v)
		k.hasValidation(v, "a validation with its sealed bytes")
		page, err := k.Validations.Overdue(k.Context(), v.Deadline, ports.ValidationPos{}, 1)
		k.OK(err, "Overdue")
		k.Same(page, []ports.ValidationRecord{v}, "an overdue validation with its sealed bytes")
		k.saveValidation(endedAs(v, ports.StatusError))
	}
}

func validationNotAliased(k *storeKit) {
	in := pendingValidation("acme", "validation-1")
	want := k.saveValidation(in)
	want.Sealed.Data = bytes.Clone(in.Sealed.Data)
	in.Sealed.Data[0] = '!'
	for range 2 {
		got, err := k.Validations.Validation(k.Context(), "acme", "validation-1")
		k.OK(err, "Validation")
		k.Same(got, want, "the validation after its bytes were changed outside")
		got.Sealed.Data[0] = '?'
		page, err := k.Validations.Overdue(k.Context(), want.Deadline, ports.ValidationPos{}, 1)
		k.OK(err, "Overdue")
		k.Same(page, []ports.ValidationRecord{want}, "the listed validation after its bytes were changed outside")
		page[0].Sealed.Data[0] = '*'
	}
}

func validationOwnersApart(k *storeKit) {
	saved := map[string]ports.ValidationRecord{}
	for i, owner := range kit.Distinct {
		saved[owner] = k.saveValidation(pendingValidation(owner, fmt.Sprint("validation-", i)))
	}
	for _, owner := range kit.Distinct {
		k.Case(kit.Name(owner), func() {
			for other, v := range saved {
				if other != owner {
					k.noValidation(owner, v.ID, "an owner that looks like its own")
				}
			}
			k.hasValidation(saved[owner], "the validation of an owner among look-alikes")
		})
	}
}

func validationIDsApart(k *storeKit) {
	var saved []ports.ValidationRecord
	for i, id := range kit.Distinct {
		if id == "" {
			continue
		}
		v := pendingValidation("acme", id)
		v.CreatedAt = kit.Epoch.Add(time.Duration(i) * time.Millisecond)
		saved = append(saved, k.saveValidation(v))
	}
	for _, v := range saved {
		k.Case(kit.Name(v.ID), func() {
			k.hasValidation(v, "the validation of an id among look-alikes")
		})
	}
}

func longValidation(k *storeKit) {
	long := strings.Repeat("0123456789", 1000)
	var saved []ports.ValidationRecord
	for _, tail := range []string{"a", "b"} {
		v := pendingValidation(long+tail, long+"id"+tail)
		v.MerchantID = long + "merchant" + tail
		saved = append(saved, k.saveValidation(v))
	}
	for _, v := range saved {
		k.hasValidation(v, "a validation of long texts")
	}
	k.noValidation(long+"a", long+"idb", "a long id of another owner")
}

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
			k.Case(owner+" "+taken.ID, func() {
				again := pendingValidation(owner, taken.ID)
				again.MerchantID = "merchant-2"
				k.refusedValidation(again, "a new validation of a taken id")
				k.refusedValidation(endedAs(again, ports.StatusVerified), "a new and ended validation of a taken id")
				k.hasValidation(taken, "the validation that has the id")
			})
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
		k.Case(kit.Name(owner), func() {
			stolen := want
			stolen.Owner = owner
			k.refusedValidation(stolen, "a change of another owner's validation")
			k.refusedValidation(endedAs(stolen, ports.StatusVerified), "an end of another owner's validation")
			k.noValidation(owner, "validation-1", "another owner's id")
		})
	}
	k.hasValidation(want, "the validation after a conflict")
}

// endedForGood tries every change on every end.
func endedForGood(k *storeKit) {
	for _, first := range terminals {
		atOnce := k.saveValidation(endedAs(pendingValidation("acme", "at once "+string(first)), first))
		later := k.saveValidation(endedAs(k.saveValidation(pendingValidation("acme", "later "+string(first))), first))
		for _, want := range []ports.ValidationRecord{atOnce, later} {
			k.Case(want.ID, func() {
				k.refusedValidation(want, "saving a validation that ended as "+string(first)+" as it is")
				again := pendingValidation("acme", want.ID)
				again.Version = want.Version
				k.refusedValidation(again, "opening a validation again that ended as "+string(first))
				for _, second := range terminals {
					k.Case("then "+string(second), func() {
						k.refusedValidation(endedAs(again, second), "a second end as "+string(second)+" after "+string(first))
					})
				}
				k.hasValidation(want, "a validation that ended as "+string(first))
			})
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
