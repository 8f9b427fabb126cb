package storetest_test

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/broken"
	"github.com/corridor-go/corridor/ports/portstest/storetest"
)

// confuse returns a flaw for each confusion.
func confuse(what, check string, names []string, spoil func(b *bundle, f func(string) string)) []flawedStore {
	var out []flawedStore
	for _, name := range names {
		out = append(out, flawedStore{name + " in " + what, check, func(b *bundle) { spoil(b, broken.Confusions[name]) }})
	}
	return out
}

var looks = []string{"folds case", "trims blanks", "stops at a NUL", "repairs ill text"}

// ignoreContexts makes every method ignore its context.
func ignoreContexts(b *bundle) {
	deaf := context.WithoutCancel
	inner := *b
	b.locks.book = func(ctx context.Context, key ports.BookKey) (ports.Book, error) {
		return inner.locks.book(deaf(ctx), key)
	}
	b.locks.save = func(ctx context.Context, c ports.RateLockChange) error { return inner.locks.save(deaf(ctx), c) }
	b.outbox.ack = func(ctx context.Context, e ports.Event) error { return inner.outbox.ack(deaf(ctx), e) }
	b.work.done = func(ctx context.Context, w ports.WorkItem) error { return inner.work.done(deaf(ctx), w) }
	b.clients.put = func(ctx context.Context, c ports.Client, audit ports.AuditRow) error {
		return inner.clients.put(deaf(ctx), c, audit)
	}
	b.tokens.put = func(ctx context.Context, v ports.Token, keep int) error {
		return inner.tokens.put(deaf(ctx), v, keep)
	}
	b.validations.save = func(ctx context.Context, c ports.ValidationChange) error {
		return inner.validations.save(deaf(ctx), c)
	}
	b.transactions.save = func(ctx context.Context, c ports.TransactionChange) error {
		return inner.transactions.save(deaf(ctx), c)
	}
	b.reports.save = func(ctx context.Context, c ports.ReportChange) error { return inner.reports.save(deaf(ctx), c) }
	b.letters.replay = func(ctx context.Context, now time.Time, audit ports.AuditRow, ids ...string) (int, error) {
		return inner.letters.replay(deaf(ctx), now, audit, ids...)
	}
	b.letters.discard = func(ctx context.Context, audit ports.AuditRow, ids ...string) (int, error) {
		return inner.letters.discard(deaf(ctx), audit, ids...)
	}
	b.answers.put = func(ctx context.Context, a ports.CachedAnswer) error { return inner.answers.put(deaf(ctx), a) }
	b.secret = func(ctx context.Context, name string, fresh []byte) ([]byte, error) {
		return inner.secret(deaf(ctx), name, fresh)
	}
}

// contextsTooLate checks the context only after each call.
func contextsTooLate(b *bundle) {
	ignoreContexts(b)
	inner := *b
	b.locks.book = func(ctx context.Context, key ports.BookKey) (ports.Book, error) {
		book, err := inner.locks.book(ctx, key)
		return book, broken.OrDone(ctx, err)
	}
	b.locks.save = func(ctx context.Context, c ports.RateLockChange) error {
		return broken.OrDone(ctx, inner.locks.save(ctx, c))
	}
	b.outbox.ack = func(ctx context.Context, e ports.Event) error { return broken.OrDone(ctx, inner.outbox.ack(ctx, e)) }
	b.work.done = func(ctx context.Context, w ports.WorkItem) error { return broken.OrDone(ctx, inner.work.done(ctx, w)) }
	b.clients.put = func(ctx context.Context, c ports.Client, audit ports.AuditRow) error {
		return broken.OrDone(ctx, inner.clients.put(ctx, c, audit))
	}
	b.tokens.put = func(ctx context.Context, v ports.Token, keep int) error {
		return broken.OrDone(ctx, inner.tokens.put(ctx, v, keep))
	}
	b.validations.save = func(ctx context.Context, c ports.ValidationChange) error {
		return broken.OrDone(ctx, inner.validations.save(ctx, c))
	}
	b.transactions.save = func(ctx context.Context, c ports.TransactionChange) error {
		return broken.OrDone(ctx, inner.transactions.save(ctx, c))
	}
	b.reports.save = func(ctx context.Context, c ports.ReportChange) error {
		return broken.OrDone(ctx, inner.reports.save(ctx, c))
	}
	b.letters.discard = func(ctx context.Context, audit ports.AuditRow, ids ...string) (int, error) {
		n, err := inner.letters.discard(ctx, audit, ids...)
		return n, broken.OrDone(ctx, err)
	}
	b.answers.put = func(ctx context.Context, a ports.CachedAnswer) error {
		return broken.OrDone(ctx, inner.answers.put(ctx, a))
	}
	b.secret = func(ctx context.Context, name string, fresh []byte) ([]byte, error) {
		got, err := inner.secret(ctx, name, fresh)
		return got, broken.OrDone(ctx, err)
	}
}

