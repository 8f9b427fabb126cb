package broken

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/corridor-go/corridor/errcodes"
)

// Recorder is a testing.TB that records how a check ended without failing the
// real test.
type Recorder struct {
	testing.TB

	mu       sync.Mutex
	failed   bool
	skipped  bool
	text     string
	cleanups []func() // of a case; the real test runs those of a check
	inCase   bool
}

// Record runs a check to its end.
func Record(t *testing.T, check func(tb testing.TB)) *Recorder {
	t.Helper()
	r := &Recorder{TB: t}
	var wg sync.WaitGroup
	wg.Go(func() { check(r) })
	wg.Wait()
	return r
}

// Run runs a case of the check. If the case fails, so does the check, and later cases
// are left out: the flaw is caught.
func (r *Recorder) Run(name string, fn func(tb testing.TB)) bool {
	if r.Failed() {
		return false
	}
	c := &Recorder{TB: r.TB, inCase: true}
	var wg sync.WaitGroup
	wg.Go(func() { fn(c) })
	wg.Wait()
	for _, cleanUp := range slices.Backward(c.cleanups) {
		cleanUp()
	}
	if c.failed {
		r.end(true, false, name+": "+c.text)
	}
	return !c.failed
}

// Cleanup calls fn at the end of the case, or of the real test.
func (r *Recorder) Cleanup(fn func()) {
	if !r.inCase {
		r.TB.Cleanup(fn)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cleanups = append(r.cleanups, fn)
}

func (r *Recorder) end(failed, skipped bool, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = r.failed || failed
	r.skipped = r.skipped || skipped
	r.text += text + "\n"
}

// Failed reports whether the check failed.
func (r *Recorder) Failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}

// Skipped reports whether the check was skipped.
func (r *Recorder) Skipped() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.skipped
}

// Text returns the check's message.
func (r *Recorder) Text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text
}

// Errorf marks the check as failed.
func (r *Recorder) Errorf(format string, args ...any) {
	r.end(true, false, fmt.Sprintf(format, args...))
}

// Fatalf marks the check as failed and ends it.
func (r *Recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// FailNow marks the check as failed and ends it.
func (r *Recorder) FailNow() {
	r.end(true, false, "")
	runtime.Goexit()
}

// Skipf marks the check as skipped and ends it.
func (r *Recorder) Skipf(format string, args ...any) {
	r.end(false, true, fmt.Sprintf(format, args...))
	runtime.Goexit()
}

// Confusions are ways in which adapters confuse two different texts.
var Confusions = map[string]func(string) string{
	"folds case":        strings.ToLower,
	"trims blanks":      strings.TrimSpace,
	"stops at a NUL":    func(s string) string { head, _, _ := strings.Cut(s, "\x00"); return head },
	"repairs ill text":  func(s string) string { return strings.ToValidUTF8(s, "\ufffd") },
	"keeps 255 letters": func(s string) string { return s[:min(len(s), 255)] },
}

// OrDone returns the context's error if it is done, and err otherwise.
func OrDone(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// Recode returns err with the code to if its code is from, and err otherwise.
func Recode(err error, from, to errcodes.Code) error {
	if errcodes.Of(err) == from {
		return errcodes.Wrap(to, "", err)
	}
	return err
}
