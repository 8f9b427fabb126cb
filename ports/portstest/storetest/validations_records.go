package storetest

import (
	"bytes"
	"fmt"
	"strings"
	"time"

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
		k.noValidation("acme", id, "an unknown id")
	}
}

func foreignValidation(k *storeKit) {
	k.saveValidation(pendingValidation("acme", "validation-1"))
	k.saveValidation(endedAs(pendingValidation("zenith", "validation-2"), ports.StatusVerified))
	for _, owner := range []string{"zenith", "", "Acme", "acme "} {
		k.noValidation(owner, "validation-1", "another owner's id")
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
		v := pendingValidation("acme", at.Format(time.DateOnly))
		v.CreatedAt, v.Deadline, v.PurgeAt = at, at, at
		v = k.saveValidation(v)
		k.hasValidation(v, "a pending validation")
		v = endedAs(v, ports.StatusVerified)
		v.EndedAt, v.ExpiresAt = at, at
		k.hasValidation(k.saveValidation(v), "an ended validation")
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
		for other, v := range saved {
			if other != owner {
				k.noValidation(owner, v.ID, "an owner that looks like its own")
			}
		}
		k.hasValidation(saved[owner], "the validation of an owner among look-alikes")
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
		k.hasValidation(v, "the validation of an id among look-alikes")
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
