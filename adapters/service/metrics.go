package service

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/corridor-go/corridor/adapters/connector/resilient"
	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ratelock"
	"github.com/corridor-go/corridor/report"
	"github.com/corridor-go/corridor/validation"
)

// counters are the metrics that no package keeps itself.
type counters struct {
	registry *prometheus.Registry

	events, looks               *prometheus.CounterVec
	conflicts, behind, failures prometheus.Counter

	validations, validationsEnded, cacheHits, late *prometheus.CounterVec
	transactions, unmapped, attempts, buried       *prometheus.CounterVec
	reports                                        *prometheus.CounterVec
	delayed, attempted, reported                   prometheus.Histogram
	asked                                          *prometheus.HistogramVec
	breaker                                        *prometheus.GaugeVec

	jobs     *prometheus.CounterVec
	jobTimes *prometheus.HistogramVec
	rescued  prometheus.Counter
}

// newCounters makes a registry with the metrics, and those of the process.
func newCounters() *counters {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	counter := func(name, help string) prometheus.Counter {
		c := prometheus.NewCounter(prometheus.CounterOpts{Name: "corridor_" + name, Help: help})
		registry.MustRegister(c)
		return c
	}
	vector := func(name, help string, labels ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "corridor_" + name, Help: help}, labels)
		registry.MustRegister(c)
		return c
	}
	return &counters{
		registry: registry,

		events:    vector("events_total", "Events delivered, by kind.", "kind"),
		delayed:   newDelayed(registry),
		looks:     vector("drift_looks_total", "Looks of the drift watch at a pair's live price, by outcome; ok is an observation.", "outcome"),
		conflicts: counter("rate_lock_conflicts_total", "Decisions taken again because another writer was first."),
		behind:    counter("rate_lock_clock_behind_total", "Mints refused because this process's clock is behind."),
		failures:  counter("background_failures_total", "Background steps that failed."),

		validations:      vector("validations_total", "Validations answered, by market and status; pending is one.", "country", "type", "status"),
		validationsEnded: vector("validations_ended_total", "Pending validations that have ended, by market and status; callers who asked the same share one.", "country", "type", "status"),
		cacheHits:        vector("validation_cache_hits_total", "Validations answered from a kept answer, by market.", "country", "type"),
		late:             vector("connector_late_answers_total", "Answers that came after their time and were ignored.", "connector"),
		transactions:     vector("transaction_outcomes_total", "Outcomes applied to transactions, by what they did, and the transaction's status and code then.", "effect", "direction", "status", "code"),
		unmapped:         vector("unmapped_codes_total", "Raw codes of providers that no table knew.", "scheme", "direction"),
		attempts:         vector("webhook_attempts_total", "Requests to the receiver of webhooks, by the status of its answer; 0 is none.", "status"),
		buried:           vector("events_buried_total", "Events set aside undelivered, by kind and the code of the failure.", "kind", "code"),
		attempted:        newAttempted(registry),
		reports:          vector("reports_total", "Reports that have ended, by type and status, with the code of a failure.", "type", "status", "reason"),
		reported:         newReported(registry),
		asked:            newAsked(registry),
		breaker:          newBreakerGauge(registry),

		jobs:     vector("jobs_total", "Jobs of the queue that ran in this process, by kind; again is one that will come again.", "kind", "outcome"),
		jobTimes: newJobTimes(registry),
		rescued:  counter("jobs_rescued_total", "Jobs of processes that died which this one has given back to the queue."),
	}
}

func newAsked(registry *prometheus.Registry) *prometheus.HistogramVec {
	h := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "corridor_connector_duration_seconds", Help: "Time of a connector's call, by how it ended.",
		Buckets: []float64{.05, .1, .25, .5, 1, 2, 5, 10, 30},
	}, []string{"connector", "outcome"})
	registry.MustRegister(h)
	return h
}

func newDelayed(registry *prometheus.Registry) prometheus.Histogram {
	h := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "corridor_event_delay_seconds", Help: "From the decision that an event tells of to its delivery, failed attempts included.",
		Buckets: []float64{.1, .5, 1, 2, 5, 15, 60, 300, 900, 3600, 14_400, 43_200},
	})
	registry.MustRegister(h)
	return h
}

func newAttempted(registry *prometheus.Registry) prometheus.Histogram {
	h := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "corridor_webhook_attempt_duration_seconds", Help: "Requests to the receiver of webhooks, however they ended.",
		Buckets: []float64{.01, .05, .1, .25, .5, 1, 2, 5, 15},
	})
	registry.MustRegister(h)
	return h
}

