package portstest_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
)

// recorder is a testing.TB that remembers how a check ended and leaves the
// real test alone.
type recorder struct {
	testing.TB

	mu      sync.Mutex
	failed  bool
	skipped bool
	text    string
}

// record runs a check to its end.
func record(t *testing.T, check func(tb testing.TB)) *recorder {
	t.Helper()
	r := &recorder{TB: t}
	var wg sync.WaitGroup
	wg.Go(func() { check(r) })
	wg.Wait()
	return r
}

func (r *recorder) end(failed, skipped bool, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = r.failed || failed
	r.skipped = r.skipped || skipped
	r.text += text + "\n"
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.end(true, false, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Skipf(format string, args ...any) {
	r.end(false, true, fmt.Sprintf(format, args...))
	runtime.Goexit()
}
