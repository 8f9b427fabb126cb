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

// Check is one thing that /readyz asks about.
type Check struct {
	// Name stands in the answer; it is seen by anybody.
	Name string
	// Run looks at the thing. degraded means that requests are served all the
	// same, only with less; an error means that they are not. It should return
	// when ctx is done: one that goes on counts as failed, and is not started
	// again until it returns.
	Run func(ctx context.Context) (degraded bool, err error)
}

// live answers /livez: the process runs, and nothing else is looked at.
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
	var troubles []error
	for i, done := range h.start() {
		degraded, err := wait(ctx, done)
		switch name := h.checks[i].Name; {
		case err != nil:
			body.Failing = append(body.Failing, name)
			troubles = append(troubles, fmt.Errorf("%s: %w", name, err))
		case degraded:
			body.Degraded = append(body.Degraded, name)
		}
	}
	switch {
	case body.Failing != nil:
		status, body.Status = http.StatusServiceUnavailable, "unavailable"
		x.err = errcodes.Wrap(errcodes.Unavailable, "", errors.Join(troubles...))
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

// start runs all checks at once. Probes that come together share a run, and so
// a check that hangs holds one goroutine, not one a probe.
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
	select { // of both at once, the result counts
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