func newReported(registry *prometheus.Registry) prometheus.Histogram {
	h := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "corridor_report_duration_seconds", Help: "From asking for a report to its end.",
		Buckets: []float64{.1, .5, 1, 5, 15, 60, 300, 900, 3600},
	})
	registry.MustRegister(h)
	return h
}

func newJobTimes(registry *prometheus.Registry) *prometheus.HistogramVec {
	h := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "corridor_job_duration_seconds", Help: "How long a job of the queue was in this process.",
		Buckets: []float64{.005, .025, .1, .5, 1, 5, 30, 300},
	}, []string{"kind"})
	registry.MustRegister(h)
	return h
}

func newBreakerGauge(registry *prometheus.Registry) *prometheus.GaugeVec {
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "corridor_connector_breaker_state", Help: "1 for the state that a connector's circuit breaker is in.",
	}, []string{"connector", "state"})
	registry.MustRegister(g)
	return g
}

// breakers shows each breaker closed, as it begins.
func (c *counters) breakers(connectors []ports.AccountConnector) {
	for _, connector := range connectors {
		if _, has := connector.(*resilient.Connector); has {
			c.breakerChanged(resilient.StateChange{Connector: connector.Name(), To: resilient.Closed})
		}
	}
}

func (c *counters) breakerChanged(change resilient.StateChange) {
	for _, state := range []resilient.State{resilient.Closed, resilient.Open, resilient.HalfOpen} {
		value := 0.0
		if state == change.To {
			value = 1
		}
		c.breaker.WithLabelValues(change.Connector, string(state)).Set(value)
	}
}

func (c *counters) validationHooks() validation.Hooks {
	return validation.Hooks{
		Answered: func(_ context.Context, v ports.ValidationRecord) {
			c.validations.WithLabelValues(v.Market.Country, string(v.Market.Type), string(v.Status)).Inc()
			if v.Cached {
				c.cacheHits.WithLabelValues(v.Market.Country, string(v.Market.Type)).Inc()
			}
		},
		Ended: func(_ context.Context, v ports.ValidationRecord, _ time.Duration) {
			c.validationsEnded.WithLabelValues(v.Market.Country, string(v.Market.Type), string(v.Status)).Inc()
		},
		Asked: func(_ context.Context, connector string, _ ports.Market, outcome ports.Outcome, took time.Duration) {
			c.asked.WithLabelValues(connector, string(outcome)).Observe(took.Seconds())
		},
		Late:       func(_ context.Context, connector string) { c.late.WithLabelValues(connector).Inc() },
		Background: func(context.Context, error) { c.failures.Inc() },
	}
}

func (c *counters) reportHooks() report.Hooks {
	return report.Hooks{
		Ended: func(_ context.Context, r ports.ReportJob, took time.Duration) {
			c.reports.WithLabelValues(string(r.Kind), string(r.Status), r.Reason).Inc()
			c.reported.Observe(took.Seconds())
		},
		Background: c.backgroundFailed,
	}
}

func (c *counters) transactionHooks() authstate.Hooks {
	return authstate.Hooks{
		Applied: func(_ context.Context, t ports.Transaction, e authstate.Effect) {
			c.transactions.WithLabelValues(string(e), string(t.Direction), string(t.Status), string(t.Code)).Inc()
		},
		Background: c.backgroundFailed,
	}
}

func (c *counters) backgroundFailed(context.Context, error) { c.failures.Inc() }

// unmappedCode counts by scheme alone: what the provider said stays out of
// metrics.
func (c *counters) unmappedCode(r failures.Result) {
	c.unmapped.WithLabelValues(string(r.Scheme), string(r.Direction)).Inc()
}

func (c *counters) hooks() ratelock.Hooks {
	return ratelock.Hooks{
		ClockBehind: func(_ context.Context, _ ports.BookKey, _ time.Duration) { c.behind.Inc() },
		Conflict:    func(context.Context, ports.BookKey) { c.conflicts.Inc() },
		Background:  func(context.Context, error) { c.failures.Inc() },
		Observed: func(_ context.Context, _ ports.Pair, err error) {
			outcome := "ok"
			if err != nil {
				outcome = string(errcodes.Of(err))
			}
			c.looks.WithLabelValues(outcome).Inc()
		},
	}
}
