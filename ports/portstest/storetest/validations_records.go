package storetest

import (
	"bytes"
	"fmt"
	"time"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// validationRecordChecks: what goes in comes out.
var validationRecordChecks = []storeCheck{
	{"an unknown validation is not found", validations.unknown},
	{"another owner's validation is not found", validations.foreign},
	{"every field of a pending validation comes back as saved", validationRoundTrip},
	{"every field of an ended validation comes back as saved", validationEndRoundTrip},
	{"fields that are empty come back empty", emptyValidation},
	{"times far from now come back equal", validations.farTimes},
	{"sealed bytes of any kind come back", sealedRoundTrip},
	{"changing a validation outside changes nothing stored", validationNotAliased},
}

// validationKeyChecks: owners and ids are byte strings.
var validationKeyChecks = []storeCheck{
	{"owners that look alike have validations of their own", validations.ownersApart},
	{"validation ids that look alike are different validations", validations.idsApart},
	{"owners, ids and texts of 10,000 characters are kept", validations.longTexts},
}

func validationRoundTrip(k *storeKit) {
	v := pendingValidation("acme", "validation-1")
	v.Market.Type, v.BankCode = ports.MobileMoney, ""
	validations.keeps(k, v, "a pending validation")
	v = pendingValidation("acme", "validation-2")
	v.CreatedAt, v.Deadline, v.PurgeAt = kit.Epoch.Add(time.Millisecond), kit.Epoch.Add(2*time.Millisecond), kit.Epoch.Add(3*time.Millisecond)
	validations.keeps(k, v, "a pending validation whose times lie close together")
}

// validationEndRoundTrip saves each end at once, and as a change of a pending one.
func validationEndRoundTrip(k *storeKit) {
	for i, status := range terminals {
		for _, cached := range []bool{false, true} {
			k.Case(fmt.Sprintf("%s, cached %t", status, cached), func() {
				id := fmt.Sprint("validation-", i, cached)
				v := endedAs(pendingValidation("acme", id), status)
				v.Cached = cached
				validations.keeps(k, v, "a validation that ended at once as "+string(status))

				before := validations.save(k, pendingValidation("acme", id+" later"))
				after := endedAs(before, status)
				after.MerchantID, after.Market.Country, after.BankCode = "m\x00\xff,\"' ", "KEN", "01"
				after.Market.Type, after.Provider = ports.InstitutionWallet, "provider-2"
				after.Cached, after.Match, after.Tables = cached, ports.NameMatch{Rule: "initials", Score: i}, "2026-03-02.7"
				for ms, t := range []*time.Time{&after.CreatedAt, &after.EndedAt, &after.Deadline, &after.ExpiresAt, &after.PurgeAt} {
					*t = kit.Epoch.Add(time.Duration(ms+1) * time.Millisecond)
				}
				after.Sealed.KeyID = "key-2"
				validations.keeps(k, after, "a validation that ended later as "+string(status))
			})
		}
	}
}

// emptyValidation leaves out what a validation by internal rules has not.
func emptyValidation(k *storeKit) {
	validations.keeps(k, ports.ValidationRecord{
		ID: "validation-1", Owner: "acme", Market: ports.Market{Country: "EGY", Type: ports.BankAccount},
		Status: ports.StatusError, Provider: ports.ProviderRules, Type: ports.InternalRules,
		CreatedAt: kit.Epoch, EndedAt: kit.Epoch, PurgeAt: kit.Epoch.Add(time.Hour),
	}, "an ended validation of empty fields")
	validations.keeps(k, ports.ValidationRecord{
		ID: "validation-2", Owner: "acme", Market: ports.Market{Country: "EGY", Type: ports.BankAccount},
		Status: ports.StatusPending, CreatedAt: kit.Epoch, Deadline: kit.Epoch, PurgeAt: kit.Epoch,
	}, "a pending validation of empty fields")
}

func sealedRoundTrip(k *storeKit) {
	for i, data := range append(kit.AnyBytes, bytes.Repeat([]byte("x"), 10_000)) {
		v := pendingValidation("acme", fmt.Sprint("validation-", i))
		v.Sealed.Data = data
		v = validations.keeps(k, v, "a validation with its sealed bytes")
		page, err := k.Validations.Overdue(k.Context(), v.Deadline, ports.ValidationPos{}, 1)
		k.OK(err, "Overdue")
		validations.sameList(k, page, []ports.ValidationRecord{v}, "an overdue validation with its sealed bytes")
		validations.save(k, endedAs(v, ports.StatusError))
	}
}

func validationNotAliased(k *storeKit) {
	in := pendingValidation("acme", "validation-1")
	want := validations.save(k, in)
	want.Sealed.Data = bytes.Clone(in.Sealed.Data)
	in.Sealed.Data[0] = '!'
	for range 2 {
		got, err := k.Validations.Validation(k.Context(), "acme", "validation-1")
		k.OK(err, "Validation")
		validations.same(k, got, want, "the validation after its bytes were changed outside")
		got.Sealed.Data[0] = '?'
		page, err := k.Validations.Overdue(k.Context(), want.Deadline, ports.ValidationPos{}, 1)
		k.OK(err, "Overdue")
		validations.sameList(k, page, []ports.ValidationRecord{want}, "the listed validation after its bytes were changed outside")
		page[0].Sealed.Data[0] = '*'
	}
}

// validationVersionChecks: compare-and-swap, and ends that are for good (I18).
var validationVersionChecks = []storeCheck{
	{"a pending validation may change, and each save raises the version by one", validations.versions},
	{"an id that is taken is a conflict and stores nothing", validations.taken},
	{"a stale version is a conflict and stores nothing", validations.stale},
	{"a version that is yet to come is a conflict", validations.future},
	{"a change of another owner's validation is a conflict", validations.stolen},
	{"an ended validation never changes", endedValidations},
	{"of many racers with one new id one wins", validations.newIDRacers},
	{"of many racers at one version one wins", validations.racers},
	{"saves of different validations do not get in each other's way", validations.apart},
}

func endedValidations(k *storeKit) {
	validations.endsOnce(k)
	k.Same(k.overdue(kit.Epoch.AddDate(1, 0, 0)), []string{}, "Overdue after all ended")
}
