package kit

import (
	"fmt"
	"slices"
	"testing"
)

// Check is one requirement on an implementation. Its name becomes the subtest's;
// K is the type that the check works with. Each suite declares a local type based
// on it, because vet requires field names only in literals of imported types.
type Check[K any] struct {
	Name string
	Run  func(k K)
}

// check is satisfied by each suite's type of checks.
type check[K any] interface {
	~struct {
		Name string
		Run  func(k K)
	}
}

// Names returns the names of the checks.
func Names[C check[K], K any](checks []C) []string {
	all := make([]string, 0, len(checks))
	for _, c := range checks {
		all = append(all, Check[K](c).Name)
	}
	return all
}

// Run runs each check as a subtest, except those that except maps to a reason.
// Open returns the value that a check works with; it may skip the check.
func Run[C check[K], K any](t *testing.T, except map[string]string, checks []C, open func(t *testing.T) K) {
	t.Helper()
	CheckExceptions(t, except, Names(checks))
	for _, each := range checks {
		c := Check[K](each)
		t.Run(c.Name, func(t *testing.T) {
			if reason, ok := except[c.Name]; ok {
				t.Skip("excepted: " + reason)
			}
			c.Run(open(t))
		})
	}
}

// One runs only the named check, for the tests of the suites themselves.
func One[C check[K], K any](suite string, checks []C, name string, k K) {
	i := slices.Index(Names(checks), name)
	if i < 0 {
		panic(fmt.Sprintf("%s has no check %q", suite, name)) // a failure would look as if the check had caught the flaw
	}
	Check[K](checks[i]).Run(k)
}

// CheckExceptions reports exceptions that name an unknown check or have no reason.
func CheckExceptions(tb testing.TB, except map[string]string, names []string) {
	tb.Helper()
	for name, reason := range except {
		if !slices.Contains(names, name) {
			tb.Errorf("Except: unknown check %q", name)
		}
		if reason == "" {
			tb.Errorf("Except: the reason for check %q is empty", name)
		}
	}
}
