package sqlite_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// TestCorruptTransaction damages one row; other rows must not be affected.
func TestCorruptTransaction(t *testing.T) {
	path := migrated(t)
	store, db := open(t, path, nil), raw(t, path)
	query(t, db, "PRAGMA ignore_check_constraints = ON")
	for name, damage := range map[string]string{
		"an unknown status":    "status = 'paid'",
		"an unknown direction": "direction = 'sideways'",
	} {
		t.Run(name, func(t *testing.T) {
			wipe(t, store)
			damaged := mustTransact(t, store, waiting("acme", "a"))
			neighbour := mustTransact(t, store, failed(waiting("zenith", "a")))
			query(t, db, "UPDATE transactions SET "+damage+" WHERE owner = ?", []byte("acme"))

			_, err := store.Transactions().Transaction(t.Context(), "acme", "a")
			requireCode(t, errcodes.CorruptRecord, err)
			require.NotContains(t, errcodes.MessageOf(err), strings.Trim(strings.Fields(damage)[2], "'"))
			requireTransaction(t, store, neighbour)
			mustTransact(t, store, landed(neighbour))
			require.NoError(t, store.Ping(t.Context()))
			if strings.HasPrefix(damage, "status") {
				requireCode(t, errcodes.Conflict, store.Transactions().Save(t.Context(), moveOf(failed(damaged))))
			}
		})
	}
}

// TestConstraintsBoundRawCodesAndMessages writes raw codes and messages without the
// adapter, which rejects longer ones itself (I26).
func TestConstraintsBoundRawCodesAndMessages(t *testing.T) {
	path := migrated(t)
	store := open(t, path, nil)
	mustTransact(t, store, landed(failed(waiting("acme", "t"))))
	db := raw(t, path)
	for _, column := range []string{"raw_code", "raw_message", "late_code", "late_message"} {
		update := "UPDATE transactions SET " + column + " = zeroblob(?)"
		query(t, db, update, ports.MaxRaw)
		_, err := db.ExecContext(t.Context(), update, ports.MaxRaw+1)
		require.ErrorContains(t, err, "CHECK", column)
		_, err = db.ExecContext(t.Context(), "UPDATE transactions SET "+column+" = 'text'")
		require.ErrorContains(t, err, "cannot store TEXT", column)
	}
}

// Raw codes and messages may contain personal data, so the view shows only their
// lengths.
func TestTheTransactionViewHidesRawMessages(t *testing.T) {
	path := migrated(t)
	store := open(t, path, nil)
	tx := landed(failed(waiting("acme", "t_1")))
	tx.Raw = ports.RawFailure{Code: "secret", Message: "secret\x00and more"}
	tx.LateRaw = ports.RawFailure{Code: "secretly", Message: "secret late"}
	mustTransact(t, store, tx)
	rows, err := raw(t, path).QueryContext(t.Context(), "SELECT * FROM readable_transactions") //nolint:unqueryvet // all columns are checked
	require.NoError(t, err)
	defer rows.Close()
	columns, err := rows.Columns()
	require.NoError(t, err)
	require.True(t, rows.Next())
	values, targets := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		targets[i] = &values[i]
	}
	require.NoError(t, rows.Scan(targets...))
	require.NoError(t, rows.Err())
	shown := map[string]string{}
	for i, column := range columns {
		shown[column] = fmt.Sprint(values[i])
	}
	require.NotContains(t, fmt.Sprint(shown), "secret")
	require.Equal(t, map[string]string{
		"owner": "acme", "id": "t_1", "version": "1", "direction": "payin", "status": "FAILED", "code": "declined",
		"raw_code_bytes": "6", "raw_message_bytes": "15", "scheme": "iso8583", "tables": "2026-11",
		"created_at": "2026-11-20T15:00:00.000Z", "respond_by": "2026-11-20T15:01:00.000Z",
		"ended_at": "2026-11-20T15:00:01.000Z", "late_at": "2026-11-20T16:00:00.000Z",
		"late_code_bytes": "8", "late_message_bytes": "11",
	}, shown)
}

// TestEventsBuriedBeforeTheMigrationAreListed migrates a file with a buried event back
// to the earlier tables.
func TestEventsBuriedBeforeTheMigrationAreListed(t *testing.T) {
	path := migrated(t)
	store := open(t, path, nil)
	buried(t, store, "a", "b")
	require.NoError(t, store.Close())
	query(t, raw(t, path), withoutTokenSecrets+`DROP VIEW readable_transactions; DROP TABLE transactions; DROP INDEX events_set_aside;
		DROP VIEW readable_reports; DROP TABLE reports; DROP INDEX rate_locks_owner; DROP VIEW readable_audit; DROP TABLE audit; DELETE FROM goose_db_version WHERE version_id >= 5`)

	store = open(t, path, nil)
	page, err := store.DeadLetters().Buried(t.Context(), 0, 10)
	require.NoError(t, err)
	require.Len(t, page, 2)
	for i, id := range []string{"a", "b"} {
		require.Equal(t, id, page[i].ID)
		require.Equal(t, "reason of "+id, page[i].Reason)
		require.EqualValues(t, i+1, page[i].Pos)
	}
	mustTransact(t, store, waiting("acme", "a"))
}
