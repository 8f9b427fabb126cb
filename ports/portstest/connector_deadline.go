package portstest

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/corridor-go/corridor/ports"
)

// deadlineChecks are about contexts.
var deadlineChecks = []connectorCheck{
	{"a context that is over asks nobody", false, contextOver},
	{"a provider that never answers is left at the deadline", true, neverAnswers},
	{"an answer that never ends is left at the deadline", true, neverEnds},
	{"a caller that leaves takes the lookup along", true, callerLeaves},
}

const (
	patience = 50 * time.Millisecond // a deadline to run into
	prompt   = 3 * time.Second       // by when a connector has noticed, on a busy machine
)

func contextOver(k *connectorKit) {
	for code, ctx := range done(k) {
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
	}
}

// until plays nothing more until the connector has left, or the check is over.
func (d *desk) until(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-d.over:
	}
}

func neverAnswers(k *connectorKit) {
	k.each(func(d *desk, base scenario) {
		d.answer(k.behind(base, func(_ http.ResponseWriter, r *http.Request) { d.until(r) }))
		d.runsOut(base)
	})
}

func neverEnds(k *connectorKit) {
	k.each(func(d *desk, base scenario) {
		d.answer(k.behind(base, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"status":`)) // a connector that left shows below
			_ = http.NewResponseController(w).Flush()
			d.until(r)
		}))
		d.runsOut(base)
	})
}

// runsOut checks that a lookup ends with its deadline.
func (d *desk) runsOut(base scenario) {
	d.k.Helper()
	ctx, cancel := context.WithTimeout(d.k.Context(), patience)
	defer cancel()
	d.ends(ctx, base, context.DeadlineExceeded)
}

func callerLeaves(k *connectorKit) {
	k.each(func(d *desk, base scenario) {
		ctx, cancel := context.WithCancel(k.Context())
		d.answer(k.behind(base, func(_ http.ResponseWriter, r *http.Request) {
			cancel()
			d.until(r)
		}))
		d.ends(ctx, base, context.Canceled)
	})
}

// ends checks that a lookup gives the context's error, soon after it is over.
func (d *desk) ends(ctx context.Context, base scenario, want error) {
	d.k.Helper()
	type outcome struct {
		answer ports.Answer
		err    error
	}
	ended := make(chan outcome, 1)
	go func() {
		answer, err := d.Lookup(ctx, base.lookup())
		ended <- outcome{answer, err}
	}()
	<-ctx.Done()
	select {
	case o := <-ended:
		d.k.discreet(base.lookup(), o.err, d.log)
		if !errors.Is(o.err, want) {
			d.k.Fatalf("in %s: %q, and the error is not the context's own: %v", base.lookup().Market, o.answer.Kind, o.err)
		}
	case <-ports.SystemClock().After(prompt):
		d.k.Fatalf("in %s: the lookup goes on %s after its context has ended", base.lookup().Market, prompt)
	}
}
