package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/storemodel"
)

// Somebody with psql writes what the store never does. What a row cannot contain cannot
// break a listing.
func TestTheTablesRejectBadRows(t *testing.T) {
	t.Parallel()
	dsn := emptied(t)
	store := open(t, dsn, nil)
	r := saved(t, store, pendingAt("acme", "a"))
	require.NoError(t, store.Tokens().PutToken(t.Context(), ports.Token{SHA256: [32]byte{1}, ClientID: "acme", IssuedAt: epoch, ExpiresAt: epoch}, 10))
	require.NoError(t, store.Clients().PutClient(t.Context(), ports.Client{ID: "acme", Secrets: []ports.ClientSecret{{}}, Merchants: []string{"m"}}, storemodel.AuditRow))
	require.NoError(t, store.Answers().PutAnswer(t.Context(), ports.CachedAnswer{At: epoch, ExpiresAt: epoch}))
	won, err := store.Answers().Claim(t.Context(), [32]byte{}, "h", epoch, epoch)
	require.NoError(t, err)
	require.True(t, won)
	_, err = store.Secrets().Secret(t.Context(), "s", make([]byte, 16))
	require.NoError(t, err)
	pool := connect(t, dsn, nil)
	for _, change := range []string{
		"validations SET version = 0",
		"validations SET created_at = '-infinity'", "validations SET deadline = 'infinity'", "validations SET purge_at = 'infinity'",
		"validations SET status = 'verified', type = 'external', ended_at = 'infinity'", "validations SET expires_at = 'infinity'",
		"tokens SET sha256 = '\\x00'", "tokens SET issued_at = '-infinity'", "tokens SET expires_at = 'infinity'",
		"clients SET secrets = '{\"\\\\x00\"}'", "clients SET secrets = '{NULL}'", "clients SET merchants = '{NULL}'", "clients SET secrets = '{}'",
		"clients SET not_before = '{infinity}'", "clients SET not_after = '{-infinity}'", "clients SET not_before = '{}'", "clients SET not_after = '{NULL,NULL}'",
		"cached_answers SET key = '\\x00'", "cached_answers SET at = 'infinity'", "cached_answers SET expires_at = 'infinity'",
		"answer_claims SET key = '\\x00'", "answer_claims SET holder = ''", "answer_claims SET holder = decode(repeat('00', 65), 'hex')",
		"answer_claims SET until = 'infinity'",
		"secrets SET name = ''", "secrets SET secret = '\\x00'", "secrets SET secret = decode(repeat('00', 1025), 'hex')",
	} {
		_, err := pool.Exec(t.Context(), "UPDATE corridor."+change)
		require.ErrorContains(t, err, "violates check constraint", change)
	}
	requireKept(t, store, r)

	query(t, dsn, "UPDATE corridor.validations SET deadline = deadline + interval '123 microseconds'")
	requireKept(t, store, r) // times are stored to the millisecond, so that a page starts after the last one
}

// TestCorruptValidation sets the status of one row to an unknown one; other rows must not
// be affected.
func TestCorruptValidation(t *testing.T) {
	t.Parallel()
	dsn := migrated(t)
	store := open(t, dsn, nil)
	damaged := saved(t, store, pendingAt("acme", "a"))
	neighbour := saved(t, store, pendingAt("acme", "b"))
	query(t, dsn, "ALTER TABLE corridor.validations DROP CONSTRAINT validations_status_check, DROP CONSTRAINT validations_check, DROP CONSTRAINT validations_check1")
	query(t, dsn, "UPDATE corridor.validations SET status = 'paid' WHERE id = 'a'")

	_, err := store.Validations().Validation(t.Context(), "acme", "a")
	requireCode(t, errcodes.CorruptRecord, err)
	require.NotContains(t, err.Error(), "paid")
	requireCode(t, errcodes.Conflict, store.Validations().Save(t.Context(), withEvent(endedWith(damaged, ports.StatusError))))

	requireKept(t, store, neighbour)
	overdue, err := store.Validations().Overdue(t.Context(), neighbour.Deadline, ports.Pos{}, 10)
	require.NoError(t, err)
	require.Equal(t, []ports.ValidationRecord{neighbour}, overdue)
	saved(t, store, endedWith(neighbour, ports.StatusVerified))
	purged, err := store.Validations().PurgeValidations(t.Context(), neighbour.PurgeAt, 10)
	require.NoError(t, err)
	require.Equal(t, 2, purged)
}

// TestTheAccountViewsAreReadable queries the views as a person would.
func TestTheAccountViewsAreReadable(t *testing.T) {
	t.Parallel()
	dsn := migrated(t)
	store := open(t, dsn, nil)
	saved(t, store, pendingAt("acme", "v_1"))
	require.NoError(t, store.Clients().PutClient(t.Context(), ports.Client{
		ID: "acme", Merchants: []string{"m-2", "m-1"},
		Secrets: []ports.ClientSecret{{SHA256: [32]byte{1}, NotAfter: epoch}, {SHA256: [32]byte{2}}},
	}, storemodel.AuditRow))
	require.NoError(t, store.Tokens().PutToken(t.Context(), ports.Token{ClientID: "acme", IssuedAt: epoch, ExpiresAt: epoch}, 10))
	require.NoError(t, store.Answers().PutAnswer(t.Context(), ports.CachedAnswer{Key: [32]byte{255}, Provider: "paystack", At: epoch, ExpiresAt: epoch}))
	_, err := store.Answers().Claim(t.Context(), [32]byte{254}, "h", epoch, epoch)
	require.NoError(t, err)
	for sql, want := range map[string][]string{
		"SELECT concat_ws(' ', id, owner, country, status, sealed_bytes, deadline = '2026-11-20 15:00:30Z') FROM corridor.readable_validations": {"v_1 acme NGA pending 13 t"},
		"SELECT concat_ws(' ', id, disabled, secrets, merchants) FROM corridor.readable_clients":                                                {"acme f 2 {m-2,m-1}"},
		"SELECT concat_ws(' ', client_id, position, left(sha256, 4), not_after = '2026-11-20 15:00Z') FROM corridor.readable_client_secrets":    {"acme 1 0100 t", "acme 2 0200"},
		"SELECT concat_ws(' ', seq, client = '', act, at = '2026-11-20 15:00Z') FROM corridor.readable_audit":                                   {"1 t test.write t"},
		"SELECT client_id FROM corridor.readable_tokens":                                                                                        {"acme"},
		"SELECT left(key, 4) || provider FROM corridor.readable_cached_answers":                                                                 {"ff00paystack"},
		"SELECT left(key, 4) || holder FROM corridor.readable_answer_claims":                                                                    {"fe00h"},
	} {
		require.Equal(t, want, column(t, dsn, sql), sql)
	}
}
