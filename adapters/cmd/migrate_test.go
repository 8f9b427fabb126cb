package cmd

import (
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
)

func TestMigrateCreatesAndUpgradesTables(t *testing.T) {
	path := filepath.Join(t.TempDir(), "corridor.db")
	for range 2 {
		code, out, errs := command(t, "", nil, "migrate", "--store", "sqlite:"+path)
		require.Zero(t, code, errs)
		require.Contains(t, out, "up to date")
	}
	code, out, errs := command(t, "", nil, "migrate", "--json", "--store", "sqlite:"+path)
	require.Zero(t, code, errs)
	require.JSONEq(t, `{"store":"sqlite:`+path+`","upToDate":true}`, out)
	code, _, _ = command(t, "", nil, "migrate", "--store", "sqlite:"+path+"/below")
	require.Equal(t, exitRejected, code)
}

// Migrations can be repeated and run concurrently, with either name of the scheme, and no
// password is printed.
func TestMigrateCanBeRepeatedOnADatabase(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t, nil) + "&password=canarypass"
	long := strings.Replace(dsn, "postgres:", "postgresql:", 1)
	var all sync.WaitGroup
	for _, store := range []string{dsn, long} {
		all.Go(func() {
			code, out, errs := command(t, "", nil, "migrate", "--store", store)
			assert.Zero(t, code, errs)
			assert.Empty(t, errs)
			assert.Regexp(t, `^up to date: postgres(ql)?:///corridor_test_\w+\n$`, out)
		})
	}
	all.Wait()
	require.Equal(t, 1, rows(t, dsn, `SELECT count(*) FROM pg_tables WHERE tablename = 'rate_locks'`))
	code, out, errs := command(t, "", nil, "events", "buried", "--store", long)
	require.Zero(t, code, errs)
	require.Empty(t, out+errs)
	s := serveAcme(t, "--sandbox", "--store", long+"&pool_max_conns=6")
	status, _ := s.lock("USD", "ZAR")
	require.Equal(t, http.StatusCreated, status)
	require.InDelta(t, 2*6, s.metric("corridor_store_connections_max"), 0)
	s.eventually(func() bool { return s.metric(`corridor_jobs_total{kind="events_1",outcome="done"}`) > 0 }, "no queue")
	require.Zero(t, s.stop(), s.log)
	require.NotContains(t, s.log.String(), "canarypass")
}
