// Package pgtest provides PostgreSQL databases for tests. A package calls [Main] in
// its TestMain, and each test asks for a fresh database:
//
//	func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.Main(m)) }
//
//	var schema = pgtest.NewTemplate(func(ctx context.Context, dsn string) error {
//		return postgres.Migrate(ctx, dsn)
//	})
//
//	func TestStore(t *testing.T) {
//		t.Parallel()
//		dsn := pgtest.Database(t, schema) // a copy of the migrated database, dropped when the test ends
//		…
//	}
//
// A copy takes longer than most tests. [Template.EmptiedBy] makes a template whose databases
// are emptied and used again.
//
// # Where the server comes from
//
// The first [Database] of a test process starts a cluster from the machine's
// binaries in under two seconds, and [Main] stops it. The binaries are those in PATH,
// the newest in /usr/lib/postgresql/*/bin, or those that pg_config names. A cluster
// listens on a socket in a folder that only its owner may enter, never on a network
// address. Nothing of it remains after the test process, even if that is killed.
// PostgreSQL does not run as root; under root, the cluster runs as another user.
//
// If CORRIDOR_TEST_POSTGRES is set to the URL or keyword string of a server where
// databases may be created, that server is used instead. Names of databases are
// unique, so that processes may share it.
//
// Without binaries and without CORRIDOR_TEST_POSTGRES, tests are skipped with a
// message. With CORRIDOR_REQUIRE_POSTGRES=1, which .ci/run sets, they fail instead.
//
// # Stopping and killing clusters
//
// [New] starts a cluster for one test, always from binaries. It takes [Options], such
// as Durable for data that must survive a crash and for measurements:
//
//	c := pgtest.New(t, &pgtest.Options{Durable: true})
//	dsn := c.Database(t, schema)
//	…
//	err := c.KillPostmaster() // like kill -9
//	err = c.Start()           // crash recovery; dsn works again
//
// [Cluster.Stop], [Cluster.Pause] and [Cluster.Resume] are milder faults.
//
// # Cutting connections
//
// A [Proxy] between client and server cuts connections, so that a loop can cut an
// operation at each of its messages:
//
//	for k := 1; ; k++ {
//		fault := proxy.Arm(pgtest.Fault{Of: pgtest.Client, Messages: k})
//		err := operation(proxy.DSN())
//		if !fault.Disarm() {
//			break // the operation has fewer than k messages
//		}
//		fault.Wait() // the server has processed what reached it
//		… check err, and that the database contains all of the operation or nothing
//	}
//
// The package imports only pgx and the standard library, starts goroutines only in a
// Proxy, and is for test files only.
package pgtest
