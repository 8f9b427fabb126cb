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

func mintSQLite() (subject, error) {
	store, done, err := openStore()
	if err != nil {
		return subject{}, err
	}
	s, err := serviceOn(store.RateLocks())
	if err != nil {
		return subject{}, err
	}
	next := 0
	return subject{func(n int) error {
		for range n {
			next++
			if _, minted, err := s.Create(context.Background(), fmt.Sprintf("client-%d", next), usdzar); err != nil || !minted {
				return fmt.Errorf("minted %v: %w", minted, err)
			}
		}
		return nil
	}, done}, nil
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

func insertSQLite() (subject, error) {
	db, done, err := plain()
	if err != nil {
		return subject{}, err
	}
	stmt, err := db.Prepare(plainInsert)
	if err != nil {
		return subject{}, err
	}
	next := 0
	return subject{func(n int) error {
		for range n {
			next++
			now := time.Now().UnixMilli()
			if _, err := stmt.Exec(fmt.Sprintf("rl_%026d", next), fmt.Sprintf("client-%d", next), now, now+1000); err != nil {
				return err
			}
		}
		return nil
	}, done}, nil
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
