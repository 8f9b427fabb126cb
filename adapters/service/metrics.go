package service

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/corridor-go/corridor/adapters/connector/resilient"
	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ratelock"
	"github.com/corridor-go/corridor/report"
	"github.com/corridor-go/corridor/validation"
)

// counters are the metrics that the packages do not maintain themselves.
type counters struct {
	registry *prometheus.Registry

	conflicts, behind, failures, rescued           prometheus.Counter
	events, looks, reports, jobs                   *prometheus.CounterVec
	validations, validationsEnded, cacheHits, late *prometheus.CounterVec
	transactions, unmapped, attempts, buried       *prometheus.CounterVec
	delayed, attempted, reported                   prometheus.Observer
	asked, jobTimes                                prometheus.ObserverVec
	breaker                                        *prometheus.GaugeVec
	webhookPaused                                  prometheus.Gauge
}

// newCounters returns a registry with these metrics and those of the process.
func newCounters() *counters {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	factory := promauto.With(registry)
	vector := func(name, help string, labels ...string) *prometheus.CounterVec {
		return factory.NewCounterVec(prometheus.CounterOpts{Name: "corridor_" + name, Help: help}, labels)
	}
	times := func(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
		return factory.NewHistogramVec(prometheus.HistogramOpts{Name: "corridor_" + name, Help: help, Buckets: buckets}, labels)
	}
	return &counters{
		registry: registry,

		events: vector("events_total", "Events delivered, by kind.", "kind"),
		delayed: times("event_delay_seconds", "Time from an event to its delivery, including failed attempts.",
			[]float64{.1, .5, 1, 2, 5, 15, 60, 300, 900, 3600, 14_400, 43_200}).WithLabelValues(),
		looks:     vector("drift_looks_total", "Checks of a pair's live price for drift, by outcome; ok is an observation.", "outcome"),
		conflicts: vector("rate_lock_conflicts_total", "Decisions repeated because another writer was first.").WithLabelValues(),
		behind:    vector("rate_lock_clock_behind_total", "Mints rejected because this process's clock is behind.").WithLabelValues(),
		failures:  vector("background_failures_total", "Failed background operations.").WithLabelValues(),

		validations:      vector("validations_total", "Validations returned, by market and status, including pending.", "country", "type", "status"),
		validationsEnded: vector("validations_ended_total", "Pending validations that have ended, by market and status; equal requests share one.", "country", "type", "status"),
		cacheHits:        vector("validation_cache_hits_total", "Validations with a cached answer, by market.", "country", "type"),
		late:             vector("connector_late_answers_total", "Answers ignored because they were late.", "connector"),
		transactions:     vector("transaction_outcomes_total", "Outcomes applied to transactions, by effect and the resulting status and code.", "effect", "direction", "status", "code"),
		unmapped:         vector("unmapped_codes_total", "Raw provider codes without a mapping.", "scheme", "direction"),
		attempts:         vector("webhook_attempts_total", "Requests to the webhook receiver, by response status; 0 means no response.", "status"),
		buried:           vector("events_buried_total", "Undeliverable events, by kind and failure code.", "kind", "code"),
		attempted: times("webhook_attempt_duration_seconds", "Duration of requests to the webhook receiver, including failed ones.",
			[]float64{.01, .05, .1, .25, .5, 1, 2, 5, 15}).WithLabelValues(),
		webhookPaused: factory.NewGauge(prometheus.GaugeOpts{
			Name: "corridor_webhook_paused", Help: "1 while the webhook receiver is paused after it answered 410.",
		}),
		reports: vector("reports_total", "Reports that have ended, by type, status and failure code.", "type", "status", "reason"),
		reported: times("report_duration_seconds", "Time from the creation of a report to its end.",
			[]float64{.1, .5, 1, 5, 15, 60, 300, 900, 3600}).WithLabelValues(),
		asked: times("connector_duration_seconds", "Duration of connector calls, by outcome.",
			[]float64{.05, .1, .25, .5, 1, 2, 5, 10, 30}, "connector", "outcome"),
		breaker: factory.NewGaugeVec(prometheus.GaugeOpts{
			Name: "corridor_connector_breaker_state", Help: "1 for the current state of a connector's circuit breaker.",
		}, []string{"connector", "state"}),

		jobs: vector("jobs_total", "Queue jobs run by this process, by kind; again means that the job will be retried.", "kind", "outcome"),
		jobTimes: times("job_duration_seconds", "Duration of queue jobs in this process.",
			[]float64{.005, .025, .1, .5, 1, 5, 30, 300}, "kind"),
		rescued: vector("jobs_rescued_total", "Jobs of dead processes that this process has returned to the queue.").WithLabelValues(),
	}
}

// breakers sets each breaker to closed, its initial state.
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
		Background: c.backgroundFailed,
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

// unmappedCode counts only by scheme and direction: the provider's text must not become a
// metric.
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
