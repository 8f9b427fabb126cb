package kit

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"maps"
	"path"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Kit is a test with the assertions that all checks share.
type Kit struct {
	testing.TB
}

// Case runs fn as a subtest, which can be selected with -run. If it fails, the
// cases after it still run. While fn runs, k.TB is the subtest's. Cases do not run
// in parallel.
func (k *Kit) Case(name string, fn func()) {
	k.Helper()
	outer := k.TB
	defer func() { k.TB = outer }()
	inner := func(tb testing.TB) {
		k.TB = tb
		fn()
	}
	switch tb := outer.(type) {
	case *testing.T:
		tb.Run(name, func(t *testing.T) { inner(t) })
	case interface {
		Run(name string, fn func(tb testing.TB)) bool
	}:
		tb.Run(name, inner)
	default:
		tb.Fatalf("%T cannot run the case %s", tb, name)
	}
}

// Passed ends the check if one of its cases has failed.
func (k *Kit) Passed() {
	k.Helper()
	if k.Failed() {
		k.FailNow()
	}
}

// Name returns a case's name for a text or for bytes: quoted, and shortened if
// long. Spaces are escaped, because package testing replaces them with "_".
func Name[T ~string | ~[]byte](text T) string {
	const most = 24
	if b, ok := any(text).([]byte); ok && b == nil {
		return "nil"
	}
	quoted := func(text string) string { return strings.ReplaceAll(strconv.Quote(text), " ", `\x20`) }
	if len(text) > most {
		return fmt.Sprintf("%s… (%d bytes)", quoted(string(text[:most])), len(text))
	}
	return quoted(string(text))
}

// Text returns the text unchanged, as the name of a case.
func Text[T ~string](text T) string { return string(text) }

// cases is a [Kit] or a type that embeds one.
type cases interface{ Case(name string, fn func()) }

// Each runs fn on each value as a case whose name is name(value).
func Each[V any](k cases, values []V, name func(V) string, fn func(V)) {
	for _, v := range values {
		k.Case(name(v), func() { fn(v) })
	}
}

// EachOf runs fn on each value as a case named by its key, in the order of the keys.
func EachOf[N ~string, V any](k cases, values map[N]V, fn func(name N, value V)) {
	for name, v := range ByName(values) {
		k.Case(string(name), func() { fn(name, v) })
	}
}

// ByName iterates over cases in the order of their names.
func ByName[N ~string, V any](cases map[N]V) iter.Seq2[N, V] {
	return func(yield func(N, V) bool) {
		for _, name := range slices.Sorted(maps.Keys(cases)) {
			if !yield(name, cases[name]) {
				return
			}
		}
	}
}

// Fatalf ends the check with a message that includes the call stack within the
// suite, so that the suite's functions need not be marked as helpers.
func (k *Kit) Fatalf(format string, args ...any) {
	k.Helper()
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	var lines []string
	for f, more := frames.Next(); more; f, more = frames.Next() {
		if strings.Contains(f.File, "/portstest/") && !strings.Contains(f.File, "/internal/") {
			lines = append(lines, fmt.Sprint(path.Base(f.File), ":", f.Line))
		}
	}
	k.TB.Fatalf("%s\nat %s", fmt.Sprintf(format, args...), strings.Join(lines, ", called from "))
}

// Need skips the check if a part of the harness is missing.
func (k *Kit) Need(there bool, what string) {
	k.Helper()
	if !there {
		k.Skipf("the harness has no %s", what)
	}
}

// OK ends the check if err is not nil.
func (k *Kit) OK(err error, what string) {
	k.Helper()
	if err != nil {
		k.Fatalf("%s: %v", what, err)
	}
}

// Got combines the two results of a call, for [Result.OK].
func Got[T any](value T, err error) Result[T] { return Result[T]{value, err} }

// Result is a value or an error.
type Result[T any] struct {
	value T
	err   error
}

// OK returns the value, or ends the check if the call failed.
func (r Result[T]) OK(k interface{ OK(err error, what string) }, what string) T {
	k.OK(r.err, what)
	return r.value
}

// Code ends the check unless err has the code.
func (k *Kit) Code(err error, want errcodes.Code, what string) {
	k.Helper()
	if got := errcodes.Of(err); got != want {
		k.Fatalf("%s: error code %q, want %q (%v)", what, got, want, err)
	}
}

