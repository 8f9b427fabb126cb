// Package pgtest gives tests a PostgreSQL of their own. A package whose tests
// want databases says so once, and each test then asks for a fresh one:
//
//	func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.Main(m)) }
//
//	var schema = pgtest.NewTemplate(func(ctx context.Context, dsn string) error {
//		return postgres.Migrate(ctx, dsn)
//	})
//
//	func TestStore(t *testing.T) {
//		t.Parallel()
//		dsn := pgtest.Database(t, schema) // a copy of the migrated database, dropped after the test
//		…
//	}
//
// # Where the server comes from
//
// The first [Database] of a test process starts a cluster from the machine's own
// binaries, in under two seconds, and [Main] stops it. Binaries are looked for in
// PATH, in /usr/lib/postgresql/*/bin (the newest), and where pg_config says. A
// cluster listens on a socket in a folder that only its owner may enter, and
// never on a network address; nothing of it survives the test process, even one
// that is killed. Under root it runs as an unprivileged user, as PostgreSQL asks.
//
// With CORRIDOR_TEST_POSTGRES, the URL or keyword string of a server where
// databases may be created, that server is used instead. Names of databases are
// unique, so that processes may share it.
//
// With neither, tests are skipped and say so; with CORRIDOR_REQUIRE_POSTGRES=1,
// as .ci/run sets it, they fail instead.
//
// # Clusters to break
//
// [New] starts a cluster for one test, from binaries always. It takes [Options],
// such as Durable for what must outlive a crash or stand in a measurement:
//
//	c := pgtest.New(t, &pgtest.Options{Durable: true})
//	dsn := c.Database(t, schema)
//	…
//	err := c.KillPostmaster() // as kill -9 does
//	err = c.Start()           // crash recovery; dsn is good again
//
// [Cluster.Stop], [Cluster.Pause] and [Cluster.Resume] are the milder faults.
//
// # Connections to break
//
// A [Proxy] stands between client and server and cuts where it is told, so that
// a loss at each message of an operation is a loop:
//
//	for k := 1; ; k++ {
//		fault := proxy.Arm(pgtest.Fault{Of: pgtest.Client, Messages: k})
//		err := operation(proxy.DSN())
//		if !fault.Disarm() {
//			break // the operation has fewer than k messages
//		}
//		fault.Wait() // the server is done with what reached it
//		… err says so, and the database holds all of the operation or none
//	}
//
// The package imports nothing but pgx beside the standard library, keeps no
// goroutine of its own but a Proxy's, and is for test files only.
package pgtest
