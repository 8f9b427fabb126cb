package ratelock_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/ports"
)

// stores opens each store that the domain is tested on.
var stores = map[string]func(t testing.TB) ports.RateLockStore{
	"memory": func(t testing.TB) ports.RateLockStore {
		t.Helper()
		s, err := memory.New(nil)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		return s.RateLocks()
	},
	"sqlite": func(t testing.TB) ports.RateLockStore {
		t.Helper()
		s, err := sqlite.Open(t.Context(), t.TempDir()+"/locks.db", nil)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		return s.RateLocks()
	},
}

// recorder is a test that may fail without failing this one.
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

// fails reports whether a check that should find a planted bug does.
func fails(check func(t rapid.TB)) bool {
	r := &recorder{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		check(r)
	}()
	<-done
	return r.failed
}