// Same ends the check if got and want differ. If the message shows two equal texts,
// the difference is in something that is not printed, usually a time's zone: times
// must be UTC.
func (k *Kit) Same(got, want any, what string) {
	k.Helper()
	if !reflect.DeepEqual(plain(got), plain(want)) {
		k.Fatalf("%s:\n got %s\nwant %s%s", what, Short(got), Short(want), difference(fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want)))
	}
}

// difference shows where two long texts begin to differ. It returns "" for short ones and
// if the texts are equal.
func difference(got, want string) string {
	const long, before, after = 120, 40, 40
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	if got == want || max(len(got), len(want)) < long {
		return ""
	}
	from := max(at-before, 0)
	return fmt.Sprintf("\nthey differ from byte %d on:\n got %+q\nwant %+q", at, got[from:min(at+after, len(got))], want[from:min(at+after, len(want))])
}

// plain replaces empty lists and byte strings with nil and clears claims, whose
// values each store chooses.
func plain(v any) any {
	switch v := v.(type) {
	case ports.Event:
		v.Data, v.Claim = OrNil(v.Data), 0
		return v
	case ports.WorkItem:
		v.Payload, v.Claim = OrNil(v.Payload), 0
		return v
	case ports.Client:
		v.Secrets, v.Merchants = OrNil(v.Secrets), OrNil(v.Merchants)
		return v
	case ports.CachedAnswer:
		v.Sealed.Data = OrNil(v.Sealed.Data)
		return v
	default:
		return v
	}
}

// OrNil returns nil for an empty list, and list otherwise.
func OrNil[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}

// Short formats v in at most about 800 bytes: ids may have 10,000 characters.
func Short(v any) string {
	const most = 800
	s := fmt.Sprintf("%+q", fmt.Sprintf("%+v", v))
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}

// Race runs fn n times concurrently and returns the errors in the order of i.
func Race(n int, fn func(i int) error) []error {
	errs := make([]error, n)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-start
			errs[i] = fn(i)
		})
	}
	close(start)
	wg.Wait()
	return errs
}

// RaceOK runs fn [Racers] times concurrently and ends the check if one call fails.
func (k *Kit) RaceOK(what string, fn func(i int) error) {
	for _, err := range Race(Racers, fn) {
		k.OK(err, what)
	}
}

// Racers is the number of goroutines in a check's race.
const Racers = 16

// Done returns contexts that are done, by the code that a method must return.
func Done(tb testing.TB) map[errcodes.Code]context.Context {
	cancelled, cancel := context.WithCancel(tb.Context())
	cancel()
	late, stop := context.WithDeadline(tb.Context(), Epoch.AddDate(-1, 0, 0))
	tb.Cleanup(stop)
	return map[errcodes.Code]context.Context{
		errcodes.Canceled:         cancelled,
		errcodes.DeadlineExceeded: late,
	}
}

// Epoch is the time at which the checks begin. Its milliseconds expose a store
// that keeps only seconds.
var Epoch = time.Date(2026, time.March, 2, 9, 30, 15, int(987*time.Millisecond), time.UTC)

// Distinct lists keys that all differ, but that a store would confuse if it
// folded case, trimmed spaces, stopped at a NUL or repaired invalid UTF-8.
var Distinct = []string{
	"acme", "Acme", "ACME", "acme ", " acme", "acme\t", "acme\x00", "acme\x00a", "acme\xff", "acme\xfe",
	"acme\ufffd", "acm\u00e9", "acme\u0301", "a%me", "a_me", "",
}

// Event returns an event of the key.
func Event(id, key string) ports.Event {
	return ports.Event{ID: id, Kind: "rate_lock.minted", Key: key, Owner: "acme", At: Epoch, Data: []byte(`{"id":"` + id + `"}`)}
}

// AnyBytes are payloads that text columns and careless copies damage.
var AnyBytes = [][]byte{
	nil,
	{0},
	[]byte("a\x00b\xff\xfe\xc3("),
	[]byte(`{"name":"caf\u00e9"} `),
	bytes.Repeat([]byte("0123456789abcdef"), 4096),
}

// IsCurrency reports whether code has the form of an ISO 4217 code.
func IsCurrency(code string) bool {
	return len(code) == 3 && strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}
