package reporttest

import (
	"context"
	"iter"
	"runtime"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

var sourceStreamChecks = []sourceCheck{
	{"a stream that is abandoned stops and leaves nothing running", func(k *sourceKit) {
		rows := k.all()
		stops(&k.Kit, func() iter.Seq2[[]string, error] { return k.Source.Rows(k.Context(), k.ask(nil)) })
		k.sameRows(k.all(), rows, "after streams that were abandoned")
	}},
	{"a done context returns its code", func(k *sourceKit) {
		ended(&k.Kit, "Rows", func(ctx context.Context) iter.Seq2[[]string, error] { return k.Source.Rows(ctx, k.ask(nil)) }, k.Now, k.Source.AsOf)
	}},
	{"a stream cut short by its context yields an error", func(k *sourceKit) {
		cut(&k.Kit, len(k.all()), "Rows", func(ctx context.Context) iter.Seq2[[]string, error] { return k.Source.Rows(ctx, k.ask(nil)) })
	}},
	{"concurrent reads are safe", func(k *sourceKit) {
		want, query := k.all(), k.ask(nil)
		columns := func(i int) []string { return query.Columns[:1+i%len(query.Columns)] }
		raced(&k.Kit, len(want), func(i int) iter.Seq2[[]string, error] {
			q := query
			q.Columns = columns(i)
			return k.Source.Rows(k.Context(), q)
		}, func(i, n int, row []string) bool { return kit.Short(row) == kit.Short(want[n][:len(columns(i))]) })
	}},
	{"AsOf is not in the future", func(k *sourceKit) { completeUpTo(&k.Kit, k.Now, k.Query, k.Source.AsOf) }},
}

// settling is how long what an abandoned stream started may keep running: a busy
// machine may need long.
var settling = time.Minute

// stops abandons streams many times and checks that nothing keeps running.
func stops[T any](k *kit.Kit, stream func() iter.Seq2[T, error]) {
	const times = 64
	before := runtime.NumGoroutine()
	for i := range times {
		left, asked := i%5+1, 0
		stream()(func(_ T, err error) bool {
			asked++
			k.OK(err, "a stream that is abandoned")
			if asked > left {
				k.Fatalf("the stream continues after yield returned false")
			}
			return asked < left
		})
	}
	const often = 5 * time.Millisecond
	for waited := time.Duration(0); waited < settling; waited += often {
		if runtime.NumGoroutine() < before+times/2 {
			return
		}
		<-ports.SystemClock().After(often)
	}
	k.Fatalf("%d abandoned streams left %d goroutines running", times, runtime.NumGoroutine()-before)
}

// ended checks a source with a done context: its stream yields one error and
// nothing else.
func ended[T any](
	k *kit.Kit, what string, stream func(context.Context) iter.Seq2[T, error], now time.Time, asOf func(context.Context, time.Time) (time.Time, error),
) {
	kit.EachOf(k, kit.Done(k), func(want errcodes.Code, ctx context.Context) {
		var errs []error
		for _, err := range stream(ctx) {
			errs = append(errs, err)
			if len(errs) > 1 {
				k.Fatalf("%s with a done context continues", what)
			}
		}
		if len(errs) == 0 {
			k.Fatalf("%s with a done context ends without an error", what)
		}
		k.Code(errs[0], want, what+" with a done context")
		_, err := asOf(ctx, now)
		k.Code(err, want, "AsOf with a done context")
	})
}

// cut cancels the context of a stream at its second value. The stream may still
// yield any of the remaining values, but if it stops early, it must yield an error.
func cut[T any](k *kit.Kit, total int, what string, stream func(ctx context.Context) iter.Seq2[T, error]) {
	ctx, cancel := context.WithCancel(k.Context())
	defer cancel()
	given := 0
	var failed error
	for _, err := range stream(ctx) {
		if failed != nil {
			k.Fatalf("%s continues after an error", what)
		}
		if failed = err; err != nil {
			continue
		}
		if given++; given == 2 {
			cancel()
		}
	}
	if failed == nil && given != total {
		k.Fatalf("%s yielded %d of %d values before its context was canceled, and no error", what, given, total)
	}
	if failed != nil {
		k.Code(failed, errcodes.Canceled, what+" with a canceled context")
	}
}

// raced reads total values in each racer; same reports whether value n is correct.
func raced[T any](k *kit.Kit, total int, stream func(i int) iter.Seq2[T, error], same func(i, n int, value T) bool) {
	k.RaceOK("one of many concurrent readers", func(i int) error {
		n := 0
		for value, err := range stream(i) {
			switch {
			case err != nil:
				return err
			case n >= total || !same(i, n, value):
				return errcodes.New(errcodes.Internal, "more or other values than for a single reader")
			}
			n++
		}
		if n != total {
			return errcodes.New(errcodes.Internal, "fewer values than for a single reader")
		}
		return nil
	})
}

// completeUpTo calls asOf with the present time and with earlier ones.
func completeUpTo(k *kit.Kit, now time.Time, q ports.RowQuery, asOf func(context.Context, time.Time) (time.Time, error)) {
	kit.EachOf(k, map[string]time.Time{
		"now": now, "Until": q.Until, "From": q.From, "a year before From": q.From.AddDate(-1, 0, 0),
	}, func(name string, at time.Time) {
		got := kit.Got(asOf(k.Context(), at)).OK(k, "AsOf")
		if got.After(at) {
			k.Fatalf("at %s the data are complete up to %s, which is later", at.UTC(), got.UTC())
		}
	})
}
