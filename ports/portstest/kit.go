package portstest

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// kit is what a check works with: the test, the store, and the few assertions
// that all checks share.
type kit struct {
	testing.TB
	Store
}

// need skips the check when a part of the harness is missing.
func (k *kit) need(there bool, what string) {
	k.Helper()
	if !there {
		k.Skipf("the harness gives no %s", what)
	}
}

// ok stops the check on an error.
func (k *kit) ok(err error, what string) {
	k.Helper()
	if err != nil {
		k.Fatalf("%s: %v", what, err)
	}
}

// code stops the check unless err carries the code.
func (k *kit) code(err error, want errcodes.Code, what string) {
	k.Helper()
	if got := errcodes.Of(err); got != want {
		k.Fatalf("%s: error code %q, want %q (%v)", what, got, want, err)
	}
}

// same reports a difference. Values that print alike differ in what does not
// print, mostly a time's zone: times are UTC.
func (k *kit) same(got, want any, what string) {
	k.Helper()
	if !reflect.DeepEqual(plain(got), plain(want)) {
		k.Fatalf("%s:\n got %s\nwant %s", what, short(got), short(want))
	}
}

// plain makes an empty list or byte string the same as none, and leaves out what
// a store names its claims.
func plain(v any) any {
	switch v := v.(type) {
	case ports.Event:
		v.Data, v.Claim = orNil(v.Data), 0
		return v
	case ports.WorkItem:
		v.Payload, v.Claim = orNil(v.Payload), 0
		return v
	case ports.Client:
		v.Secrets, v.Merchants = orNil(v.Secrets), orNil(v.Merchants)
		return v
	case ports.ValidationRecord:
		v.Sealed.Data = orNil(v.Sealed.Data)
		return v
	case []ports.ValidationRecord:
		var all []any
		for i := range v {
			all = append(all, plain(v[i]))
		}
		return all
	case ports.CachedAnswer:
		v.Sealed.Data = orNil(v.Sealed.Data)
		return v
	default:
		return v
	}
}

func orNil[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}

// short keeps a report readable when ids are 10,000 characters long.
func short(v any) string {
	const most = 800
	s := fmt.Sprintf("%+q", fmt.Sprintf("%+v", v))
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}

// race runs fn n times at once and gives the errors in the order of the calls.
func race(n int, fn func(i int) error) []error {
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

const racers = 16

// done gives contexts that are over, by the code that a method must answer.
func done(tb testing.TB) map[errcodes.Code]context.Context {
	cancelled, cancel := context.WithCancel(tb.Context())
	cancel()
	late, stop := context.WithDeadline(tb.Context(), epoch.AddDate(-1, 0, 0))
	tb.Cleanup(stop)
	return map[errcodes.Code]context.Context{
		errcodes.Canceled:         cancelled,
		errcodes.DeadlineExceeded: late,
	}
}

// epoch is the time at which the checks play. Its milliseconds tell a store
// that keeps seconds.
var epoch = time.Date(2026, time.March, 2, 9, 30, 15, int(987*time.Millisecond), time.UTC)

// distinct holds keys of which no two are equal, though a store that folds
// case, trims blanks, stops at a NUL or repairs text would take them so.
var distinct = []string{
	"acme", "Acme", "ACME", "acme ", " acme", "acme\t", "acme\x00", "acme\x00a", "acme\xff", "acme\xfe",
	"acme\ufffd", "acm\u00e9", "acme\u0301", "a%me", "a_me", "",
}
