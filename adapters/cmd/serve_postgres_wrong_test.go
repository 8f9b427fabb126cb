package cmd

import (
	"database/sql"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
)

// listener accepts connections on this machine and calls the function for each.
func listener(t *testing.T, treat func(net.Conn)) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			treat(conn)
		}
	}()
	t.Cleanup(func() { require.NoError(t, l.Close()); <-ended })
	return l.Addr().String()
}

// refusing is a server that rejects every password.
func refusing(t *testing.T) (address string) {
	t.Helper()
	return listener(t, func(conn net.Conn) {
		defer func() { _ = conn.Close() }()
		b := pgproto3.NewBackend(conn, conn)
		if _, err := b.ReceiveStartupMessage(); err != nil {
			return
		}
		b.Send(&pgproto3.ErrorResponse{
			Severity: "FATAL", SeverityUnlocalized: "FATAL", Code: "28P01", Message: `password authentication failed for user "canaryrole"`,
		})
		_ = b.Flush()
	})
}

// silent is a server that accepts connections and sends nothing.
func silent(t *testing.T) (address string) {
	t.Helper()
	var open []net.Conn
	address = listener(t, func(conn net.Conn) { open = append(open, conn) })
	t.Cleanup(func() {
		for _, conn := range open {
			_ = conn.Close()
		}
	})
	return address
}

// rightless creates a role that may only log in, and returns the store's URL for that
// role.
func rightless(t *testing.T, store, role string) string {
	t.Helper()
	alter(t, store, "CREATE ROLE "+role+" LOGIN")
	t.Cleanup(func() { alter(t, pgtest.Server(t).DSN(), "DROP ROLE "+role) })
	return strings.Replace(store, "user=postgres", "user="+role, 1)
}

// One line has the reason, without a password. Nothing is started.
func TestUnusableDatabasesAreRejected(t *testing.T) {
	t.Parallel()
	good, newer, bare := shared.empty(t), withPool(pgtest.Database(t, tables), "6"), withPool(pgtest.Database(t, nil), "6")
	alter(t, newer, `INSERT INTO schema_versions (version_id, is_applied) VALUES (999, true)`)
	for name, c := range map[string]struct{ store, says string }{
		"an invalid port":                  {"postgres://canaryrole:canarypass@127.0.0.1:nowhere/corridor", "not a valid PostgreSQL URL"},
		"a broken escape":                  {"postgres://canaryrole:canarypass%zz@127.0.0.1/corridor", "not a valid PostgreSQL URL"},
		"an unknown sslmode":               {"postgres://canaryrole:canarypass@127.0.0.1/corridor?sslmode=canary", "not a valid PostgreSQL URL"},
		"an invalid pool size":             {"postgres://canaryrole:canarypass@127.0.0.1/corridor?pool_max_conns=canary", "not a valid PostgreSQL URL"},
		"a closed port":                    {"postgres://canaryrole:canarypass@127.0.0.1:1/corridor", "no answer"},
		"a closed port, long scheme":       {"postgresql://canaryrole:canarypass@127.0.0.1:1/corridor", "no answer"},
		"no such host":                     {"postgres://canaryrole:canarypass@none.invalid/corridor?connect_timeout=2", "no answer"},
		"a silent server":                  {"postgres://canaryrole:canarypass@" + silent(t) + "/corridor?connect_timeout=1&password=canarytoo", ""},
		"a wrong password":                 {"postgres://canaryrole:canarypass@" + refusing(t) + "/corridor?sslmode=disable", "password"},
		"no such database":                 {strings.Replace(good, "/corridor_test", "/none", 1), "does not exist"},
		"no such role":                     {strings.Replace(good, "user=postgres", "user=canaryrole&password=canarypass", 1), "rejects this role"},
		"a role without rights":            {rightless(t, good, "corridor_test_rightless"), "lacks a right"},
		"a role that cannot create tables": {rightless(t, bare, "corridor_test_poor"), "lacks a right"},
		"a newer version":                  {newer, "newer version"},
		"a pool too small":                 {withPool(newer[:strings.LastIndex(newer, "/")]+strings.TrimPrefix(good, newer[:strings.LastIndex(newer, "/")]), "3"), "want at least 4"},
	} {
		for _, verb := range [][]string{{"serve", "--sandbox", "--listen", "127.0.0.1:0"}, {"migrate"}, {"events", "buried"}} {
			if name == "a pool too small" && verb[0] == "events" {
				continue // it needs no queue
			}
			t.Run(name+", "+verb[0], func(t *testing.T) {
				t.Parallel()
				code, out, errs := command(t, "", nil, append(verb, "--store", c.store)...)
				require.Equal(t, exitRejected, code, errs)
				require.Empty(t, out)
				require.Equal(t, 1, strings.Count(errs, "\n"), errs)
				require.Contains(t, errs, "--store postgres")
				says := c.says
				if name == "a role that cannot create tables" && verb[0] == "events" {
					says = "does not have corridor's tables" // it does not try to create them
				}
				require.Contains(t, errs, says)
				for _, secret := range []string{"canarypass", "canarytoo"} {
					require.NotContains(t, errs, secret)
				}
			})
		}
	}
}

// A password may be anywhere in it.
func TestAMistypedStoreIsNotPrinted(t *testing.T) {
	t.Parallel()
	for _, store := range []string{
		"host=127.0.0.1 port=1 user=canaryrole password=canarypass dbname=corridor",
		"host=127.0.0.1 password=canarypass options=-c:x",
		"postgres:canaryrole:canarypass@127.0.0.1:1/corridor",
		"postgres:///canaryrole:canarypass@127.0.0.1:1/corridor",
		"postgres://127.0.0.1:1#canarypass@127.0.0.1:1/corridor",
		"postgres://127.0.0.1:1/canarypass@127.0.0.1:1/corridor",
		"postgres://127.0.0.1:1?canarypass@127.0.0.1:1/corridor",
		"mysql://canaryrole:canarypass@127.0.0.1:1/corridor",
	} {
		code, _, errs := command(t, "", nil, "migrate", "--store", store)
		require.Equal(t, exitRejected, code, errs)
		require.NotContains(t, errs, "canarypass")
	}
}

// locked holds a lock that every request waits for until it is released.
func locked(t *testing.T, store string) (release func()) {
	t.Helper()
	db, err := sql.Open("pgx", strings.Replace(store, "pool_max_conns=4", "application_name=lock", 1))
	require.NoError(t, err)
	tx, err := db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	_, err = tx.Exec(`LOCK TABLE corridor.books IN ACCESS EXCLUSIVE MODE`)
	require.NoError(t, err)
	release = sync.OnceFunc(func() {
		require.NoError(t, tx.Rollback())
		require.NoError(t, db.Close())
	})
	t.Cleanup(release)
	return release
}
