package storetest_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/broken"
)

const (
	validationVersions = "a pending validation may change, and each save raises the version by one"
	validationTaken    = "a used id is a conflict and stores nothing"
	validationFuture   = "a version above the stored one is a conflict"
	validationStolen   = "a change of another owner's validation is a conflict"
	endedForGood       = "an ended validation never changes"
)

// onRefused calls fn after a change was rejected as a conflict, with the change and
// the last record saved under its id.
func onRefused(fn func(save func(ports.ValidationChange) error, c ports.ValidationChange, now ports.ValidationRecord, known bool) error) func(b *bundle) {
	var mu sync.Mutex
	last := map[string]ports.ValidationRecord{}
	return savesValidations(func(ctx context.Context, save saveValidationFunc, c ports.ValidationChange) error {
		mu.Lock()
		defer mu.Unlock()
		err := save(ctx, c)
		if err == nil {
			now := c.Record
			now.Version++
			last[now.ID] = now
		}
		if errcodes.Of(err) != errcodes.Conflict {
			return err
		}
		now, known := last[c.Record.ID]
		return fn(func(c ports.ValidationChange) error { return save(ctx, c) }, c, now, known)
	})
}

// takes ignores the conflicts for which when is true.
func takes(when func(v, now ports.ValidationRecord, known bool) bool) func(b *bundle) {
	return func(b *bundle) {
		onRefused(func(_ func(ports.ValidationChange) error, c ports.ValidationChange, now ports.ValidationRecord, known bool) error {
			if when(c.Record, now, known) {
				return nil
			}
			return errcodes.New(errcodes.Conflict, "")
		})(b)
	}
}

// leaksQueued stores the events and work of a rejected change.
func leaksQueued(part func(c ports.ValidationChange) ports.ValidationChange) func(b *bundle) {
	n := 0
	return onRefused(func(save func(ports.ValidationChange) error, c ports.ValidationChange, _ ports.ValidationRecord, _ bool) error {
		n++
		stray := part(c)
		stray.Record = ports.ValidationRecord{ID: fmt.Sprint("leak-", n), Status: ports.StatusVerified}
		if err := save(stray); err != nil {
			return err
		}
		return errcodes.New(errcodes.Conflict, "")
	})
}

func queuedEvents(c ports.ValidationChange) ports.ValidationChange {
	return ports.ValidationChange{Events: c.Events}
}

func queuedWork(c ports.ValidationChange) ports.ValidationChange {
	return ports.ValidationChange{Work: c.Work}
}

// storesAnyway returns a conflict and then the rejected record.
func storesAnyway(b *bundle) {
	stored := map[string]ports.ValidationRecord{}
	onRefused(func(_ func(ports.ValidationChange) error, c ports.ValidationChange, _ ports.ValidationRecord, _ bool) error {
		stored[c.Record.ID] = c.Record
		return errcodes.New(errcodes.Conflict, "")
	})(b)
	onValidation(b, func(v *ports.ValidationRecord) {
		if other, ok := stored[v.ID]; ok {
			*v = other
		}
	})
}

// reopens accepts a change of a record that ended with the status.
func reopens(status ports.ValidationStatus) func(b *bundle) {
	return takes(func(v, now ports.ValidationRecord, _ bool) bool {
		return v.Version == now.Version && now.Status == status
	})
}

func codesConflict(as errcodes.Code) func(b *bundle) {
	return savesValidations(func(ctx context.Context, save saveValidationFunc, c ports.ValidationChange) error {
		return broken.Recode(save(ctx, c), errcodes.Conflict, as)
	})
}

