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
	{"a lookup returns at its deadline if the provider never answers", func(k *connectorKit) {
		k.eachSpot(func(d *desk, base scenario, at spot) {
			d.answer(k.behind(base, at, func(_ http.ResponseWriter, r *http.Request) { d.until(r) }))
			d.runsOut(base, at)
		})
	}},
	{"a lookup returns at its deadline if the answer never ends", func(k *connectorKit) {
		k.eachSpot(func(d *desk, base scenario, at spot) {
			d.answer(k.behind(base, at, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write([]byte(`{"status":`)) // runsOut reports a connector that left
				_ = http.NewResponseController(w).Flush()
				d.until(r)
			}))
			d.runsOut(base, at)
		})
	}},
	{"canceling the context ends the lookup", func(k *connectorKit) {
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

const patience = 50 * time.Millisecond // a deadline that the lookup exceeds

func contextOver(k *connectorKit) {
	kit.EachOf(k, kit.Done(k), func(code errcodes.Code, ctx context.Context) {
		k.each(func(d *desk, base scenario) {
			d.answer(newStage(true, base.Exchanges...).serve)
			_, err := d.ask(ctx, base.lookup())
			if !errors.Is(err, ctx.Err()) {
				k.Fatalf("%s: the error is not the context's: %v", code, err)
			}
			if n := len(d.got(nil)); n > 0 {
				k.Fatalf("%s: %d requests, want none", code, n)
			}
		})
	})
}

// until waits until the connector has closed the request or the check is over.
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

// start looks up the scenario's account in another goroutine.
func (d *desk) start(ctx context.Context, base scenario) <-chan lookupEnd {
	ended := make(chan lookupEnd, 1)
	go func() {
		answer, err := d.Lookup(ctx, base.lookup())
		ended <- lookupEnd{answer, err}
	}()
	return ended
}

// ends checks that a lookup returns the context's error soon after the context is
// done and not before.
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

// tooEarly ends the check for a lookup that returned before its context was done.
func (d *desk) tooEarly(base scenario, at spot, o lookupEnd) {
	how := fmt.Sprintf("%q, error code %q", o.answer.Kind, errcodes.Of(o.err))
	switch {
	case d.gotAt(at) > 0:
		d.k.Fatalf("in %s: the lookup returned (%s) before its context was done, without an answer to its request for %s", market(base), how, at)
	case at == atAccount:
		d.k.Fatalf("in %s: the lookup returned (%s) before it asked for the account: is the token's exchange missing?", market(base), how)
	default:
		d.k.Fatalf("in %s: the lookup returned (%s) before it asked for %s", market(base), how, at)
	}
}

// leaves checks that the lookup returns the error promptly, now that its context
// is done.
func (d *desk) leaves(base scenario, ended <-chan lookupEnd, want error) {
	select {
	case o := <-ended:
		d.gaveUp(base, o, want)
	case <-ports.SystemClock().After(d.k.prompt):
		d.k.Fatalf("in %s: the lookup has not returned %s after its context was done", market(base), d.k.prompt)
	}
}

func (d *desk) gaveUp(base scenario, o lookupEnd, want error) {
	d.k.discreet(base.lookup(), o.err, d.log)
	if !errors.Is(o.err, want) {
		d.k.Fatalf("in %s: %q, and the error is not the context's: %v", market(base), o.answer.Kind, o.err)
	}
}
