package sqlite_test

import (
	"database/sql"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// TestADamagedReportExpiresLikeTheOthers damages a report's lists: it still expires,
// and so do the others.
func TestADamagedReportExpiresLikeTheOthers(t *testing.T) {
	for _, damage := range []string{"columns = '[1]'", `columns = '[{"base64":"secret!"}]'`, `filters = '[["secret"]]'`} {
		path := migrated(t)
		store := open(t, path, nil)
		mustReport(t, store, completed(runs("acme", "a")))
		next := mustReport(t, store, completed(runs("acme", "b")))
		query(t, raw(t, path), "UPDATE reports SET "+damage+" WHERE id = ?", []byte("a"))
		expired, err := store.Reports().ExpiredReports(t.Context(), epoch.Add(time.Hour), 10)
		require.NoError(t, err)
		require.Len(t, expired, 2)
		require.Equal(t, []string{"acme", "a"}, []string{expired[0].Owner, expired[0].ID})
		require.True(t, len(expired[0].Request.Columns) == 0 || len(expired[0].Request.Filters) == 0)
		require.Equal(t, next, expired[1])
		require.NoError(t, store.Reports().RemoveReport(t.Context(), "acme", "a"))
	}
}

// A damaged report is claimed and can be ended, but not read.
func TestAClaimAfterADamagedReportReturnsTheNextJob(t *testing.T) {
	path := migrated(t)
	store := open(t, path, nil)
	damaged := mustReport(t, store, runs("acme", "a"))
	mustReport(t, store, runs("acme", "b"))
	query(t, raw(t, path), "UPDATE reports SET columns = '[1]' WHERE id = ?", []byte("a"))
	_, err := store.Reports().ClaimReport(t.Context(), "p", epoch, time.Minute)
	requireCode(t, errcodes.CorruptRecord, err)
	require.Equal(t, "b", mustClaim(t, store, "p", epoch).ID)
	_, err = store.Reports().ClaimReport(t.Context(), "p", epoch, time.Minute)
	requireCode(t, errcodes.NotFound, err)
	damaged.Version++
	require.NoError(t, store.Reports().Save(t.Context(), reportOf(broke(damaged))))
}

// damages are values that a damaged page may put into a cell.
var damages = []any{nil, "secret", 1.5, int64(1) << 60, []byte{0xff}}

// TestADamagedCellDoesNotHideOtherRows damages each cell of one row and reads each
// listing in pages of one. (Claims are not listings: they write the rows that they
// return, and SQLite does not write a damaged row.)
func TestADamagedCellDoesNotHideOtherRows(t *testing.T) {
	later := epoch.AddDate(0, 0, 30)
	path := migrated(t)
	db, store := loose(t, path), open(t, path, nil)
	fillTables(t, store)
	for name, c := range map[string]struct {
		table string
		ids   func(*testing.T, *sqlite.Store) []string
	}{
		"Live": {"rate_locks", func(t *testing.T, s *sqlite.Store) []string {
			var after ports.Pos
			return walk(t, func() ([]ports.RateLock, error) {
				return s.RateLocks().List(t.Context(), ports.LockQuery{Pair: usdZAR, Since: epoch, After: after, Limit: 1})
			}, func(l ports.RateLock) string { after = ports.Pos{At: l.CreatedAt, ID: l.ID}; return l.ID })
		}},
		"Owner": {"rate_locks", func(t *testing.T, s *sqlite.Store) (ids []string) {
			for _, id := range []string{"a", "b", "c"} {
				all, err := s.RateLocks().List(t.Context(), ports.LockQuery{Owner: "owner of " + id, Limit: 10})
				assert.NoError(t, err)
				for i := range all {
					ids = append(ids, all[i].ID)
				}
			}
			return ids
		}},
		"Due": {"rate_locks", func(t *testing.T, s *sqlite.Store) []string {
			var after ports.Pos
			return walk(t, func() ([]ports.RateLock, error) {
				return s.RateLocks().List(t.Context(), ports.LockQuery{DueBy: later, After: after, Limit: 1})
			}, func(l ports.RateLock) string { after = ports.Pos{At: l.ExpiresAt, ID: l.ID}; return l.ID })
		}},
		"Overdue": {"validations", func(t *testing.T, s *sqlite.Store) []string {
			var after ports.Pos
			return walk(t, func() ([]ports.ValidationRecord, error) {
				return s.Validations().Overdue(t.Context(), later, after, 1)
			}, func(r ports.ValidationRecord) string {
				after = ports.Pos{At: r.Deadline, ID: r.ID}
				return r.ID
			})
		}},
		"ExpiredReports": {"reports", func(t *testing.T, s *sqlite.Store) (ids []string) {
			all, err := s.Reports().ExpiredReports(t.Context(), later, 10)
			assert.NoError(t, err)
			for i := range all {
				ids = append(ids, all[i].ID)
			}
			return ids
		}},
		"Buried": {"events", func(t *testing.T, s *sqlite.Store) []string {
			var after int64
			return walk(t, func() ([]ports.BuriedEvent, error) {
				return s.DeadLetters().Buried(t.Context(), after, 1)
			}, func(e ports.BuriedEvent) string { after = e.Pos; return e.ID })
		}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, column := range columnsOf(t, db, c.table) {
				var sound any
				row := db.QueryRowContext(t.Context(), "SELECT "+column+" FROM "+c.table+" WHERE id = ?", []byte("b"))
				require.NoError(t, row.Scan(&sound))
				for _, damage := range damages {
					update := "UPDATE " + c.table + " SET " + column + " = ? WHERE id = ?"
					query(t, db, update, damage, []byte("b"))
					assert.Subset(t, c.ids(t, store), []string{"a", "c"}, "%s is %v", column, damage)
					query(t, db, update, sound, []byte("b"))
				}
			}
			require.Equal(t, []string{"a", "b", "c"}, c.ids(t, store))
		})
	}
}

