package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ratelock"
)

// counters are the metrics that no package keeps itself.
type counters struct {
	events, looks               *prometheus.CounterVec
	conflicts, behind, failures prometheus.Counter
}

func newCounters(registry *prometheus.Registry) *counters {
	counter := func(name, help string) prometheus.Counter {
		c := prometheus.NewCounter(prometheus.CounterOpts{Name: "corridor_" + name, Help: help})
		registry.MustRegister(c)
		return c
	}
	vector := func(name, help, label string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "corridor_" + name, Help: help}, []string{label})
		registry.MustRegister(c)
		return c
	}
	return &counters{
		events:    vector("events_total", "Events delivered, by kind.", "kind"),
		looks:     vector("drift_looks_total", "Looks of the drift watch at a pair's live price, by outcome; ok is an observation.", "outcome"),
		conflicts: counter("rate_lock_conflicts_total", "Decisions taken again because another writer was first."),
		behind:    counter("rate_lock_clock_behind_total", "Mints refused because this process's clock is behind."),
		failures:  counter("background_failures_total", "Sweep and drift steps that failed."),
	}
}

func (c *counters) hooks() ratelock.Hooks {
	return ratelock.Hooks{
		ClockBehind: func(ports.BookKey, time.Duration) { c.behind.Inc() },
		Conflict:    func(ports.BookKey) { c.conflicts.Inc() },
		Background:  func(error) { c.failures.Inc() },
		Observed: func(_ ports.Pair, err error) {
			outcome := "ok"
			if err != nil {
				outcome = string(errcodes.Of(err))
			}
			c.looks.WithLabelValues(outcome).Inc()
		},
	}
}

// sink counts events and, at debug level, tells of them.
func (c *counters) sink(log *slog.Logger) ports.EventSink { return &countingSink{c, log} }

type countingSink struct {
	counters *counters
	log      *slog.Logger
}

// Deliver counts the event.
func (s *countingSink) Deliver(ctx context.Context, e ports.Event) error {
	s.counters.events.WithLabelValues(e.Kind).Inc()
	s.log.DebugContext(ctx, "event", "id", e.ID, "kind", e.Kind, "at", e.At)
	return ctx.Err()
}
