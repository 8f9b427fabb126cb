// Package broken contains what the tests of the suites share: for each check they
// have a broken adapter that it must catch.
//
//	r := broken.Record(t, func(tb testing.TB) { kit.One("Clock", checks, name, open(tb)) })
//	if !r.Failed() {
//		t.Errorf("the check %q did not catch it", name)
//	}
package broken