func leavesOpen(b *bundle) { b.close = func() error { return nil } }

// forgets reopens an empty store.
func forgets(b *bundle) {
	b.reopen = func() storetest.Store {
		s, err := memory.New(nil)
		if err != nil {
			panic(err)
		}
		return storetest.Store{
			RateLocks: s.RateLocks(), Outbox: s.Outbox(), Work: s.Work(), Clients: s.Clients(), Tokens: s.Tokens(),
			DeadLetters: s.DeadLetters(), Validations: s.Validations(), Transactions: s.Transactions(), Reports: s.Reports(),
			Answers: s.Answers(), Secrets: s.Secrets(), AuditRows: s.AuditRows,
		}
	}
}

// commonFlaws are the three flaws that every store suite must catch.
func commonFlaws(cancelled string) []flawedStore {
	return []flawedStore{
		{"ignores contexts", cancelled, ignoreContexts},
		{"checks the context too late", cancelled, contextsTooLate},
		{"works after Close", "a closed store returns Closed", leavesOpen},
	}
}

// onSave passes every change to fn before it is saved.
func onSave(b *bundle, fn func(c *ports.RateLockChange)) {
	save := b.locks.save
	b.locks.save = func(ctx context.Context, c ports.RateLockChange) error {
		if c.Minted != nil {
			minted := *c.Minted
			c.Minted = &minted
		}
		c.Ended, c.Events, c.Work = slices.Clone(c.Ended), slices.Clone(c.Events), slices.Clone(c.Work)
		fn(&c)
		return save(ctx, c)
	}
}

// eachLock lets fn change every lock of a change.
func eachLock(c *ports.RateLockChange, fn func(l *ports.RateLock)) {
	for i := range c.Book.Live() {
		fn(&c.Book.Slots[i])
	}
	if c.Minted != nil {
		fn(c.Minted)
	}
	for i := range c.Ended {
		fn(&c.Ended[i])
	}
}

// onLock lets fn change what Lock returns.
func onLock(b *bundle, fn func(l *ports.RateLock)) {
	lock := b.locks.lock
	b.locks.lock = func(ctx context.Context, owner, id string) (ports.RateLock, ports.Book, error) {
		l, book, err := lock(ctx, owner, id)
		if err == nil {
			fn(&l)
		}
		return l, book, err
	}
}

// onConflict calls fn after a change was rejected, with the change and the stored
// book.
func onConflict(b *bundle, fn func(save func(ports.RateLockChange) error, c ports.RateLockChange, now ports.Book) error) {
	var mu sync.Mutex
	save, book := b.locks.save, b.locks.book
	b.locks.save = func(ctx context.Context, c ports.RateLockChange) error {
		mu.Lock()
		defer mu.Unlock()
		err := save(ctx, c)
		if errcodes.Of(err) != errcodes.Conflict {
			return err
		}
		now, readErr := book(ctx, c.Book.Key)
		if readErr != nil {
			return readErr
		}
		return fn(func(c ports.RateLockChange) error { return save(ctx, c) }, c, now)
	}
}
