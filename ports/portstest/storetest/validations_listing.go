package storetest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// overdueChecks check the listing that recovery uses, and purges.
var overdueChecks = []storeCheck{
	{"Overdue lists the pending validations of every owner whose deadline has passed", func(k *storeKit) {
		k.Same(k.overdue(kit.Epoch), []string{}, "Overdue of an empty store")
		k.deadlines(sameTime, "a", "b")
		k.deadlines(func(int) time.Time { return kit.Epoch.Add(time.Millisecond) }, "late")
		v := pendingValidation("owner of a", "c")
		v.Deadline = kit.Epoch
		validations.save(k, v)
		k.Same(k.overdue(kit.Epoch.Add(-time.Millisecond)), []string{}, "Overdue before the first deadline")
		k.Same(k.overdue(kit.Epoch), []string{"a", "b", "c"}, "Overdue at the time of a deadline")
		k.Same(k.overdue(kit.Epoch.Add(time.Millisecond)), []string{"a", "b", "c", "late"}, "Overdue after all deadlines")
	}},
	{"Overdue is ordered by deadline, then id", func(k *storeKit) {
		k.deadlines(mixed, mixedIDs...)
		k.Same(k.overdue(kit.Epoch), mixedOrder, "Overdue")
	}},
	// All pages are read twice, the second time ending each validation after it was
	// read, so that the one that a page continues after is no longer listed.
	{"Overdue pages without a gap or a repeat", func(k *storeKit) {
		k.deadlines(func(i int) time.Time { return kit.Epoch.Add(time.Duration(i/5) * time.Millisecond) }, tied...)
		k.deadlines(func(int) time.Time { return kit.Epoch.Add(2 * time.Millisecond) }, "too late")
		want, by := []string{"a", "b", "k", "m", "z", "c"}, kit.Epoch.Add(time.Millisecond)
		k.Same(k.readOverdue(by, func([]ports.ValidationRecord) {}), want, "all pages")
		got := k.readOverdue(by, func(page []ports.ValidationRecord) {
			for _, v := range page {
				validations.save(k, endedAs(v, ports.StatusError))
			}
		})
		k.Same(got, want, "all pages while the validations read are ended")
		k.Same(k.overdue(by), []string{}, "Overdue after all ended")
	}},
	{"Overdue omits ended validations", func(k *storeKit) {
		for _, status := range terminals {
			validations.save(k, endedAs(pendingValidation("acme", "at once "+string(status)), status))
			v := validations.save(k, pendingValidation("acme", "later "+string(status)))
			k.Same(k.overdue(v.Deadline), []string{v.ID}, "Overdue before the end")
			validations.save(k, endedAs(v, status))
			k.Same(k.overdue(kit.Epoch.AddDate(1, 0, 0)), []string{}, "Overdue after the end as "+string(status))
		}
	}},
	{"changing a deadline moves the validation in Overdue", func(k *storeKit) {
		k.deadlines(sameTime, "a", "b")
		moved := kit.Got(k.Validations.Validation(k.Context(), "owner of a", "a")).OK(k, "Validation")
		moved.Deadline = kit.Epoch.Add(time.Hour)
		moved = validations.save(k, moved)
		k.Same(k.overdue(kit.Epoch), []string{"b"}, "Overdue at the earlier deadline")
		k.Same(k.overdue(moved.Deadline), []string{"b", "a"}, "Overdue at the new deadline")
		moved.Deadline = kit.Epoch.Add(-time.Minute)
		validations.save(k, moved)
		k.Same(k.overdue(kit.Epoch), []string{"a", "b"}, "Overdue after the deadline was moved back")
	}},
	{"a listed validation has every field", func(k *storeKit) {
		first := validations.save(k, pendingValidation("acme", "validation-1"))
		first.Provider, first.Sealed = "provider-2", ports.Sealed{KeyID: "key-2", Data: []byte{0, 0xff}}
		first = validations.save(k, first)
		second := pendingValidation("acme\x00\xff", "validation-2")
		second.MerchantID, second.Tables = "m\x00\xff", ""
		second = validations.save(k, second)
		page := kit.Got(k.Validations.Overdue(k.Context(), first.Deadline, ports.Pos{}, 10_000)).OK(k, "Overdue")
		validations.sameList(k, page, []ports.ValidationRecord{first, second}, "Overdue")
	}},
	{"a page's limit is 1 to 10,000", func(k *storeKit) {
		k.deadlines(sameTime, "a", "b")
		call := func(limit int) error {
			return errOf(k.Validations.Overdue(k.Context(), kit.Epoch, ports.Pos{}, limit))
		}
		page := kit.Got(k.Validations.Overdue(k.Context(), kit.Epoch, ports.Pos{}, 1)).OK(k, "Overdue with the lowest limit")
		k.Same(validations.ids(page), []string{"a"}, "a page of one")
		k.OK(call(10_000), "Overdue with the highest limit")
		k.invalid(map[string]error{"a limit of 0": call(0), "a limit of -1": call(-1), "a limit of 10,001": call(10_001)})
	}},
	{"a purge removes ended validations that are due, and nothing else", func(k *storeKit) {
		for _, status := range terminals {
			purgesOf(status).byInstant(k)
			v := validations.save(k, purgedAt("acme", "changed "+string(status), kit.Epoch.Add(time.Hour)))
			v.PurgeAt = kit.Epoch
			v = validations.save(k, endedAs(v, status))
			validationPurges.purges(k, kit.Epoch, 10, 1)
			validations.absent(k, v.Owner, v.ID, "a purged validation")
		}
	}},
	{"a purge removes at most n and returns how many", validationPurges.bounded},
	{"a purge keeps pending validations, however old", func(k *storeKit) {
		v := validations.save(k, purgedAt("acme", "validation-1", kit.Epoch.AddDate(-1, 0, 0)))
		validationPurges.purges(k, kit.Epoch, 10, 0)
		validations.has(k, v, "a pending validation after a purge")
		k.Same(k.overdue(v.Deadline), []string{v.ID}, "Overdue after a purge")
		validations.keeps(k, endedAs(v, ports.StatusError), "a validation that ended after a purge")
		validationPurges.purges(k, kit.Epoch, 10, 1)
		validations.absent(k, "acme", "validation-1", "a purged validation")
	}},
	{"a purged validation is not found", func(k *storeKit) {
		v := k.purgeable("validation-1", ports.StatusVerified, kit.Epoch)
		validations.saveAll(k, validations.queued(endedAs(purgedAt("acme", "validation-2", kit.Epoch), ports.StatusVerified), "end"))
		validationPurges.purges(k, kit.Epoch, 10, 2)
		k.queuedOnce() // the event and the work are kept
		open := pendingValidation(v.Owner, v.ID)
		open.Version = v.Version
		validations.rejected(k, open, "a change of a purged validation")
		validations.absent(k, v.Owner, v.ID, "a purged validation")
		validationPurges.purges(k, kit.Epoch, 10, 0)
	}},
	{"concurrent purges remove each validation once", purgeRacers},
	{"a purge's limit is 1 to 10,000", func(k *storeKit) {
		v := k.purgeable("validation-1", ports.StatusVerified, kit.Epoch)
		call := func(n int) error {
			return errOf(k.Validations.PurgeValidations(k.Context(), kit.Epoch, n))
		}
		k.invalid(map[string]error{"a purge of 0": call(0), "a purge of -1": call(-1), "a purge of 10,001": call(10_001)})
		validations.has(k, v, "a validation after rejected purges")
		validationPurges.purges(k, kit.Epoch, 10_000, 1)
		validationPurges.purges(k, kit.Epoch, 1, 0)
	}},
}

