package storetest

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// ValidationStore checks a ports.ValidationStore.
func ValidationStore(t *testing.T, h Harness) {
	t.Helper()
	runStore(t, h, validationChecks, "Store.Validations is nil", func(s Store) bool { return s.Validations != nil })
}

var validationChecks = slices.Concat(validations.checks("pending", validationsReopened), validationRecordChecks, overdueChecks)

var terminals = []ports.ValidationStatus{
	ports.StatusVerified, ports.StatusNameMismatch, ports.StatusNotFound, ports.StatusError,
}

// pendingValidation returns a pending validation whose deadline is five minutes
// after its creation.
func pendingValidation(owner, id string) ports.ValidationRecord {
	return ports.ValidationRecord{
		ID: id, Owner: owner, MerchantID: "merchant-1",
		Market: ports.Market{Country: "NGA", Type: ports.BankAccount}, BankCode: "058",
		Status: ports.StatusPending, Provider: "provider-1", Tables: "2026-03-01",
		CreatedAt: kit.Epoch, Deadline: kit.Epoch.Add(5 * time.Minute), PurgeAt: kit.Epoch.Add(24 * time.Hour),
		Sealed: ports.Sealed{KeyID: "key-1", Data: []byte("sealed of " + id)},
	}
}

func endedAs(v ports.ValidationRecord, status ports.ValidationStatus) ports.ValidationRecord {
	v.Status, v.Type, v.EndedAt = status, ports.External, v.CreatedAt.Add(1234*time.Millisecond)
	v.Outcome, v.ExpiresAt = ports.OutcomeFound, v.CreatedAt.Add(time.Hour)
	switch status {
	case ports.StatusVerified:
		v.NameRule, v.NameScore = "same", 100
	case ports.StatusNameMismatch:
		v.NameRule, v.NameScore = "token_overlap", 37
	case ports.StatusNotFound:
		v.Outcome = ports.OutcomeNotFound
	case ports.StatusError, ports.StatusPending:
		v.Outcome, v.ExpiresAt = ports.OutcomeTimeout, time.Time{}
	}
	v.Sealed = ports.Sealed{KeyID: "key-1", Data: []byte("sealed end of " + v.ID)}
	return v
}

var validations = &records[ports.ValidationRecord]{
	name: "Validation", stem: "validation-",
	write: func(ctx context.Context, s Store, c change[ports.ValidationRecord]) error {
		return s.Validations.Save(ctx, ports.ValidationChange{Record: c.record, Events: c.events, Work: c.work, Audit: c.audit})
	},
	read: func(ctx context.Context, s Store, owner, id string) (ports.ValidationRecord, error) {
		return s.Validations.Validation(ctx, owner, id)
	},
	calls: func(s Store, have ports.ValidationRecord) map[string]func(ctx context.Context) error {
		return map[string]func(ctx context.Context) error{
			"Overdue": func(ctx context.Context) error {
				return errOf(s.Validations.Overdue(ctx, have.Deadline, ports.Pos{}, 10))
			},
			"PurgeValidations": func(ctx context.Context) error { return errOf(s.Validations.PurgeValidations(ctx, have.PurgeAt, 10)) },
		}
	},
	head: func(v *ports.ValidationRecord) header { return header{&v.Owner, &v.ID, &v.Version} },
	times: func(v *ports.ValidationRecord) []*time.Time {
		return []*time.Time{&v.CreatedAt, &v.Deadline, &v.EndedAt, &v.ExpiresAt, &v.PurgeAt}
	},
	plain: func(v ports.ValidationRecord) ports.ValidationRecord {
		v.Sealed.Data = kit.OrNil(v.Sealed.Data)
		return v
	},
	open: pendingValidation,
	change: step[ports.ValidationRecord]{"a change", func(v ports.ValidationRecord, i int) ports.ValidationRecord {
		v.Provider, v.Deadline = fmt.Sprint("provider-", i), v.Deadline.Add(time.Second)
		v.Sealed.Data = fmt.Append(nil, "sealed ", i)
		return v
	}},
	ends: endsAs(terminals, func(v ports.ValidationRecord, status ports.ValidationStatus, _ int) ports.ValidationRecord {
		return endedAs(v, status)
	}),
	samples: func() []ports.ValidationRecord {
		return []ports.ValidationRecord{pendingValidation("acme", "pending"), endedAs(pendingValidation("acme", "done"), ports.StatusNotFound)}
	},
	long: func(v ports.ValidationRecord, long string) ports.ValidationRecord {
		v.MerchantID = long + "merchant"
		return v
	},
}

func (k *storeKit) overdue(by time.Time) []string {
	return validations.ids(kit.Got(k.Validations.Overdue(k.Context(), by, ports.Pos{}, 10_000)).OK(k, "Overdue"))
}

func (k *storeKit) invalid(calls map[string]error) {
	kit.EachOf(k, calls, func(name string, err error) {
		k.Code(err, errcodes.InvalidRequest, name)
	})
}

