package postgres_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// unchecked drops the constraints of a table, so that a test can damage rows.
func unchecked(tb testing.TB, dsn, table string) {
	tb.Helper()
	query(tb, dsn, `DO $$ DECLARE c text; BEGIN
		FOR c IN SELECT conname FROM pg_constraint WHERE conrelid = 'corridor.`+table+`'::regclass AND contype = 'c' LOOP
			EXECUTE format('ALTER TABLE corridor.`+table+` DROP CONSTRAINT %I', c);
		END LOOP; END $$`)
}

// TestCorruptTransaction damages one row; other rows must not be affected.
func TestCorruptTransaction(t *testing.T) {
	t.Parallel()
	dsn := migrated(t)
	unchecked(t, dsn, "transactions")
	store := open(t, dsn, nil)
	for name, damage := range map[string]string{
		"an unknown status":         "status = 'secret'",
		"an unknown direction":      "direction = 'secret'",
		"a creation without a time": "created_at = '-infinity'",
		"an endless term":           "respond_by = 'infinity'",
	} {
		t.Run(name, func(t *testing.T) {
			query(t, dsn, "TRUNCATE corridor.transactions, corridor.events")
			damaged := mustTransact(t, store, waiting("acme", "a"))
			neighbour := mustTransact(t, store, failed(waiting("zenith", "a")))
			query(t, dsn, "UPDATE corridor.transactions SET "+damage+" WHERE owner = 'acme'")

			_, err := store.Transactions().Transaction(t.Context(), "acme", "a")
			requireCode(t, errcodes.CorruptRecord, err)
			require.NotContains(t, err.Error(), "secret")
			requireTransaction(t, store, neighbour)
			mustTransact(t, store, landed(neighbour))
			require.NoError(t, store.Ping(t.Context()))
			err = store.Transactions().Save(t.Context(), moveOf(failed(damaged)))
			if strings.HasPrefix(damage, "status") {
				requireCode(t, errcodes.Conflict, err)
			} else {
				require.NoError(t, err, "the record can be ended")
			}
		})
	}
}

// TestConstraintsBoundRawCodesAndMessages writes raw codes and messages without the
// adapter, which rejects longer ones itself (I26).
func TestConstraintsBoundRawCodesAndMessages(t *testing.T) {
	t.Parallel()
	dsn := emptied(t)
	mustTransact(t, open(t, dsn, nil), landed(failed(waiting("acme", "t"))))
	pool := connect(t, dsn, nil)
	for _, column := range []string{"raw_code", "raw_message", "late_code", "late_message"} {
		update := "UPDATE corridor.transactions SET " + column + " = $1"
		query(t, dsn, update, make([]byte, ports.MaxRaw))
		_, err := pool.Exec(t.Context(), update, make([]byte, ports.MaxRaw+1))
		require.ErrorContains(t, err, "transactions_"+column+"_check", column)
	}
	_, err := pool.Exec(t.Context(), "UPDATE corridor.transactions SET version = 0")
	require.ErrorContains(t, err, "transactions_version_check")
	_, err = pool.Exec(t.Context(), "UPDATE corridor.transactions SET code = ''")
	require.ErrorContains(t, err, "transactions_code_check")
	for _, column := range []string{"created_at", "respond_by", "ended_at", "late_at"} {
		_, err := pool.Exec(t.Context(), "UPDATE corridor.transactions SET "+column+" = 'infinity'")
		require.ErrorContains(t, err, "transactions_"+column+"_check", column)
	}
}

// Raw codes and messages may contain personal data, so the view shows only their
// lengths.
func TestTheTransactionViewHidesRawMessages(t *testing.T) {
	t.Parallel()
	dsn := emptied(t)
	tx := landed(failed(waiting("acme\xff", "t_1")))
	tx.Raw = ports.RawFailure{Code: "secret", Message: "secret\x00and more"}
	tx.LateRaw = ports.RawFailure{Code: "secretly", Message: "secret late"}
	mustTransact(t, open(t, dsn, nil), tx)
	shown := readable(t, dsn, "transactions")
	require.NotContains(t, fmt.Sprint(shown), "secret")
	require.Equal(t, map[string]string{
		"owner": `acme\377`, "id": "t_1", "version": "1", "direction": "payin", "status": "FAILED", "code": "declined",
		"raw_code_bytes": "6", "raw_message_bytes": "15", "scheme": "iso8583", "tables": "2026-11",
		"created_at": "2026-11-20 15:00:00+00", "respond_by": "2026-11-20 15:01:00+00",
		"ended_at": "2026-11-20 15:00:01+00", "late_at": "2026-11-20 16:00:00+00",
		"late_code_bytes": "8", "late_message_bytes": "11",
	}, shown)
}

// readable returns the one row of a view as psql shows it.
func readable(tb testing.TB, dsn, table string) map[string]string {
	tb.Helper()
	conn, err := connect(tb, dsn, nil).Acquire(tb.Context())
	require.NoError(tb, err)
	defer conn.Release()
	all := "SET timezone = 'UTC'; SELECT * FROM corridor.readable_" + table //nolint:unqueryvet // all columns are checked
	results, err := conn.Conn().PgConn().Exec(tb.Context(), all).ReadAll()
	require.NoError(tb, err)
	require.Len(tb, results[1].Rows, 1)
	shown := map[string]string{}
	for i, column := range results[1].FieldDescriptions {
		shown[column.Name] = string(results[1].Rows[0][i])
	}
	return shown
}
