package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/corridor-go/corridor/adapters/sqlite"
)

// plainDSN opens a database with the settings of adapters/sqlite.
const plainDSN = "file:%s?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=busy_timeout(5000)&_pragma=foreign_keys(ON)&_pragma=wal_autocheckpoint(4000)&_txlock=immediate"

func folder(made *setup) string {
	dir := must(os.MkdirTemp("", "corridor-bench"))
	made.after(func() { _ = os.RemoveAll(dir) })
	return dir
}

func openSQLite(made *setup) (store *sqlite.Store, path string) {
	path = filepath.Join(folder(made), "corridor.db")
	store = must(sqlite.Open(context.Background(), path, nil))
	made.after(func() { _ = store.Close() })
	return store, path
}

// mintSQLite mints with the given number of concurrent callers.
func mintSQLite(callers int) side {
	return func(made *setup) step {
		store, _ := openSQLite(made)
		s := serviceOn(store.RateLocks())
		return spread(callers, func(ctx context.Context, i int) error {
			_, minted, err := s.Create(ctx, fmt.Sprintf("client-%d", i), usdzar)
			if err == nil && !minted {
				return errNotMinted
			}
			return err
		})
	}
}

// plainSQLite opens a database on one connection.
func plainSQLite(made *setup, pragmas string) *sql.DB {
	db := must(sql.Open("sqlite", fmt.Sprintf(plainDSN, filepath.Join(folder(made), "plain.db"))+pragmas))
	made.after(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	return db
}

// plain opens a database with one table of lock-like rows.
func plain(made *setup) *sql.DB {
	db := plainSQLite(made, "")
	must(db.Exec(`CREATE TABLE locks (id TEXT PRIMARY KEY, owner TEXT, base TEXT, quote TEXT, mid TEXT, bps INTEGER,
		all_in TEXT, created INTEGER, expires INTEGER, status TEXT) WITHOUT ROWID`))
	return db
}

const plainInsert = `INSERT INTO locks VALUES (?, ?, 'USD', 'ZAR', '18.2500', 150, '18.52375', ?, ?, 'active')`

// insertSQLite inserts with the given number of concurrent callers, which share one
// connection.
func insertSQLite(callers int) side {
	return func(made *setup) step {
		stmt := must(plain(made).Prepare(plainInsert))
		return spread(callers, func(_ context.Context, i int) error {
			now := time.Now().UnixMilli()
			_, err := stmt.Exec(fmt.Sprintf("rl_%026d", i), fmt.Sprintf("client-%d", i), now, now+1000)
			return err
		})
	}
}

func fullSQLite(made *setup) step {
	store, _ := openSQLite(made)
	s, names := serviceOn(store.RateLocks()), ownerNames(owners)
	fill(s, names)
	return createAll(s, names)
}

func selectSQLite(made *setup) step {
	db, names := plain(made), ownerNames(owners)
	for _, id := range names {
		must(db.Exec(plainInsert, id, id, 1, 2))
	}
	stmt := must(db.Prepare(`SELECT owner, base, quote, mid, bps, all_in, created, expires, status FROM locks WHERE id = ?`))
	return func(n int) {
		var owner, base, quote, mid, allIn, status string
		var bps, created, expires int64
		for i := range n {
			check(stmt.QueryRow(names[i%len(names)]).Scan(&owner, &base, &quote, &mid, &bps, &allIn, &created, &expires, &status))
		}
	}
}
