package storetest_test

import (
	"context"
	"sync"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/broken"
)

const (
	validationEvents = "events can be claimed after their change, in its order"
	validationWork   = "work can be claimed after its change"
	racersQueue      = "of many concurrent saves only the winner's events and work are stored"
)

var validationQueueFlaws = []flawedStore{
	{"forgets the events", validationEvents, onSaveValidation(func(c *ports.ValidationChange) { c.Events = nil })},
	{"forgets the events of an end", validationEvents, onSaveValidation(func(c *ports.ValidationChange) {
		if c.Record.Status.Terminal() {
			c.Events = nil
		}
	})},
	{"stores one event of a change", validationEvents, onSaveValidation(func(c *ports.ValidationChange) { c.Events = c.Events[:min(len(c.Events), 1)] })},
	{"loses the order of a key", validationEvents, onSaveValidation(func(c *ports.ValidationChange) {
		for i := range c.Events {
			c.Events[i].Key = c.Events[i].ID
		}
	})},
	{"forgets the work", validationWork, onSaveValidation(func(c *ports.ValidationChange) { c.Work = nil })},
	{"forgets when work is due", validationWork, onSaveValidation(func(c *ports.ValidationChange) {
		for i := range c.Work {
			c.Work[i].DueAt = c.Record.CreatedAt
		}
	})},
	{"stores the events of every concurrent save", racersQueue, leaksQueued(queuedEvents)},
	{"stores the work of every concurrent save", racersQueue, leaksQueued(queuedWork)},
	{"stores a repeated event once", queuedTwice, onSaveValidation(func(c *ports.ValidationChange) { c.Events = once(c.Events, eventID) })},
	{"stores a repeated item once", queuedTwice, onSaveValidation(func(c *ports.ValidationChange) { c.Work = once(c.Work, itemID) })},
}

var validationOutcomeFlaws = append(commonFlaws("a done context returns its code and changes nothing"),
	flawedStore{"reads with a done context", "a done context returns its code and changes nothing", func(b *bundle) {
		read := b.validations.read
		b.validations.read = func(ctx context.Context, owner, id string) (ports.ValidationRecord, error) {
			return read(context.WithoutCancel(ctx), owner, id)
		}
	}},
	flawedStore{"reports a lost acknowledgement as success", lost, savesValidations(func(ctx context.Context, save saveValidationFunc, c ports.ValidationChange) error {
		if err := save(ctx, c); errcodes.Of(err) != errcodes.OutcomeUnknown {
			return err
		}
		return nil
	})},
	flawedStore{"reports a lost acknowledgement as a failure", lost, savesValidations(func(ctx context.Context, save saveValidationFunc, c ports.ValidationChange) error {
		return broken.Recode(save(ctx, c), errcodes.OutcomeUnknown, errcodes.StorageUnavailable)
	})},
	flawedStore{"stores half of a change whose acknowledgement is lost", lost, func(b *bundle) {
		lose, half := b.lose, false
		b.lose = func() { half = true; lose() }
		onSaveValidation(func(c *ports.ValidationChange) {
			if half {
				c.Work = nil
			}
			half = false
		})(b)
	}},
	flawedStore{"calls a full store internal", full, savesValidations(func(ctx context.Context, save saveValidationFunc, c ports.ValidationChange) error {
		return broken.Recode(save(ctx, c), errcodes.StorageUnavailable, errcodes.Internal)
	})},
	flawedStore{"stores changes that it rejected when full", full, func(b *bundle) {
		var mu sync.Mutex
		var kept []ports.ValidationChange
		savesValidations(func(ctx context.Context, save saveValidationFunc, c ports.ValidationChange) error {
			mu.Lock()
			defer mu.Unlock()
			err := save(ctx, c)
			if errcodes.Of(err) == errcodes.StorageUnavailable && len(kept) == 0 {
				kept = append(kept, c)
			}
			return err
		})(b)
		fill := b.fill
		b.fill = func() func() {
			empty := fill()
			return func() {
				empty()
				for _, c := range kept {
					if err := b.validations.save(context.Background(), c); err != nil {
						panic(err)
					}
				}
			}
		}
	}},
	flawedStore{"stays full", full, func(b *bundle) {
		fill := b.fill
		b.fill = func() func() { fill(); return func() {} }
	}},
	flawedStore{"forgets validations", "a reopened store has everything", forgets},
)
