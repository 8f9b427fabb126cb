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

func folder() (string, func(), error) {
	dir, err := os.MkdirTemp("", "corridor-bench")
	return dir, func() { _ = os.RemoveAll(dir) }, err
}

func openStore() (*sqlite.Store, func(), error) {
	dir, remove, err := folder()
	if err != nil {
		return nil, nil, err
	}
	store, err := sqlite.Open(context.Background(), filepath.Join(dir, "locks.db"), nil)
	return store, func() { _ = store.Close(); remove() }, err
}

// mintSQLite has as many callers at once.
func mintSQLite(callers int) func() (subject, error) {
	return func() (subject, error) {
		store, done, err := openStore()
		if err != nil {
			return subject{}, err
		}
		s, err := serviceOn(store.RateLocks())
		return subject{spread(callers, func(ctx context.Context, i int) error {
			_, minted, err := s.Create(ctx, fmt.Sprintf("client-%d", i), usdzar)
			if err == nil && !minted {
				return errNotMinted
			}
			return err
		}), done}, err
	}
}

// plain opens a database with one table of lock-like rows, on one connection.
func plain() (*sql.DB, func(), error) {
	dir, remove, err := folder()
	if err != nil {
		return nil, nil, err
	}
	db, err := sql.Open("sqlite", fmt.Sprintf(plainDSN, filepath.Join(dir, "plain.db")))
	if err != nil {
		return nil, nil, err
	}
	db.SetMaxOpenConns(1)
	_, err = db.Exec(`CREATE TABLE locks (id TEXT PRIMARY KEY, owner TEXT, base TEXT, quote TEXT, mid TEXT, bps INTEGER,
		all_in TEXT, created INTEGER, expires INTEGER, status TEXT) WITHOUT ROWID`)
	return db, func() { _ = db.Close(); remove() }, err
}

const plainInsert = `INSERT INTO locks VALUES (?, ?, 'USD', 'ZAR', '18.2500', 150, '18.52375', ?, ?, 'active')`

// insertSQLite has as many callers at once; the one connection takes them in turn.
func insertSQLite(callers int) func() (subject, error) {
	return func() (subject, error) {
		db, done, err := plain()
		if err != nil {
			return subject{}, err
		}
		stmt, err := db.Prepare(plainInsert)
		return subject{spread(callers, func(_ context.Context, i int) error {
			now := time.Now().UnixMilli()
			_, err := stmt.Exec(fmt.Sprintf("rl_%026d", i), fmt.Sprintf("client-%d", i), now, now+1000)
			return err
		}), done}, err
	}
}

func fullSQLite() (subject, error) {
	store, done, err := openStore()
	if err != nil {
		return subject{}, err
	}
	s, err := serviceOn(store.RateLocks())
	if err != nil {
		return subject{}, err
	}
	names := ownerNames(owners)
	return subject{createAll(s, names), done}, fill(s, names)
}

func selectSQLite() (subject, error) {
	db, done, err := plain()
	if err != nil {
		return subject{}, err
	}
	names := ownerNames(owners)
	for _, id := range names {
		if _, err := db.Exec(plainInsert, id, id, 1, 2); err != nil {
			return subject{}, err
		}
	}
	stmt, err := db.Prepare(`SELECT owner, base, quote, mid, bps, all_in, created, expires, status FROM locks WHERE id = ?`)
	if err != nil {
		return subject{}, err
	}
	return subject{func(n int) error {
		var owner, base, quote, mid, allIn, status string
		var bps, created, expires int64
		for i := range n {
			row := stmt.QueryRow(names[i%len(names)])
			if err := row.Scan(&owner, &base, &quote, &mid, &bps, &allIn, &created, &expires, &status); err != nil {
				return err
			}
		}
		return nil
	}, done}, nil
}