func validationsReopened(k *storeKit) {
	k.Need(k.Reopen != nil, "Reopen")
	pending := validations.save(k, pendingValidation("acme", "pending"))
	done := validations.save(k, endedAs(validations.save(k, pendingValidation("acme", "done")), ports.StatusNameMismatch))
	purged := k.purgeable("purged", ports.StatusVerified, kit.Epoch)
	validationPurges.purges(k, kit.Epoch, 10, 1)
	k.Store = k.Reopen()
	validations.has(k, pending, "the pending validation after reopening")
	validations.has(k, done, "the ended validation after reopening")
	validations.absent(k, purged.Owner, purged.ID, "a validation purged before reopening")
	k.Same(k.overdue(pending.Deadline), []string{"pending"}, "Overdue after reopening")
	validations.rejected(k, done, "a change of a validation that ended before reopening")
	validations.save(k, endedAs(pending, ports.StatusVerified))
	validationPurges.purges(k, done.PurgeAt, 10, 2)
}

var validationRecordChecks = []storeCheck{
	{"every field of a pending validation is returned as saved", func(k *storeKit) {
		v := pendingValidation("acme", "validation-1")
		v.Market.Type, v.BankCode = ports.MobileMoney, ""
		validations.keeps(k, v, "a pending validation")
		v = pendingValidation("acme", "validation-2")
		v.CreatedAt, v.Deadline, v.PurgeAt = kit.Epoch.Add(time.Millisecond), kit.Epoch.Add(2*time.Millisecond), kit.Epoch.Add(3*time.Millisecond)
		validations.keeps(k, v, "a pending validation whose times are close together")
	}},
	{"every field of an ended validation is returned as saved", validationEndRoundTrip},
	// A validation by internal rules has few fields.
	{"empty fields are returned empty", func(k *storeKit) {
		validations.keeps(k, ports.ValidationRecord{
			ID: "validation-1", Owner: "acme", Market: ports.Market{Country: "EGY", Type: ports.BankAccount},
			Status: ports.StatusError, Provider: ports.ProviderRules, Type: ports.InternalRules,
			CreatedAt: kit.Epoch, EndedAt: kit.Epoch, PurgeAt: kit.Epoch.Add(time.Hour),
		}, "an ended validation with empty fields")
		validations.keeps(k, ports.ValidationRecord{
			ID: "validation-2", Owner: "acme", Market: ports.Market{Country: "EGY", Type: ports.BankAccount},
			Status: ports.StatusPending, CreatedAt: kit.Epoch, Deadline: kit.Epoch, PurgeAt: kit.Epoch,
		}, "a pending validation with empty fields")
	}},
	{"distant times are returned unchanged", validations.farTimes},
	{"an ended validation never changes", func(k *storeKit) {
		validations.endsOnce(k)
		k.Same(k.overdue(kit.Epoch.AddDate(1, 0, 0)), []string{}, "Overdue after all ended")
	}}, // I18
	{"sealed bytes of any kind are returned unchanged", func(k *storeKit) {
		for i, data := range append(kit.AnyBytes, bytes.Repeat([]byte("x"), 10_000)) {
			v := pendingValidation("acme", fmt.Sprint("validation-", i))
			v.Sealed.Data = data
			v = validations.keeps(k, v, "a validation with its sealed bytes")
			page := kit.Got(k.Validations.Overdue(k.Context(), v.Deadline, ports.Pos{}, 1)).OK(k, "Overdue")
			validations.sameList(k, page, []ports.ValidationRecord{v}, "an overdue validation with its sealed bytes")
			validations.save(k, endedAs(v, ports.StatusError))
		}
	}},
	{"changing a validation outside the store does not change the store", func(k *storeKit) {
		in := pendingValidation("acme", "validation-1")
		want := validations.save(k, in)
		want.Sealed.Data = bytes.Clone(in.Sealed.Data)
		in.Sealed.Data[0] = '!'
		for range 2 {
			got := kit.Got(k.Validations.Validation(k.Context(), "acme", "validation-1")).OK(k, "Validation")
			validations.same(k, got, want, "the validation after its bytes were changed outside the store")
			got.Sealed.Data[0] = '?'
			page := kit.Got(k.Validations.Overdue(k.Context(), want.Deadline, ports.Pos{}, 1)).OK(k, "Overdue")
			validations.sameList(k, page, []ports.ValidationRecord{want}, "the listed validation after its bytes were changed outside the store")
			page[0].Sealed.Data[0] = '*'
		}
	}},
	{"validation ids that look alike are different validations", validations.idsApart},
}

func validationEndRoundTrip(k *storeKit) {
	for i, status := range terminals {
		for _, cached := range []bool{false, true} {
			k.Case(fmt.Sprintf("%s, cached %t", status, cached), func() {
				id := fmt.Sprint("validation-", i, cached)
				v := endedAs(pendingValidation("acme", id), status)
				v.Cached = cached
				validations.keeps(k, v, "a validation created as "+string(status))

				before := validations.save(k, pendingValidation("acme", id+" later"))
				after := endedAs(before, status)
				after.MerchantID, after.Market.Country, after.BankCode = "m\x00\xff,\"' ", "KEN", "01"
				after.Market.Type, after.Provider = ports.InstitutionWallet, "provider-2"
				after.Cached, after.NameRule, after.NameScore, after.Tables = cached, "initials", i, "2026-03-02.7"
				for ms, t := range []*time.Time{&after.CreatedAt, &after.EndedAt, &after.Deadline, &after.ExpiresAt, &after.PurgeAt} {
					*t = kit.Epoch.Add(time.Duration(ms+1) * time.Millisecond)
				}
				after.Sealed.KeyID = "key-2"
				validations.keeps(k, after, "a validation that ended later as "+string(status))
			})
		}
	}
}
