package main

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/report/match"
)

// matchRows compares the settlement matcher with SQLite, and with itself with little
// memory. An operation is a whole run.
func matchRows() []row {
	const roomy, tight = 1 << 30, 64 << 20
	return []row{
		{
			name:      "match 1,000,000 lines with 1,000,000 payments",
			reference: "SQLite, FULL OUTER JOIN on an indexed reference, loaded before",
			ours:      matchOurs(roomy, 512<<20), ref: matchSQLite, goal: faster(3), allocs: -1, fixed: 1,
		},
		{
			name: "match 1,000,000 lines with 1,000,000 payments in 64 MB", reference: "itself with all in memory",
			ours: matchOurs(tight, 160<<20), ref: matchOurs(roomy, 512<<20), goal: faster(0.4), allocs: -1, fixed: 1,
		},
	}
}

const (
	matchSize = 1_000_000
	matchStep = 611_953 // odd and not a multiple of 5, so that lines and payments come in different orders
)

var matchDay = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)

// wantUnmatched: 1 line in 200 has another amount, 1 in 500 has no payment, and 1 payment
// in 500 has no line.
const wantUnmatched = matchSize/200 + matchSize/500 + matchSize/500

func matchLine(i int) ports.SettlementLine {
	n := i * matchStep % matchSize
	l := ports.SettlementLine{
		Line: int64(i + 1), Reference: matchReference(n), Currency: "ZAR", Amount: int64(10_000 + n%90_000),
		At: matchDay.Add(time.Duration(n) * time.Millisecond),
	}
	switch {
	case n%200 == 1:
		l.Amount++
	case n%500 == 2:
		l.Reference += "-X"
	}
	return l
}

func matchPayment(n int) match.Payment {
	return match.Payment{
		ID: "tx_" + strconv.Itoa(1_000_000_000+n), Reference: matchReference(n), Currency: "ZAR", Amount: int64(10_000 + n%90_000),
		Status: ports.TransactionSucceeded, CreatedAt: matchDay.Add(time.Duration(n) * time.Millisecond),
	}
}

func matchReference(n int) string { return "ORDER-" + strconv.Itoa(1_000_000_000+n) }

func numbersTo[T any](n int, one func(int) T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for i := range n {
			if !yield(one(i), nil) {
				return
			}
		}
	}
}

// matchOurs runs with the given memory. The goal is missed if the process needs more than
// most.
func matchOurs(memory, most int64) side {
	return func(made *setup) step {
		dir := folder(made)
		run := func(n int) {
			for range n {
				matchOnce(memory, dir)
			}
		}
		peak := peakOf(func() { run(1) })
		fmt.Fprintf(os.Stdout, "matching with %d MB: the process has %.0f MB more at the most (goal: %d MB)\n", memory>>20, megabytes(uint64(peak)), most>>20)
		if peak > most {
			made.missf("≤ %d MB of memory, measured %.0f MB", most>>20, megabytes(uint64(peak)))
		}
		return run
	}
}

func matchOnce(memory int64, dir string) {
	rows := 0
	tally := must(match.Run(context.Background(), match.Input{
		Lines: numbersTo(matchSize, matchLine), Payments: numbersTo(matchSize, matchPayment),
		Range:  match.Range{From: matchDay, Until: matchDay.AddDate(0, 0, 1), Due: matchDay.AddDate(0, 0, 1)},
		Limits: match.Limits{MemoryBytes: memory, Scratch: diskScratch(dir)},
	}, func(match.Unmatched) error { rows++; return nil }))
	if rows != wantUnmatched || tally.Lines != matchSize {
		check(fmt.Errorf("%d rows instead of %d: %+v", rows, wantUnmatched, tally))
	}
}

// peakOf returns by how many bytes the memory of the process grows at most while f runs,
// or 0 if the system is not Linux.
func peakOf(f func()) int64 {
	debug.FreeOSMemory()
	if os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) != nil {
		f()
		return 0
	}
	before := processBytes("VmRSS:")
	f()
	return processBytes("VmHWM:") - before
}

func processBytes(name string) int64 {
	_, rest, _ := strings.Cut(string(must(os.ReadFile("/proc/self/status"))), name)
	digits, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	return must(strconv.ParseInt(digits, 10, 64)) << 10
}

// diskScratch is a scratch space in a folder.
type diskScratch string

func (d diskScratch) Open(context.Context) (ports.ScratchSpace, error) {
	dir, err := os.MkdirTemp(string(d), "space")
	return diskSpace(dir), err
}

type diskSpace string

func (d diskSpace) Create(name string) (io.WriteCloser, error) {
	return os.Create(filepath.Join(string(d), name))
}
func (d diskSpace) Open(name string) (io.ReadCloser, error) {
	return os.Open(filepath.Join(string(d), name))
}
func (d diskSpace) Remove(name string) error { return os.Remove(filepath.Join(string(d), name)) }
func (d diskSpace) Close() error             { return os.RemoveAll(string(d)) }

const matchQuery = `SELECT l.line, l.reference, l.amount, l.currency, l.at, p.id, p.amount, p.currency, p.created
	FROM lines l FULL OUTER JOIN payments p ON p.reference = l.reference
	WHERE l.line IS NULL OR p.id IS NULL OR l.amount <> p.amount OR l.currency <> p.currency OR p.status <> 'SUCCEEDED'
	ORDER BY coalesce(l.at, p.created), l.line, p.id`

func matchSQLite(made *setup) step {
	db := plainSQLite(made, "&_pragma=cache_size(-500000)")
	matchLoad(db)
	return func(n int) {
		for range n {
			matchQueried(db)
		}
	}
}

func matchQueried(db *sql.DB) {
	rows := must(db.Query(matchQuery))
	defer rows.Close()
	n := 0
	for ; rows.Next(); n++ {
		var line, amount, at, wanted, created sql.NullInt64
		var reference, currency, id, theirs sql.NullString
		check(rows.Scan(&line, &reference, &amount, &currency, &at, &id, &wanted, &theirs, &created))
	}
	check(rows.Err())
	if n != wantUnmatched {
		check(fmt.Errorf("%d rows instead of %d", n, wantUnmatched))
	}
}

func matchLoad(db *sql.DB) {
	tx := must(db.Begin())
	must(tx.Exec(`CREATE TABLE lines (line INTEGER PRIMARY KEY, reference TEXT, amount INTEGER, currency TEXT, at INTEGER)`))
	must(tx.Exec(`CREATE TABLE payments (id TEXT, reference TEXT, amount INTEGER, currency TEXT, status TEXT, created INTEGER)`))
	line := must(tx.Prepare(`INSERT INTO lines VALUES (?, ?, ?, ?, ?)`))
	defer line.Close()
	payment := must(tx.Prepare(`INSERT INTO payments VALUES (?, ?, ?, ?, ?, ?)`))
	defer payment.Close()
	for i := range matchSize {
		l, p := matchLine(i), matchPayment(i)
		must(line.Exec(l.Line, l.Reference, l.Amount, l.Currency, l.At.UnixMilli()))
		must(payment.Exec(p.ID, p.Reference, p.Amount, p.Currency, string(p.Status), p.CreatedAt.UnixMilli()))
	}
	must(tx.Exec(`CREATE INDEX payments_by_reference ON payments (reference)`))
	check(tx.Commit())
}
