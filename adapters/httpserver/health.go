package httpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/corridor-go/corridor/errcodes"
)

// Check is a check of /readyz.
type Check struct {
	// Name is part of the answer, which is public.
	Name string
	// Run performs the check. degraded means that requests are served with
	// restrictions; an error means that they are not served. It should return when ctx
	// is done: a check that continues counts as failed, and is not started again until
	// it returns.
	Run func(ctx context.Context) (degraded bool, err error)
}

// live answers /livez: the process is running.
func live(x *exchange, _ *http.Request) error {
	x.json(http.StatusOK, []byte(`{"status":"ok"}`))
	return nil
}

// readiness answers /readyz.
type readiness struct {
	checks  []Check
	timeout time.Duration
	flights singleflight.Group
}

func newReadiness(cfg Config) *readiness {
	return &readiness{checks: cfg.Checks, timeout: cfg.CheckTimeout}
}

type readinessBody struct {
	Status   string   `json:"status"` // ok, degraded or unavailable
	Failing  []string `json:"failing,omitempty"`
	Degraded []string `json:"degraded,omitempty"`
}

func (h *readiness) serve(x *exchange, _ *http.Request) error {
	ctx, cancel := context.WithTimeout(x.ctx, h.timeout)
	defer cancel()
	status, body := http.StatusOK, readinessBody{Status: "ok"}
	var errs []error
	for i, done := range h.start() {
		degraded, err := wait(ctx, done)
		switch name := h.checks[i].Name; {
		case err != nil:
			body.Failing = append(body.Failing, name)
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		case degraded:
			body.Degraded = append(body.Degraded, name)
		}
	}
	switch {
	case body.Failing != nil:
		status, body.Status = http.StatusServiceUnavailable, "unavailable"
		x.err = errcodes.Wrap(errcodes.Unavailable, "", errors.Join(errs...))
	case body.Degraded != nil:
		body.Status = "degraded"
	}
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	x.json(status, text)
	return nil
}

// start runs all checks at once. Concurrent probes share a run, so a check that hangs
// occupies one goroutine, not one per probe.
func (h *readiness) start() []<-chan singleflight.Result {
	flights := make([]<-chan singleflight.Result, len(h.checks))
	for i, check := range h.checks {
		flights[i] = h.flights.DoChan(check.Name, func() (any, error) { return h.run(check) })
	}
	return flights
}

func (h *readiness) run(check Check) (degraded bool, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = errcodes.Panicked(errcodes.Internal, v)
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), h.timeout)
	defer cancel()
	return check.Run(ctx)
}

func wait(ctx context.Context, done <-chan singleflight.Result) (degraded bool, err error) {
	select {
	case result := <-done:
		return outcome(result)
	case <-ctx.Done():
	}
	select { // if both are ready, the result counts
	case result := <-done:
		return outcome(result)
	default:
		return false, ctx.Err()
	}
}

func outcome(r singleflight.Result) (degraded bool, err error) {
	degraded, _ = r.Val.(bool)
	return degraded, r.Err
}
