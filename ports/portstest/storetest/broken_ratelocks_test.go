package storetest_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/broken"
)

var recordFlaws = []flawedStore{
	{"forgets the key of a book that was never saved", "a book that was never saved is empty and has its key", func(b *bundle) {
		onBook(b, func(book *ports.Book) {
			if book.Version == 0 {
				*book = ports.Book{}
			}
		})
	}},
	{"does not find a book that was never saved", "a book that was never saved is empty and has its key", func(b *bundle) {
		book := b.locks.book
		b.locks.book = func(ctx context.Context, key ports.BookKey) (ports.Book, error) {
			got, err := book(ctx, key)
			if err == nil && got.Version == 0 {
				return got, errcodes.New(errcodes.NotFound, "")
			}
			return got, err
		}
	}},
	{"reverses the slots", "a book of two locks is returned as saved", func(b *bundle) {
		onBook(b, func(book *ports.Book) { book.Slots[0], book.Slots[1] = book.Slots[1], book.Slots[0] })
	}},
	{"returns times in the machine's zone", "a book of two locks is returned as saved", func(b *bundle) {
		onLock(b, func(l *ports.RateLock) { l.CreatedAt = l.CreatedAt.In(time.FixedZone("", 3600)) })
	}},
	{"does not store a book on its own", "a change of the book alone is stored", func(b *bundle) {
		save := b.locks.save
		b.locks.save = func(ctx context.Context, c ports.RateLockChange) error {
			if c.Minted == nil && len(c.Ended) == 0 {
				return nil
			}
			return save(ctx, c)
		}
	}},
	{"forgets the deviation", "every field of an ended lock is returned as saved", func(b *bundle) {
		onLock(b, func(l *ports.RateLock) { l.DeviationBps = 0 })
	}},
	{"keeps seconds", "every field of an ended lock is returned as saved", func(b *bundle) {
		onLock(b, func(l *ports.RateLock) { l.EndedAt = l.EndedAt.Truncate(time.Second) })
	}},
	{"keeps decimals as floats", "decimals are returned with their trailing zeros", func(b *bundle) {
		onLock(b, func(l *ports.RateLock) {
			f, _ := strconv.ParseFloat(l.MidRate, 64)
			l.MidRate = strconv.FormatFloat(f, 'f', -1, 64)
		})
	}},
	{"trims the zeros of decimals", "decimals are returned with their trailing zeros", func(b *bundle) {
		onLock(b, func(l *ports.RateLock) {
			if strings.Contains(l.ObservedMid, ".") {
				l.ObservedMid = strings.TrimRight(l.ObservedMid, "0")
			}
		})
	}},
	{"keeps nanoseconds in 64 bits", "distant times are returned unchanged", func(b *bundle) {
		onLock(b, func(l *ports.RateLock) { l.ExpiresAt = time.Unix(0, l.ExpiresAt.UnixNano()).UTC() })
	}},
	{"reads the zero time as 1970", "empty fields are returned empty", func(b *bundle) {
		onLock(b, func(l *ports.RateLock) {
			if l.MidAt.IsZero() {
				l.MidAt = time.UnixMilli(0).UTC()
			}
		})
	}},
	{"stores AsOf", "AsOf is not stored", func(b *bundle) {
		var asOf time.Time
		onSave(b, func(c *ports.RateLockChange) { asOf = c.Minted.AsOf })
		onLock(b, func(l *ports.RateLock) { l.AsOf = asOf })
	}},
	{"looks for locks in the slots only", "a lock that left the slots is found as it ended", func(b *bundle) {
		lock := b.locks.lock
		b.locks.lock = func(ctx context.Context, owner, id string) (ports.RateLock, ports.Book, error) {
			l, book, err := lock(ctx, owner, id)
			if err == nil && l.Status != ports.LockActive {
				return ports.RateLock{}, ports.Book{}, errcodes.New(errcodes.NotFound, "")
			}
			return l, book, err
		}
	}},
	{"returns an empty lock for an unknown id", "an unknown lock is not found", func(b *bundle) {
		lock := b.locks.lock
		b.locks.lock = func(ctx context.Context, owner, id string) (ports.RateLock, ports.Book, error) {
			l, book, err := lock(ctx, owner, id)
			if errcodes.Of(err) == errcodes.NotFound {
				return ports.RateLock{}, ports.Book{}, nil
			}
			return l, book, err
		}
	}},
	{"reports not found as internal", "an unknown lock is not found", func(b *bundle) {
		lock := b.locks.lock
		b.locks.lock = func(ctx context.Context, owner, id string) (ports.RateLock, ports.Book, error) {
			l, book, err := lock(ctx, owner, id)
			return l, book, broken.Recode(err, errcodes.NotFound, errcodes.Internal)
		}
	}},
	{"ignores the owner", "another owner's lock is not found", func(b *bundle) {
		owners := map[string]string{}
		onSave(b, func(c *ports.RateLockChange) {
			eachLock(c, func(l *ports.RateLock) { owners[l.ID] = l.Owner })
		})
		lock := b.locks.lock
		b.locks.lock = func(ctx context.Context, _, id string) (ports.RateLock, ports.Book, error) {
			return lock(ctx, owners[id], id)
		}
	}},
	{"keeps pointers to its input", "changing an argument after Save does not change the store", func(b *bundle) {
		kept := map[string]*ports.RateLock{}
		save := b.locks.save
		b.locks.save = func(ctx context.Context, c ports.RateLockChange) error {
			if c.Minted != nil {
				kept[c.Minted.ID] = c.Minted
			}
			for i := range c.Ended {
				kept[c.Ended[i].ID] = &c.Ended[i]
			}
			return save(ctx, c)
		}
		onLock(b, func(l *ports.RateLock) { *l = *kept[l.ID] })
	}},
	{"reads a lock and its book in two snapshots", "a lock and its book are read in one snapshot", func(b *bundle) {
		var mu sync.Mutex
		older := map[ports.BookKey]ports.Book{}
		save, book, lock := b.locks.save, b.locks.book, b.locks.lock
		b.locks.save = func(ctx context.Context, c ports.RateLockChange) error {
			mu.Lock()
			defer mu.Unlock()
			before, err := book(ctx, c.Book.Key)
			if err != nil {
				return err
			}
			older[c.Book.Key] = before
			return save(ctx, c)
		}
		b.locks.lock = func(ctx context.Context, owner, id string) (ports.RateLock, ports.Book, error) {
			mu.Lock()
			defer mu.Unlock()
			l, _, err := lock(ctx, owner, id)
			return l, older[l.Book()], err
		}
	}},
}

