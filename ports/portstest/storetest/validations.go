package storetest

import (
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
	runStore(t, h, validationChecks, "the store keeps no validations", func(s Store) bool { return s.Validations != nil })
}

var validationChecks = slices.Concat(
	validationRecordChecks,
	validationKeyChecks,
	validationVersionChecks,
	validations.queueChecks(),
	overdueChecks,
	validationPurgeChecks,
	validations.outcomeChecks(validationsReopened),
)

// terminals are the ends of a validation.
var terminals = []ports.ValidationStatus{
	ports.StatusVerified, ports.StatusNameMismatch, ports.StatusNotFound, ports.StatusError,
}

// pendingValidation makes a validation that is being asked about, and has ended
// five minutes later.
func pendingValidation(owner, id string) ports.ValidationRecord {
	return ports.ValidationRecord{
		ID: id, Owner: owner, MerchantID: "merchant-1",
		Market: ports.Market{Country: "NGA", Type: ports.BankAccount}, BankCode: "058",
		Status: ports.StatusPending, Provider: "provider-1", Tables: "2026-03-01",
		CreatedAt: kit.Epoch, Deadline: kit.Epoch.Add(5 * time.Minute), PurgeAt: kit.Epoch.Add(24 * time.Hour),
		Sealed: ports.Sealed{KeyID: "key-1", Data: []byte("sealed of " + id)},
	}
}

// endedAs gives a pending validation its end.
func endedAs(v ports.ValidationRecord, status ports.ValidationStatus) ports.ValidationRecord {
	v.Status, v.Type, v.EndedAt = status, ports.External, v.CreatedAt.Add(1234*time.Millisecond)
	v.Outcome, v.ExpiresAt = ports.OutcomeFound, v.CreatedAt.Add(time.Hour)
	switch status {
	case ports.StatusVerified:
		v.Match = ports.NameMatch{Rule: "same", Score: 100}
	case ports.StatusNameMismatch:
		v.Match = ports.NameMatch{Rule: "token_overlap", Score: 37}
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
		return s.Validations.Save(ctx, ports.ValidationChange{Record: c.record, Events: c.events, Work: c.work})
	},
	read: func(ctx context.Context, s Store, owner, id string) (ports.ValidationRecord, error) {
		return s.Validations.Validation(ctx, owner, id)
	},
	calls: func(s Store, have ports.ValidationRecord) map[string]func(ctx context.Context) error {
		return map[string]func(ctx context.Context) error{
			"Overdue": func(ctx context.Context) error {
				return errOf(s.Validations.Overdue(ctx, have.Deadline, ports.ValidationPos{}, 10))
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

// overdue lists the ids of what is overdue, in one page.
func (k *storeKit) overdue(by time.Time) []string {
	k.Helper()
	page, err := k.Validations.Overdue(k.Context(), by, ports.ValidationPos{}, 10_000)
	k.OK(err, "Overdue")
	return validations.ids(page)
}

// invalid checks that every call is refused as errcodes.InvalidRequest.
func (k *storeKit) invalid(calls map[string]error) {
	k.Helper()
	for name, err := range kit.ByName(calls) {
		k.Case(name, func() {
			k.Code(err, errcodes.InvalidRequest, name)
		})
	}
}

func validationsReopened(k *storeKit) {
	k.Need(k.Reopen != nil, "Reopen: it is not durable")
	pending := validations.save(k, pendingValidation("acme", "pending"))
	done := validations.save(k, endedAs(validations.save(k, pendingValidation("acme", "done")), ports.StatusNameMismatch))
	purged := k.purgeable("purged", ports.StatusVerified, kit.Epoch)
	k.purgeValidations(kit.Epoch, 10, 1)
	k.Store = k.Reopen()
	validations.has(k, pending, "the pending validation after opening again")
	validations.has(k, done, "the ended validation after opening again")
	validations.absent(k, purged.Owner, purged.ID, "what was purged before")
	k.Same(k.overdue(pending.Deadline), []string{"pending"}, "Overdue after opening again")
	validations.refused(k, done, "a change of what ended before")
	validations.save(k, endedAs(pending, ports.StatusVerified))
	k.purgeValidations(done.PurgeAt, 10, 2)
}
