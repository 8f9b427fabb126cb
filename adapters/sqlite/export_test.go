package sqlite

import (
	"context"
	"database/sql"
)

// Queries are the statements whose plans a test checks, by what they are for.
var Queries = map[string]string{
	"Book": selectBook, "Lock": selectLock, "Live": selectLive, "Due": selectDue, "Owner": selectOwned, "Client": selectClient,
	"Token": selectToken, "PurgeTokens": purgeTokens, "evict tokens": evictTokens, "revoke all tokens": deleteTokens, "end a lock": endLock, "save a book": updateBook,
	"look for events": peekEvents, "wake events": wakeEvents, "claim events": claimEvents, "ack an event": ackEvent,
	"unblock an event": unblockEvent, "look for new events": newEvents, "count ready events": countReady, "admit an event": admitEvent, "replay an event": replayEvent,
	"look for work": peekWork, "claim work": claimWork, "finish work": doneWork,
	"Validation": selectValidation, "Overdue": selectOverdue, "change a validation": updateValidation, "PurgeValidations": purgeValidations,
	"Transaction": selectTransaction, "change a transaction": updateTransaction, "Buried": selectBuried, "discard an event": discardEvent,
	"Report": selectReport, "change a report": updateReport, "look for a report": peekReport, "claim a report": claimReport,
	"ExpiredReports": selectExpired, "remove a report": removeReport, "is a report there": hasReport,
	"Answer": selectAnswer, "PurgeAnswers": purgeAnswers, "look for a claim": peekClaim,
	"release a key": releaseKey, "purge claims": purgeClaims, "Secret": selectSecret,
}

// Limit makes every new writing connection run under the pragmas until the returned
// function is called.
func (s *Store) Limit(pragmas ...string) (lift func(), err error) {
	w := s.write
	w.turn <- struct{}{}
	defer func() { <-w.turn }()
	var path string
	row := w.session.conn.QueryRowContext(context.Background(), "SELECT file FROM pragma_database_list WHERE name = 'main'")
	if err := row.Scan(&path); err != nil {
		return nil, err
	}
	limited, err := openDB(dsn(path, busySlice, pragmas...))
	if err != nil {
		return nil, err
	}
	limited.SetMaxOpenConns(1)
	limited.SetMaxIdleConns(0)
	free := w.db
	w.drop()
	w.db = limited
	return func() { s.swap(free) }, nil
}

// swap makes the next connection come from db. It does not close the current one, so
// that a test can see whether a failed one is closed.
func (s *Store) swap(db *sql.DB) {
	s.write.turn <- struct{}{}
	defer func() { <-s.write.turn }()
	_ = s.write.db.Close()
	s.write.db = db
}

// Connected reports whether the store has a writing connection.
func (s *Store) Connected() bool {
	s.write.turn <- struct{}{}
	defer func() { <-s.write.turn }()
	return s.write.session != nil
}

// Pragma returns a setting of the writing connection.
func (s *Store) Pragma(ctx context.Context, name string) (value string, err error) {
	s.write.turn <- struct{}{}
	defer func() { <-s.write.turn }()
	err = s.write.session.conn.QueryRowContext(ctx, "PRAGMA "+name).Scan(&value)
	return value, err
}

// SaveBy saves a change that calls do and writes nothing. Its outcome cannot be read.
func (s *Store) SaveBy(ctx context.Context, do func() error) error {
	return s.save(ctx, func(context.Context, *session) error { return do() }, nil)
}

// Empty removes all rows of all tables.
func (s *Store) Empty(ctx context.Context) error {
	return s.update(ctx, func(ctx context.Context, s *session) error {
		var deletions []string
		const tables = `SELECT 'DELETE FROM ' || name FROM sqlite_schema
			WHERE type = 'table' AND name <> 'goose_db_version' AND name NOT LIKE 'sqlite_%'`
		err := s.each(ctx, tables, nil, func(rows *sql.Rows) error {
			var deletion string
			err := rows.Scan(&deletion)
			deletions = append(deletions, deletion)
			return err
		})
		for _, deletion := range deletions {
			if err == nil {
				_, err = s.exec(ctx, deletion)
			}
		}
		return err
	}, nil)
}