// onBook lets fn change what Book returns.
func onBook(b *bundle, fn func(book *ports.Book)) {
	book := b.locks.book
	b.locks.book = func(ctx context.Context, key ports.BookKey) (ports.Book, error) {
		got, err := book(ctx, key)
		fn(&got)
		return got, err
	}
}

// losesVersions stores the last write.
func losesVersions(b *bundle) {
	onConflict(b, func(save func(ports.RateLockChange) error, c ports.RateLockChange, now ports.Book) error {
		c.Book.Version = now.Version
		return save(c)
	})
}

// takesTakenIDs ignores locks with a used id.
func takesTakenIDs(b *bundle) {
	onConflict(b, func(save func(ports.RateLockChange) error, c ports.RateLockChange, now ports.Book) error {
		if c.Book.Version != now.Version {
			return errcodes.New(errcodes.Conflict, "")
		}
		c.Minted, c.Ended = nil, nil
		return save(c)
	})
}

// leaks stores a part of a rejected change.
func leaks(part func(c ports.RateLockChange) ports.RateLockChange) func(b *bundle) {
	n := 0
	return func(b *bundle) {
		onConflict(b, func(save func(ports.RateLockChange) error, c ports.RateLockChange, _ ports.Book) error {
			n++
			stray := part(c)
			stray.Book = ports.Book{Key: ports.BookKey{Owner: fmt.Sprint("leak-", n)}}
			if err := save(stray); err != nil {
				return err
			}
			return errcodes.New(errcodes.Conflict, "")
		})
	}
}

