package connectortest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

var deadlineChecks = []connectorCheck{
	{"a provider that never answers is left at the deadline", func(k *connectorKit) {
		k.eachSpot(func(d *desk, base scenario, at spot) {
			d.answer(k.behind(base, at, func(_ http.ResponseWriter, r *http.Request) { d.until(r) }))
			d.runsOut(base, at)
		})
	}},
	{"an answer that never ends is left at the deadline", func(k *connectorKit) {
		k.eachSpot(func(d *desk, base scenario, at spot) {
			d.answer(k.behind(base, at, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write([]byte(`{"status":`)) // a connector that left shows below
				_ = http.NewResponseController(w).Flush()
				d.until(r)
			}))
			d.runsOut(base, at)
		})
	}},
	{"a caller that leaves takes the lookup along", func(k *connectorKit) {
		k.eachSpot(func(d *desk, base scenario, at spot) {
			ctx, cancel := context.WithCancel(k.Context())
			defer cancel()
			d.answer(k.behind(base, at, func(_ http.ResponseWriter, r *http.Request) {
				cancel()
				d.until(r)
			}))
			d.ends(ctx, base, at, context.Canceled)
		})
	}},
}

const patience = 50 * time.Millisecond // a deadline to run into

func contextOver(k *connectorKit) {
	kit.EachOf(k, kit.Done(k), func(code errcodes.Code, ctx context.Context) {
		k.each(func(d *desk, base scenario) {
			d.answer(newStage(true, base.Exchanges...).serve)
			_, err := d.ask(ctx, base.lookup())
			if !errors.Is(err, ctx.Err()) {
				k.Fatalf("%s: the error is not the context's own: %v", code, err)
			}
			if n := len(d.got(nil)); n > 0 {
				k.Fatalf("%s: %d requests, want none", code, n)
			}
		})
	})
}

// until plays nothing more until the connector has left, or the check is over.
func (d *desk) until(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-d.over:
	}
}

func (d *desk) runsOut(base scenario, at spot) {
	ctx, cancel := context.WithTimeout(d.k.Context(), patience)
	defer cancel()
	d.ends(ctx, base, at, context.DeadlineExceeded)
}

type lookupEnd struct {
	answer ports.Answer
	err    error
}

// start looks the scenario's account up on the side.
func (d *desk) start(ctx context.Context, base scenario) <-chan lookupEnd {
	ended := make(chan lookupEnd, 1)
	go func() {
		answer, err := d.Lookup(ctx, base.lookup())
		ended <- lookupEnd{answer, err}
	}()
	return ended
}

// ends checks that a lookup gives the context's error, soon after it is over and
// not before.
func (d *desk) ends(ctx context.Context, base scenario, at spot, want error) {
	ended := d.start(ctx, base)
	select {
	case <-ctx.Done():
		d.leaves(base, ended, want)
	case o := <-ended:
		if ctx.Err() == nil {
			d.tooEarly(base, at, o)
		}
		d.gaveUp(base, o, want)
	}
}

// tooEarly fails a lookup that did not wait for its context.
func (d *desk) tooEarly(base scenario, at spot, o lookupEnd) {
	how := fmt.Sprintf("%q, error code %q", o.answer.Kind, errcodes.Of(o.err))
	switch {
	case d.gotAt(at) > 0:
		d.k.Fatalf("in %s: the lookup ended (%s) before its context, and had no answer to %s", market(base), how, at)
	case at == atAccount:
		d.k.Fatalf("in %s: the lookup ended (%s) before it asked for the account: is the token's exchange missing?", market(base), how)
	default:
		d.k.Fatalf("in %s: the lookup ended (%s) before it asked for %s", market(base), how, at)
	}
}

// leaves wants the lookup to give the error before long, now that its context is
// over.
func (d *desk) leaves(base scenario, ended <-chan lookupEnd, want error) {
	select {
	case o := <-ended:
		d.gaveUp(base, o, want)
	case <-ports.SystemClock().After(d.k.prompt):
		d.k.Fatalf("in %s: the lookup goes on %s after its context has ended", market(base), d.k.prompt)
	}
}

func (d *desk) gaveUp(base scenario, o lookupEnd, want error) {
	d.k.discreet(base.lookup(), o.err, d.log)
	if !errors.Is(o.err, want) {
		d.k.Fatalf("in %s: %q, and the error is not the context's own: %v", market(base), o.answer.Kind, o.err)
	}
}
