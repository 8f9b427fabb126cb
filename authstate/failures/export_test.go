package failures

import "testing"

// WatchTables calls watch for each table that is used, until the test ends.
func WatchTables(t testing.TB, watch func(Scheme)) {
	t.Helper()
	whole := shipped
	t.Cleanup(func() { shipped = whole })
	shipped = make(map[Scheme]func() *table, len(whole))
	for s, load := range whole {
		shipped[s] = func() *table {
			watch(s)
			return load()
		}
	}
}