func onlyEvents(c ports.RateLockChange) ports.RateLockChange {
	return ports.RateLockChange{Events: c.Events}
}

func onlyWork(c ports.RateLockChange) ports.RateLockChange {
	return ports.RateLockChange{Work: c.Work}
}

const (
	stale     = "a stale version is a conflict and stores nothing"
	elsewhere = "a lock id used in another book is a conflict and stores nothing"
	lockless  = "a stale version without locks is a conflict and stores nothing"
	many      = "versions rise above 255"
	here      = "a lock id used in the same book is a conflict and stores nothing"
)

// onStale calls fn after a change without locks was rejected.
func onStale(of func(c ports.RateLockChange) bool, fn func(save func(ports.RateLockChange) error, c ports.RateLockChange) error) func(b *bundle) {
	return func(b *bundle) {
		onConflict(b, func(save func(ports.RateLockChange) error, c ports.RateLockChange, now ports.Book) error {
			if c.Minted != nil || len(c.Ended) > 0 || !of(c) {
				return errcodes.New(errcodes.Conflict, "")
			}
			c.Book.Version = now.Version
			return fn(save, c)
		})
	}
}

func silently(func(ports.RateLockChange) error, ports.RateLockChange) error { return nil }

func storing(save func(ports.RateLockChange) error, c ports.RateLockChange) error { return save(c) }

func bookAlone(c ports.RateLockChange) bool { return len(c.Events)+len(c.Work) == 0 }

func eventsAlone(c ports.RateLockChange) bool { return len(c.Events) > 0 && len(c.Work) == 0 }

func workAlone(c ports.RateLockChange) bool { return len(c.Work) > 0 && len(c.Events) == 0 }

// countsIn applies fn to versions.
func countsIn(fn func(version int64) int64) func(b *bundle) {
	return func(b *bundle) {
		book, save := b.locks.book, b.locks.save
		onBook(b, func(got *ports.Book) { got.Version = fn(got.Version) })
		b.locks.save = func(ctx context.Context, c ports.RateLockChange) error {
			now, err := book(ctx, c.Book.Key)
			if err != nil {
				return err
			}
			if fn(c.Book.Version) == fn(now.Version) {
				c.Book.Version = now.Version
			}
			return save(ctx, c)
		}
	}
}

var versionFlaws = []flawedStore{
	{"drops a stale book without error", lockless, onStale(bookAlone, silently)},
	{"stores a stale book", lockless, onStale(bookAlone, storing)},
	{"drops stale events without error", lockless, onStale(eventsAlone, silently)},
	{"stores stale events", lockless, onStale(eventsAlone, storing)},
	{"drops stale work without error", lockless, onStale(workAlone, silently)},
	{"stores stale work", lockless, onStale(workAlone, storing)},
	{"stores an unknown book at a version above 0", lockless, onStale(func(c ports.RateLockChange) bool { return c.Book.Key.Owner == "zenith" }, storing)},
	{"counts versions up to 127", many, countsIn(func(version int64) int64 { return min(version, 127) })},
	{"counts versions up to 255", many, countsIn(func(version int64) int64 { return min(version, 255) })},
	{"counts versions in a byte", many, countsIn(func(version int64) int64 { return version % 256 })},
	{"compares the last byte of versions", many, func(b *bundle) {
		onConflict(b, func(save func(ports.RateLockChange) error, c ports.RateLockChange, now ports.Book) error {
			if c.Book.Version%256 != now.Version%256 {
				return errcodes.New(errcodes.Conflict, "")
			}
			c.Book.Version = now.Version
			return save(c)
		})
	}},
	{"counts versions by two", "each save raises the version by one", func(b *bundle) {
		onBook(b, func(book *ports.Book) { book.Version *= 2 })
		onSave(b, func(c *ports.RateLockChange) { c.Book.Version /= 2 })
	}},
	{"creates an existing book", "version 0 creates a book, once", losesVersions},
	{"loses the version check", stale, losesVersions},
	{"stores the events of a stale change", stale, leaks(onlyEvents)},
	{"stores the work of a stale change", stale, leaks(onlyWork)},
	{"calls a conflict internal", stale, func(b *bundle) {
		save := b.locks.save
		b.locks.save = func(ctx context.Context, c ports.RateLockChange) error {
			return broken.Recode(save(ctx, c), errcodes.Conflict, errcodes.Internal)
		}
	}},
	{"rejects only older versions", "a version above the stored one is a conflict", func(b *bundle) {
		onConflict(b, func(save func(ports.RateLockChange) error, c ports.RateLockChange, now ports.Book) error {
			if c.Book.Version < now.Version {
				return errcodes.New(errcodes.Conflict, "")
			}
			c.Book.Version = now.Version
			return save(c)
		})
	}},
	{"accepts an id that another book has used", elsewhere, takesTakenIDs},
	{"stores the events of a change with a used id", elsewhere, leaks(onlyEvents)},
	{"accepts an id that the book has used", here, takesTakenIDs},
	{"lets every concurrent save succeed", "of many concurrent saves at one version one succeeds", losesVersions},
	{"returns some unexpected errors", "saves of different books do not conflict", func(b *bundle) {
		var mu sync.Mutex
		n := 0
		save := b.locks.save
		b.locks.save = func(ctx context.Context, c ports.RateLockChange) error {
			mu.Lock()
			defer mu.Unlock()
			if n++; n%4 == 0 {
				return errcodes.New(errcodes.StorageUnavailable, "busy")
			}
			return save(ctx, c)
		}
	}},
}

