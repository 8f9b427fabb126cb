package sqlite_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/ports"
)

// The two ratios below compare with plain SQL through the same driver and with
// the same settings, call by call in turns, so that a slow disk slows both.

// BenchmarkBookToSelect reads a full pair, and one row by its key.
func BenchmarkBookToSelect(b *testing.B) {
	store := open(b, file(b), nil)
	mustMint(b, store, "acme", "rl_1", epoch)
	mustMint(b, store, "acme", "rl_2", epoch.Add(time.Second))
	db := plainTable(b)
	insertPlain(b, prepare(b, db, plainInsert), "rl_1")
	row := prepare(b, db, "SELECT id, owner, base, quote, mid, markup, created, status FROM plain WHERE id = ?")
	ctx := context.Background() // one that can be cancelled costs the driver a goroutine
	compare(b, 50, func() {
		book, err := store.RateLocks().Book(ctx, keyOf("acme"))
		if err != nil || len(book.Live()) != 2 {
			b.Fatal(err)
		}
	}, func() {
		var id, owner, base, quote, mid, status string
		var markup, created int64
		err := row.QueryRowContext(ctx, "rl_1").Scan(&id, &owner, &base, &quote, &mid, &markup, &created, &status)
		if err != nil {
			b.Fatal(err)
		}
	})
}

// BenchmarkMintToInsert saves a mint (book, lock, event), and inserts one row.
func BenchmarkMintToInsert(b *testing.B) {
	store := open(b, file(b), nil)
	db := plainTable(b)
	insert := prepare(b, db, plainInsert)
	n := 0
	ctx := context.Background()
	compare(b, 20, func() {
		n++
		owner := "client-" + strconv.Itoa(n)
		l := activeLock(owner, "rl_"+rand.Text(), epoch)
		c := mint(ports.Book{Key: keyOf(owner)}, l)
		if err := store.RateLocks().Save(ctx, c); err != nil {
			b.Fatal(err)
		}
	}, func() { insertPlain(b, insert, "rl_"+rand.Text()) })
}

// BenchmarkValidationToInsert saves a new validation that has ended, with its
// event, and inserts one row.
func BenchmarkValidationToInsert(b *testing.B) {
	store := open(b, file(b), nil)
	db := plainTable(b)
	insert := prepare(b, db, plainInsert)
	ctx := context.Background()
	compare(b, 20, func() {
		if err := store.Validations().Save(ctx, changeOf(verified())); err != nil {
			b.Fatal(err)
		}
	}, func() { insertPlain(b, insert, "v_"+rand.Text()) })
}

// BenchmarkAnswerToSelect reads an answer of 10,000, and one row by its key.
func BenchmarkAnswerToSelect(b *testing.B) {
	path := file(b)
	store := open(b, path, nil)
	query(b, raw(b, path), `INSERT INTO cached_answers WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
		SELECT randomblob(32), 'paystack', 0, i, 'k1', randomblob(250) FROM n`)
	answer := ports.CachedAnswer{Key: [32]byte{31: 1}, Provider: "paystack", At: epoch, ExpiresAt: epoch, Sealed: verified().Sealed}
	require.NoError(b, store.Answers().PutAnswer(b.Context(), answer))
	db := plainTable(b)
	query(b, db, "CREATE TABLE blobs (key BLOB PRIMARY KEY, provider TEXT, at INTEGER, expires INTEGER, data BLOB)")
	query(b, db, "INSERT INTO blobs VALUES (?, 'paystack', 1, 2, randomblob(250))", answer.Key[:])
	row := prepare(b, db, "SELECT provider, at, expires, data FROM blobs WHERE key = ?")
	ctx := context.Background()
	compare(b, 50, func() {
		if _, err := store.Answers().Answer(ctx, answer.Key); err != nil {
			b.Fatal(err)
		}
	}, func() {
		var provider string
		var at, expires int64
		var data []byte
		if err := row.QueryRowContext(ctx, answer.Key[:]).Scan(&provider, &at, &expires, &data); err != nil {
			b.Fatal(err)
		}
	})
}

