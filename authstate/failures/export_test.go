package failures

import "testing"

// WatchTables tells watch of each scheme whose table is asked, until the test
// ends.
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