// mapOwners applies f to owners.
func mapOwners(b *bundle, f func(string) string) {
	book, lock := b.locks.book, b.locks.lock
	b.locks.book = func(ctx context.Context, key ports.BookKey) (ports.Book, error) {
		got, err := book(ctx, ports.BookKey{Owner: f(key.Owner), Pair: key.Pair})
		got.Key = key
		return got, err
	}
	b.locks.lock = func(ctx context.Context, owner, id string) (ports.RateLock, ports.Book, error) {
		return lock(ctx, f(owner), id)
	}
	onSave(b, func(c *ports.RateLockChange) {
		c.Book.Key.Owner = f(c.Book.Key.Owner)
		eachLock(c, func(l *ports.RateLock) { l.Owner = f(l.Owner) })
	})
}

// mapLockIDs applies f to lock ids.
func mapLockIDs(b *bundle, f func(string) string) {
	lock := b.locks.lock
	b.locks.lock = func(ctx context.Context, owner, id string) (ports.RateLock, ports.Book, error) {
		return lock(ctx, owner, f(id))
	}
	onSave(b, func(c *ports.RateLockChange) {
		eachLock(c, func(l *ports.RateLock) { l.ID = f(l.ID) })
	})
}

func mapPairs(b *bundle) {
	f := func(p ports.Pair) ports.Pair {
		if p.Base > p.Quote {
			return p.Inverse()
		}
		return p
	}
	book := b.locks.book
	b.locks.book = func(ctx context.Context, key ports.BookKey) (ports.Book, error) {
		got, err := book(ctx, ports.BookKey{Owner: key.Owner, Pair: f(key.Pair)})
		got.Key = key
		return got, err
	}
	onSave(b, func(c *ports.RateLockChange) {
		c.Book.Key.Pair = f(c.Book.Key.Pair)
		eachLock(c, func(l *ports.RateLock) { l.Base, l.Quote = c.Book.Key.Pair.Base, c.Book.Key.Pair.Quote })
	})
}

var keyFlaws = append(append(append(
	confuse("owners", "owners that look alike have different books", looks, mapOwners),
	confuse("lock ids", "lock ids that look alike are different locks", looks, mapLockIDs)...),
	confuse("owners", "owners and ids of 10,000 characters are stored whole", []string{"keeps 255 letters"}, mapOwners)...),
	append(confuse("lock ids", "owners and ids of 10,000 characters are stored whole", []string{"keeps 255 letters"}, mapLockIDs),
		flawedStore{"confuses a pair with its inverse", "a pair and its inverse have different books", mapPairs})...)
