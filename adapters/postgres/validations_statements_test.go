package postgres_test

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/storemodel"
)

// lossAtStatement arms a network at the statement of that number.
type lossAtStatement struct {
	of    *losing
	armAt int
}

func (s *lossAtStatement) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	if s.armAt--; s.armAt == 0 {
		s.of.arm()
	}
	return ctx
}

func (s *lossAtStatement) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// statements records the statements of a pool.
type statements struct {
	mu  sync.Mutex
	all []pgx.TraceQueryStartData
}

func (s *statements) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, q)
	return ctx
}

func (s *statements) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// of returns the statements of the call.
func (s *statements) of(tb testing.TB, call func() error) []pgx.TraceQueryStartData {
	tb.Helper()
	s.mu.Lock()
	s.all = nil
	s.mu.Unlock()
	require.NoError(tb, call())
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all
}

// count returns the number of statements since the last call of of.
func (s *statements) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.all)
}

func (s *statements) trace(c *pgxpool.Config) { c.ConnConfig.Tracer = s }

// accountCall is a call of a port, the number of statements that it may run, and the
// indexes by which they read.
type accountCall struct {
	name       string
	statements int
	indexes    []string
	call       func() error
}

func accountCalls(ctx context.Context, store *postgres.Store) []accountCall {
	v, a, tokens := store.Validations(), store.Answers(), store.Tokens()
	key, hash, r := [32]byte{2}, [32]byte{2}, pendingAt("acme", "v")
	after := ports.Pos{At: epoch, ID: "v 5000"}
	errOf := func(_ any, err error) error { return err }
	return []accountCall{
		{"a new validation", 1, nil, func() error { return v.Save(ctx, withEvent(r)) }},
		{"an ended validation", 1, nil, func() error { return v.Save(ctx, withEvent(endedWith(pendingAt("acme", "w"), ports.StatusVerified))) }},
		{"a change", 1, []string{"validations_pkey"}, func() error {
			r.Version = 1
			return v.Save(ctx, withEvent(endedWith(r, ports.StatusVerified)))
		}},
		{"Validation", 1, []string{"validations_pkey"}, func() error { return errOf(v.Validation(ctx, "acme", "v")) }},
		{"Overdue", 1, []string{"validations_overdue"}, func() error { return errOf(v.Overdue(ctx, epoch, after, 100)) }},
		{"PurgeValidations", 1, []string{"validations_pkey", "validations_purge"}, func() error { return errOf(v.PurgeValidations(ctx, epoch, 100)) }},
		{"PutAnswer", 1, nil, func() error {
			return a.PutAnswer(ctx, ports.CachedAnswer{Key: key, At: epoch, ExpiresAt: epoch.AddDate(9, 0, 0)})
		}},
		{"Answer", 1, []string{"cached_answers_pkey"}, func() error { return errOf(a.Answer(ctx, key)) }},
		{"Claim", 1, []string{"answer_claims_pkey"}, func() error { return errOf(a.Claim(ctx, key, "h", epoch, epoch.AddDate(9, 0, 0))) }},
		{"Release", 1, []string{"answer_claims_pkey"}, func() error { return a.Release(ctx, key, "h") }},
		{
			"PurgeAnswers", 1, []string{"answer_claims_pkey", "answer_claims_until", "cached_answers_expiry", "cached_answers_pkey"},
			func() error { return errOf(a.PurgeAnswers(ctx, epoch, 100)) },
		},
		{"PutToken", 4, []string{"tokens_client", "tokens_pkey"}, func() error {
			return tokens.PutToken(ctx, ports.Token{SHA256: hash, IssuedAt: epoch, ExpiresAt: epoch}, 10)
		}},
		{"Token", 1, []string{"tokens_pkey"}, func() error { return errOf(tokens.Token(ctx, hash)) }},
		{"Revoke", 1, []string{"tokens_pkey"}, func() error { return tokens.Revoke(ctx, hash, storemodel.AuditRow) }},
		{"RevokeAll", 1, []string{"tokens_client"}, func() error { return errOf(tokens.RevokeAll(ctx, "acme", storemodel.AuditRow)) }},
		{"PurgeTokens", 1, []string{"tokens_expiry", "tokens_pkey"}, func() error { return errOf(tokens.PurgeTokens(ctx, epoch, 100)) }},
		{"PutClient", 1, nil, func() error { return store.Clients().PutClient(ctx, ports.Client{ID: "acme"}, storemodel.AuditRow) }},
		{"Client", 1, []string{"clients_pkey"}, func() error { return errOf(store.Clients().Client(ctx, "acme")) }},
		{"a new secret", 3, []string{"secrets_pkey"}, func() error { return errOf(store.Secrets().Secret(ctx, "s", make([]byte, 16))) }},
		{"an existing secret", 1, []string{"secrets_pkey"}, func() error { return errOf(store.Secrets().Secret(ctx, "s", make([]byte, 16))) }},
	}
}