// BenchmarkLookupToInsert stores what a lookup stores that asks a provider: the
// claim, the answer, the validation with its event, and the release. It compares
// that with four inserts of one row.
func BenchmarkLookupToInsert(b *testing.B) {
	store := open(b, file(b), nil)
	db := plainTable(b)
	insert := prepare(b, db, plainInsert)
	ctx := context.Background()
	answers := store.Answers()
	compare(b, 10, func() {
		r := verified()
		key := sha256.Sum256([]byte(r.ID))
		won, err := answers.Claim(ctx, key, "process 1", epoch, epoch.Add(time.Minute))
		if err == nil && won {
			err = answers.PutAnswer(ctx, ports.CachedAnswer{Key: key, Provider: "paystack", At: epoch, ExpiresAt: epoch, Sealed: r.Sealed})
		}
		if err == nil {
			err = store.Validations().Save(ctx, changeOf(r))
		}
		if err == nil {
			err = answers.Release(ctx, key, "process 1")
		}
		if err != nil || !won {
			b.Fatal(won, err)
		}
	}, func() {
		for range 4 {
			insertPlain(b, insert, "v_"+rand.Text())
		}
	})
}

// verified returns a new validation that has ended, with 250 sealed bytes.
func verified() ports.ValidationRecord {
	r := ended(pending("acme", rand.Text()), ports.StatusVerified)
	r.Sealed.Data = bytes.Repeat([]byte{0xa5}, 250)
	return r
}

// compare runs both in turns, batch by batch, and reports how many times as fast the
// first is as the second: the median over the turns.
func compare(b *testing.B, batch int, subject, reference func()) {
	b.Helper()
	timed := func(f func()) float64 {
		start := time.Now()
		for range batch {
			f()
		}
		return float64(time.Since(start))
	}
	var ratios, each []float64
	for b.Loop() {
		took := timed(subject)
		ratios, each = append(ratios, timed(reference)/took), append(each, took/float64(batch))
	}
	slices.Sort(ratios)
	slices.Sort(each)
	b.ReportMetric(ratios[len(ratios)/2], "times_the_reference")
	b.ReportMetric(each[len(each)/2], "ns/call")
}

const plainInsert = "INSERT INTO plain VALUES (?, ?, ?, ?, ?, ?, ?, ?)"

func plainTable(b *testing.B) *sql.DB {
	b.Helper()
	path := filepath.Join(b.TempDir(), "plain.db")
	db := raw(b, path+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	query(b, db, `CREATE TABLE plain (id TEXT PRIMARY KEY, owner TEXT, base TEXT, quote TEXT, mid TEXT, markup INTEGER,
		created INTEGER, status TEXT)`)
	return db
}

func prepare(b *testing.B, db *sql.DB, query string) *sql.Stmt {
	b.Helper()
	stmt, err := db.PrepareContext(b.Context(), query)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, stmt.Close()) })
	return stmt
}

func insertPlain(b *testing.B, stmt *sql.Stmt, id string) {
	b.Helper()
	_, err := stmt.ExecContext(context.Background(), id, "acme", "USD", "ZAR", "18.2500", 150, epoch.UnixMilli(), "active")
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkClaimOf100k claims and acknowledges while 100,000 events wait: half of
// them behind one key whose first event is delayed, the others with different keys.
func BenchmarkClaimOf100k(b *testing.B) {
	store := open(b, file(b), nil)
	change := ports.RateLockChange{Book: ports.Book{Key: keyOf("acme")}}
	for i := range 100_000 {
		key := "hot"
		if i >= 50_000 {
			key = strconv.Itoa(i)
		}
		change.Events = append(change.Events, ports.Event{ID: strconv.Itoa(i), Key: key, At: epoch})
	}
	require.NoError(b, store.RateLocks().Save(b.Context(), change))
	head, err := store.Outbox().Claim(b.Context(), epoch, time.Minute, 1)
	require.NoError(b, err)
	require.NoError(b, store.Outbox().Retry(b.Context(), head[0], epoch.AddDate(1, 0, 0)))
	claimOne(b, store) // the first claim looks at the events behind the first one
	for b.Loop() {
		events := claimOne(b, store)
		if err := store.Outbox().Retry(b.Context(), events[0], epoch); err != nil {
			b.Fatal(err)
		}
	}
}

func claimOne(b *testing.B, store *sqlite.Store) []ports.Event {
	b.Helper()
	events, err := store.Outbox().Claim(b.Context(), epoch, time.Minute, 1)
	if err != nil || len(events) != 1 {
		b.Fatal(err, len(events))
	}
	return events
}
