// Package planted runs a check on planted bugs, because a check that cannot fail proves
// nothing.
//
//	require.True(t, planted.Fails(func(t rapid.TB) { check(t, brokenStore) }))
package planted

import (
	"fmt"
	"runtime"

	"pgregory.net/rapid"
)

// recorder records a failure instead of failing the surrounding test.
type recorder struct {
	rapid.TB
	failed bool
}

func (r *recorder) Helper()                           {}
func (r *recorder) Name() string                      { return "planted" }
func (r *recorder) Logf(string, ...any)               {}
func (r *recorder) Log(...any)                        {}
func (r *recorder) Errorf(string, ...any)             { r.failed = true }
func (r *recorder) Error(...any)                      { r.failed = true }
func (r *recorder) Fail()                             { r.failed = true }
func (r *recorder) Failed() bool                      { return r.failed }
func (r *recorder) FailNow()                          { r.failed = true; runtime.Goexit() }
func (r *recorder) Fatalf(format string, args ...any) { r.Errorf(format, args...); runtime.Goexit() }
func (r *recorder) Fatal(args ...any)                 { r.Fatalf("%s", fmt.Sprint(args...)) }

// Fails reports whether the check fails.
func Fails(check func(t rapid.TB)) bool {
	r := &recorder{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		check(r)
	}()
	<-done
	return r.failed
}