// crowded inserts 10,000 rows into every table of accounts, half of them due.
const crowded = `
INSERT INTO corridor.validations SELECT convert_to('v ' || i, 'UTF8'), 'acme', 1, '', 'NGA', 'bank_account', NULL,
	CASE i % 2 WHEN 0 THEN 'pending' ELSE 'verified' END, 'p', CASE i % 2 WHEN 1 THEN 'external' END, NULL, false, NULL, 0, '',
	t, t, CASE i % 2 WHEN 1 THEN t END, NULL, t, 'k', decode(repeat('a5', 250), 'hex')
	FROM (SELECT i, timestamptz '2026-11-20 15:00Z' + (i - 5000) * interval '1 second' AS t FROM generate_series(1, 10000) i) s;
INSERT INTO corridor.tokens (sha256, client_id, issued_at, expires_at, secret_sha256)
	SELECT sha256(id), id, created_at, deadline, sha256(id) FROM corridor.validations;
INSERT INTO corridor.cached_answers SELECT sha256(id), 'p', created_at, deadline, 'k', sealed FROM corridor.validations;
INSERT INTO corridor.answer_claims SELECT sha256(id), 'h', deadline FROM corridor.validations;
INSERT INTO corridor.clients SELECT id, false, '{}', '{}', '{}', '{}' FROM corridor.validations;
INSERT INTO corridor.secrets SELECT id, decode(repeat('a5', 16), 'hex') FROM corridor.validations;
ANALYZE;`

// TestAccountCallsAreOneStatementByAnIndex counts the statements of each call and checks
// their plans among 10,000 rows, with their values and generic.
func TestAccountCallsAreOneStatementByAnIndex(t *testing.T) {
	t.Parallel()
	dsn := migrated(t)
	query(t, dsn, crowded)
	traced := &statements{}
	store := on(t, connect(t, dsn, traced.trace), nil)
	conn, err := connect(t, dsn, nil).Acquire(t.Context())
	require.NoError(t, err)
	defer conn.Release()
	_, err = conn.Exec(t.Context(), "SET plan_cache_mode = force_generic_plan")
	require.NoError(t, err)
	for _, c := range accountCalls(t.Context(), store) {
		asked := traced.of(t, c.call)
		require.Len(t, asked, c.statements, c.name)
		for i, q := range asked {
			if c.statements == 3 && i == 1 || c.statements == 4 && i != 2 {
				continue // a new secret is inserted between two reads; a token is put in a transaction, after a lock
			}
			requireIndexes(t, c, planText(t, conn.Conn(), "EXPLAIN "+q.SQL, q.Args...))
			name := "q" + strconv.Itoa(i) + regexp.MustCompile(`\W`).ReplaceAllString(c.name, "_")
			_, err := conn.Exec(t.Context(), "PREPARE "+name+" AS "+q.SQL)
			require.NoError(t, err)
			args := strings.TrimSuffix(strings.Repeat("NULL,", len(q.Args)), ",")
			requireIndexes(t, c, planText(t, conn.Conn(), "EXPLAIN EXECUTE "+name+"("+args+")"))
		}
	}
}

var planned = regexp.MustCompile(`(?:using|on) (\w+_(?:pkey|overdue|purge|expiry|until|client))`)

func requireIndexes(tb testing.TB, c accountCall, plan string) {
	tb.Helper()
	used := map[string]bool{}
	for _, m := range planned.FindAllStringSubmatch(plan, -1) {
		used[m[1]] = true
	}
	var names []string
	for name := range used {
		names = append(names, name)
	}
	require.ElementsMatch(tb, c.indexes, names, "%s:\n%s", c.name, plan)
	require.NotContains(tb, plan, "Seq Scan", c.name)
	require.NotContains(tb, plan, "Sort", c.name)
}

func planText(tb testing.TB, conn *pgx.Conn, sql string, args ...any) string {
	tb.Helper()
	rows, err := conn.Query(tb.Context(), sql, args...)
	require.NoError(tb, err)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(tb, err, sql)
	return strings.Join(lines, "\n")
}