// deadlines saves a pending validation for each id. The order of the listing is
// neither that of the saves nor that of the ids.
func (k *storeKit) deadlines(at func(i int) time.Time, ids ...string) {
	for i, id := range ids {
		v := pendingValidation("owner of "+id, id)
		v.CreatedAt, v.Deadline = at(i).Add(-5*time.Minute), at(i)
		validations.save(k, v)
	}
}

func (k *storeKit) readOverdue(by time.Time, then func(page []ports.ValidationRecord)) []string {
	return readPages(k, func(after ports.Pos, limit int) ([]ports.ValidationRecord, error) {
		return k.Validations.Overdue(k.Context(), by, after, limit)
	}, func(v ports.ValidationRecord) ports.Pos {
		return ports.Pos{At: v.Deadline, ID: v.ID}
	}, validations.ids, then)
}

func (k *storeKit) purgeable(id string, status ports.ValidationStatus, at time.Time) ports.ValidationRecord {
	return validations.save(k, endedAs(purgedAt("owner of "+id, id, at), status))
}

// purgedAt returns a pending validation that may be purged from the time at, once
// it has ended.
func purgedAt(owner, id string, at time.Time) ports.ValidationRecord {
	v := pendingValidation(owner, id)
	v.CreatedAt, v.Deadline, v.PurgeAt = at.Add(-time.Hour), at.Add(-30*time.Minute), at
	return v
}

// purgesOf describes the purge of validations with the status.
func purgesOf(status ports.ValidationStatus) *purging[ports.ValidationRecord] {
	return &purging[ports.ValidationRecord]{
		save: func(k *storeKit, id string, at time.Time) ports.ValidationRecord {
			return k.purgeable(id+" "+string(status), status, at)
		},
		purge: func(ctx context.Context, s Store, before time.Time, n int) (int, error) {
			return s.Validations.PurgeValidations(ctx, before, n)
		},
		read: func(k *storeKit, v ports.ValidationRecord) error {
			return errOf(k.Validations.Validation(k.Context(), v.Owner, v.ID))
		},
		has: validations.has,
	}
}

var validationPurges = purgesOf(ports.StatusVerified)

func purgeRacers(k *storeKit) {
	var saved []ports.ValidationRecord
	for i := range 64 {
		saved = append(saved, k.purgeable(fmt.Sprint("validation-", i), ports.StatusVerified, kit.Epoch.Add(time.Duration(i)*time.Minute)))
	}
	counts := make([]int, kit.Racers)
	k.RaceOK("a concurrent PurgeValidations", func(i int) (err error) {
		counts[i], err = k.Validations.PurgeValidations(k.Context(), kit.Epoch.AddDate(0, 0, 1), 7)
		return err
	})
	if n := slices.Max(counts); n > 7 {
		k.Fatalf("a purge removed %d validations, want at most 7", n)
	}
	k.Same(total(counts), len(saved), "the total number purged")
	k.Same(validationPurges.left(k, saved), 0, "the number of validations left")
}
