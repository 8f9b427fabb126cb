package postgres_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// unchecked drops the constraints of a table, as damage disregards them.
func unchecked(tb testing.TB, dsn, table string) {
	tb.Helper()
	query(tb, dsn, `DO $$ DECLARE c text; BEGIN
		FOR c IN SELECT conname FROM pg_constraint WHERE conrelid = 'corridor.`+table+`'::regclass AND contype = 'c' LOOP
			EXECUTE format('ALTER TABLE corridor.`+table+` DROP CONSTRAINT %I', c);
		END LOOP; END $$`)
}

// TestCorruptTransaction damages one row; the neighbours must not notice.
func TestCorruptTransaction(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]string{
		"a status that there is not":    "status = 'secret'",
		"a direction that there is not": "direction = 'secret'",
		"a creation without a time":     "created_at = '-infinity'",
		"an endless term":               "respond_by = 'infinity'",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn := migrated(t)
			store := open(t, dsn, nil)
			damaged := mustTransact(t, store, waiting("acme", "a"))
			neighbour := mustTransact(t, store, failed(waiting("zenith", "a")))
			unchecked(t, dsn, "transactions")
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
				require.NoError(t, err, "it can be ended")
			}
		})
	}
}

// TestConstraintsBackTheRulesOfTransactions writes impossible transactions past
// the domain, new ones and changes (I25, I26, I27).
func TestConstraintsBackTheRulesOfTransactions(t *testing.T) {
	dsn := migrated(t)
	store := open(t, dsn, nil)
	end := func(tx *ports.Transaction) { *tx = failed(*tx) }
	stored := mustTransact(t, store, waiting("acme", "stored"))
	for name, spoil := range map[string]func(tx *ports.Transaction){
		"a status that there is not":    func(tx *ports.Transaction) { end(tx); tx.Status, tx.Code = "PAID", "" },
		"no status":                     func(tx *ports.Transaction) { end(tx); tx.Status, tx.Code = "", "" },
		"a direction that there is not": func(tx *ports.Transaction) { tx.Direction = "sideways" },
		"no direction":                  func(tx *ports.Transaction) { tx.Direction = "" },
		"an end but pending":            func(tx *ports.Transaction) { tx.EndedAt = epoch },
		"ended without an end":          func(tx *ports.Transaction) { end(tx); tx.EndedAt = time.Time{} },
		"succeeded without an end":      func(tx *ports.Transaction) { tx.Status = ports.TransactionSucceeded },
		"a code but pending":            func(tx *ports.Transaction) { tx.Code = errcodes.FailureDeclined },
		"a code of a success":           func(tx *ports.Transaction) { end(tx); tx.Status = ports.TransactionSucceeded },
		"failed without a code":         func(tx *ports.Transaction) { end(tx); tx.Code = "" },
		"errored without a code":        func(tx *ports.Transaction) { end(tx); tx.Status, tx.Code = ports.TransactionErrored, "" },
		"words but pending":             func(tx *ports.Transaction) { tx.Raw.Code = "51" },
		"a message but pending":         func(tx *ports.Transaction) { tx.Raw.Message = "no" },
		"a late payment but pending":    func(tx *ports.Transaction) { *tx = landed(*tx) },
		"a late payment of a success": func(tx *ports.Transaction) {
			*tx = landed(failed(*tx))
			tx.Status, tx.Code = ports.TransactionSucceeded, ""
		},
		"a late code without a payment":    func(tx *ports.Transaction) { end(tx); tx.Late.Raw.Code = "00" },
		"a late message without a payment": func(tx *ports.Transaction) { end(tx); tx.Late.Raw.Message = "landed" },
	} {
		t.Run(name, func(t *testing.T) {
			for _, tx := range []ports.Transaction{waiting("acme", "new"), stored} {
				spoil(&tx)
				requireCode(t, errcodes.CorruptRecord, store.Transactions().Save(t.Context(), moveOf(tx)))
			}
			_, err := store.Transactions().Transaction(t.Context(), "acme", "new")
			requireCode(t, errcodes.NotFound, err)
			requireTransaction(t, store, stored)
		})
	}
	require.Empty(t, storedEvents(t, dsn))
}

// TestConstraintsBoundRaws writes words past the adapter, which refuses longer
// ones itself (I26).
func TestConstraintsBoundRaws(t *testing.T) {
	t.Parallel()
	dsn := migrated(t)
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

// TestAPersonReadsNoRawWords asks the view what psql would: a provider's words
// may hold personal data, so that it shows how long they are.
func TestAPersonReadsNoRawWords(t *testing.T) {
	t.Parallel()
	dsn := migrated(t)
	tx := landed(failed(waiting("acme\xff", "t_1")))
	tx.Raw = ports.RawFailure{Code: "secret", Message: "secret\x00and more"}
	tx.Late.Raw = ports.RawFailure{Code: "secretly", Message: "secret late"}
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

// readable gives the one row of a view as psql shows it.
func readable(tb testing.TB, dsn, table string) map[string]string {
	tb.Helper()
	conn, err := connect(tb, dsn, nil).Acquire(tb.Context())
	require.NoError(tb, err)
	defer conn.Release()
	all := "SET timezone = 'UTC'; SELECT * FROM corridor.readable_" + table //nolint:unqueryvet // whatever it shows is judged
	results, err := conn.Conn().PgConn().Exec(tb.Context(), all).ReadAll()
	require.NoError(tb, err)
	require.Len(tb, results[1].Rows, 1)
	shown := map[string]string{}
	for i, column := range results[1].FieldDescriptions {
		shown[column.Name] = string(results[1].Rows[0][i])
	}
	return shown
}
