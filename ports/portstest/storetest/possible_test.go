package storetest_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/storetest"
	"github.com/corridor-go/corridor/ratelock"
)

// A store may reject invalid records with constraints on its tables. Therefore the
// suites must not save them, not even where they expect an error, except in the
// check of invalid records.
func TestTheLockSuitesSaveOnlyWhatTheDomainCanMake(t *testing.T) {
	for _, suite := range []string{"RateLockStore", "Outbox", "DeadLetters", "Work"} {
		for _, check := range storetest.CheckNames(suite) {
			if check == impossibleRecord || check == mintedElsewhere {
				continue
			}
			t.Run(suite+": "+check, func(t *testing.T) {
				b := newBundle(t)
				var impossible []string
				onChange(b, func(before ports.Book, c ports.RateLockChange, stored bool) {
					impossible = append(impossible, impossibilities(before, c, stored)...)
				})
				storetest.RunStoreCheck(t, suite, check, b.store())
				if len(impossible) > 0 {
					t.Errorf("the check saves an invalid record:\n%s", strings.Join(impossible, "\n"))
				}
			})
		}
	}
}

// onChange passes every change to fn, with the book before it and the result.
func onChange(b *bundle, fn func(before ports.Book, c ports.RateLockChange, stored bool)) {
	var mu sync.Mutex
	book, save := b.locks.book, b.locks.save
	b.locks.save = func(ctx context.Context, c ports.RateLockChange) error {
		mu.Lock()
		defer mu.Unlock()
		before, readErr := book(ctx, c.Book.Key)
		err := save(ctx, c)
		fn(before, c, err == nil && readErr == nil)
		return err
	}
}

// impossibilities lists the parts of a change that the domain cannot have made.
func impossibilities(before ports.Book, c ports.RateLockChange, stored bool) []string {
	var found []string
	if _, err := ratelock.RestoreBook(c.Book); err != nil {
		found = append(found, fmt.Sprint("the book: ", err))
	}
	if err := c.Check(); errcodes.Of(err) == errcodes.CorruptRecord {
		found = append(found, fmt.Sprint("the change: ", err))
	}
	if stored {
		found = append(found, jumps(before, c)...)
	}
	return found
}

// jumps lists the parts of a change that cannot follow the book before it.
func jumps(before ports.Book, c ports.RateLockChange) []string {
	var found []string
	if c.Book.HighWater.Before(before.HighWater) {
		found = append(found, "the high water falls")
	}
	changed := func(id string) bool {
		return c.Minted != nil && c.Minted.ID == id || slices.ContainsFunc(c.Ended, func(l ports.RateLock) bool { return l.ID == id })
	}
	for _, l := range before.Live() {
		if slot, held := slotOf(c.Book, l.ID); !held && !changed(l.ID) {
			found = append(found, fmt.Sprintf("%.40q: left the slots without an end", l.ID))
		} else if held && slot != l {
			found = append(found, fmt.Sprintf("%.40q: changed in its slot", l.ID))
		}
	}
	for _, l := range c.Book.Live() {
		if _, held := slotOf(before, l.ID); held {
			continue
		}
		if !changed(l.ID) {
			found = append(found, fmt.Sprintf("%.40q: came into the slots unminted", l.ID))
		}
		if !l.CreatedAt.After(before.HighWater) {
			found = append(found, fmt.Sprintf("%.40q: createdAt does not rise within a book", l.ID))
		}
	}
	return found
}

func slotOf(b ports.Book, id string) (ports.RateLock, bool) {
	for _, l := range b.Live() {
		if l.ID == id {
			return l, true
		}
	}
	return ports.RateLock{}, false
}