var validationVersionFlaws = []flawedStore{
	{"counts versions by two", validationVersions, func(b *bundle) {
		onValidation(b, func(v *ports.ValidationRecord) { v.Version *= 2 })
	}},
	{"rejects changes of a pending validation other than its end", validationVersions, savesValidations(func(ctx context.Context, save saveValidationFunc, c ports.ValidationChange) error {
		if c.Record.Version > 0 && c.Record.Status == ports.StatusPending {
			return errcodes.New(errcodes.Conflict, "")
		}
		return save(ctx, c)
	})},
	{"keeps the first provider", validationVersions, func(b *bundle) {
		first := map[string]string{}
		onSaveValidation(func(c *ports.ValidationChange) {
			if c.Record.Version == 0 {
				first[c.Record.ID] = c.Record.Provider
			}
		})(b)
		onValidation(b, func(v *ports.ValidationRecord) { v.Provider = first[v.ID] })
	}},
	{"accepts a used id of the same owner", validationTaken, takes(func(v, now ports.ValidationRecord, known bool) bool {
		return known && v.Version == 0 && v.Owner == now.Owner
	})},
	{"accepts a used id of another owner", validationTaken, takes(func(v, now ports.ValidationRecord, known bool) bool {
		return known && v.Version == 0 && v.Owner != now.Owner
	})},
	{"accepts the id of an ended validation", validationTaken, takes(func(v, now ports.ValidationRecord, known bool) bool {
		return known && v.Version == 0 && now.Status.Terminal()
	})},
	{"stores a new record with a used id", validationTaken, storesAnyway},
	{"stores the events of a used id", validationTaken, leaksQueued(queuedEvents)},
	{"loses the version check", stale, takes(func(v, now ports.ValidationRecord, _ bool) bool {
		return v.Version > 0 && v.Version < now.Version
	})},
	{"stores a stale record", stale, storesAnyway},
	{"stores the events of a stale change", stale, leaksQueued(queuedEvents)},
	{"stores the work of a stale change", stale, leaksQueued(queuedWork)},
	{"calls a conflict internal", stale, codesConflict(errcodes.Internal)},
	{"rejects only older versions", validationFuture, takes(func(v, now ports.ValidationRecord, known bool) bool {
		return known && v.Version > now.Version
	})},
	{"creates at any version", validationFuture, takes(func(_, _ ports.ValidationRecord, known bool) bool { return !known })},
	{"reports changes of unknown records as not found", validationFuture, codesConflict(errcodes.NotFound)},
	{"lets every owner change a validation", validationStolen, takes(func(v, now ports.ValidationRecord, known bool) bool {
		return known && v.Version == now.Version && v.Owner != now.Owner
	})},
	{"changes the owner of a validation", validationStolen, storesAnyway},
	{"lets a verified validation change", endedForGood, reopens(ports.StatusVerified)},
	{"lets a mismatch change", endedForGood, reopens(ports.StatusNameMismatch)},
	{"lets a validation that was not found change", endedForGood, reopens(ports.StatusNotFound)},
	{"lets an error change", endedForGood, reopens(ports.StatusError)},
	{"accepts the same end again without error", endedForGood, takes(func(v, now ports.ValidationRecord, _ bool) bool {
		return v.Status == now.Status && v.Status.Terminal() && v.Version == now.Version && string(v.Sealed.Data) == string(now.Sealed.Data) && v.EndedAt.Equal(now.EndedAt)
	})},
	{"reopens ended validations", endedForGood, takes(func(v, now ports.ValidationRecord, _ bool) bool {
		return v.Status == ports.StatusPending && v.Version == now.Version
	})},
	{"stores a second end", endedForGood, storesAnyway},
	{"stores the work of a second end", endedForGood, leaksQueued(queuedWork)},
	{"lets every concurrent save create a validation", "of many concurrent saves of one new id one succeeds", takes(func(v, _ ports.ValidationRecord, _ bool) bool { return v.Version == 0 })},
	{"lets one save of each owner create it", "of many concurrent saves of one new id one succeeds", takes(func(v, now ports.ValidationRecord, _ bool) bool { return v.Owner != now.Owner })},
	{"stores the last concurrent record", "of many concurrent saves of one new id one succeeds", storesAnyway},
	{"accepts every concurrent change of a validation", "of many concurrent saves at one version one succeeds", takes(func(v, _ ports.ValidationRecord, _ bool) bool { return v.Version > 0 })},
	{"lets no concurrent save succeed", "of many concurrent saves at one version one succeeds", savesValidations(func(ctx context.Context, save saveValidationFunc, c ports.ValidationChange) error {
		if c.Record.Version > 2 {
			return errcodes.New(errcodes.Conflict, "")
		}
		return save(ctx, c)
	})},
	{"returns some unexpected errors", "saves of different validations do not conflict", func(b *bundle) {
		var n atomic.Int32
		savesValidations(func(ctx context.Context, save saveValidationFunc, c ports.ValidationChange) error {
			if n.Add(1)%4 == 0 {
				return errcodes.New(errcodes.StorageUnavailable, "busy")
			}
			return save(ctx, c)
		})(b)
	}},
}
