package kit

import (
	"slices"
	"testing"
)

// Check is one thing that an implementation must do. Its name is what a report
// says; K is what the check works with. A suite declares a type of its own on it,
// for whose literals vet wants no names of fields.
type Check[K any] struct {
	Name string
	Run  func(k K)
}

// check is any suite's type of checks.
type check[K any] interface {
	~struct {
		Name string
		Run  func(k K)
	}
}

// Names lists the names of the checks.
func Names[C check[K], K any](checks []C) []string {
	all := make([]string, 0, len(checks))
	for _, c := range checks {
		all = append(all, Check[K](c).Name)
	}
	return all
}

// Run runs each check as a subtest, but for those that except names with a
// reason. Open makes what a check works with; it may skip the check.
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

// One runs the check of that name alone, for the tests of the suites themselves.
func One[C check[K], K any](tb testing.TB, suite string, checks []C, name string, k K) {
	tb.Helper()
	i := slices.Index(Names(checks), name)
	if i < 0 {
		tb.Fatalf("%s has no check %q", suite, name)
	}
	Check[K](checks[i]).Run(k)
}

// CheckExceptions reports exceptions that name no check or carry no reason.
func CheckExceptions(tb testing.TB, except map[string]string, names []string) {
	tb.Helper()
	for name, reason := range except {
		if !slices.Contains(names, name) {
			tb.Errorf("Except names %q, which is no check of this suite", name)
		}
		if reason == "" {
			tb.Errorf("Except gives no reason for %q", name)
		}
	}
}