// walk returns the ids of all pages of one row.
func walk[V any](tb testing.TB, page func() ([]V, error), id func(V) string) (ids []string) {
	tb.Helper()
	for range 10 {
		all, err := page()
		assert.NoError(tb, err)
		if len(all) == 0 {
			return ids
		}
		ids = append(ids, id(all[0]))
	}
	assert.Fail(tb, "the listing does not end")
	return ids
}

// loose returns a connection that can write cells that the tables reject. It has read
// a schema without types, which is then restored for all other connections.
func loose(tb testing.TB, path string) *sql.DB {
	tb.Helper()
	db, schema := raw(tb, path), raw(tb, path)
	query(tb, schema, "CREATE TEMP TABLE sound AS SELECT name, sql FROM main.sqlite_schema; PRAGMA writable_schema = ON")
	for _, change := range [][2]string{
		{") STRICT, WITHOUT ROWID", ") WITHOUT ROWID"}, {") STRICT", ")"}, {"IS NOT NULL", "NOTNULL"}, {" NOT NULL", ""},
	} {
		query(tb, schema, "UPDATE main.sqlite_schema SET sql = replace(sql, ?, ?) WHERE type = 'table'", change[0], change[1])
	}
	query(tb, db, "PRAGMA ignore_check_constraints = ON; PRAGMA synchronous = OFF; SELECT count(*) FROM reports")
	query(tb, schema, "UPDATE main.sqlite_schema SET sql = (SELECT s.sql FROM sound s WHERE s.name = sqlite_schema.name)")
	return db
}

// columnsOf returns the columns by which no row is found.
func columnsOf(tb testing.TB, db *sql.DB, table string) (names []string) {
	tb.Helper()
	rows, err := db.QueryContext(tb.Context(), "SELECT name FROM pragma_table_info(?) WHERE name NOT IN ('id', 'seq')", table)
	require.NoError(tb, err)
	defer rows.Close()
	for rows.Next() {
		var name string
		require.NoError(tb, rows.Scan(&name))
		names = append(names, name)
	}
	require.NoError(tb, rows.Err())
	return names
}

// fillTables saves three records of each kind and buries the events.
func fillTables(tb testing.TB, store *sqlite.Store) {
	tb.Helper()
	for _, id := range []string{"a", "b", "c"} {
		c := mint(bookOf(tb, store, "owner of "+id), activeLock("owner of "+id, id, epoch))
		c.Events = []ports.Event{{ID: id, Key: id, Kind: "k", At: epoch}}
		require.NoError(tb, store.RateLocks().Save(tb.Context(), c))
		mustValidate(tb, store, pending("acme", id))
		mustReport(tb, store, completed(runs("acme", id)))
	}
	for _, e := range claimAll(tb, store) {
		require.NoError(tb, store.Outbox().Bury(tb.Context(), e, "no use"))
	}
}
