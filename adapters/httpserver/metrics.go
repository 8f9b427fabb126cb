package httpserver

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/corridor-go/corridor/errcodes"
)

// metrics only has bounded labels: a route's pattern, never a path.
type metrics struct {
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	inFlight prometheus.Gauge
	bodies   prometheus.Gauge
}

func newMetrics(registry prometheus.Registerer) (*metrics, error) {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "corridor_http_requests_total",
			Help: "Requests answered, by route, method and status.",
		}, []string{"route", "method", "code"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "corridor_http_request_duration_seconds",
			Help:    "Time from the request to the end of its answer, by route.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"route"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "corridor_http_requests_in_flight",
			Help: "Requests in progress.",
		}),
		bodies: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "corridor_http_held_bytes",
			Help: "Bytes of bodies that unfinished requests hold in memory.",
		}),
	}
	for _, c := range []prometheus.Collector{m.requests, m.duration, m.inFlight, m.bodies} {
		if err := registry.Register(c); err != nil {
			return nil, errcodes.Wrap(errcodes.Configuration, "the handler's metrics cannot be registered in Metrics", err)
		}
	}
	return m, nil
}

func (m *metrics) done(route, verb string, status int, took time.Duration) {
	m.inFlight.Dec()
	m.requests.WithLabelValues(route, method(verb), code(status)).Inc()
	m.duration.WithLabelValues(route).Observe(took.Seconds())
}

// method bounds the label, because a client may send any word as the method.
func method(verb string) string {
	switch verb {
	case http.MethodGet, http.MethodPost, http.MethodHead, http.MethodOptions,
		http.MethodPut, http.MethodPatch, http.MethodDelete:
		return verb
	default:
		return "other"
	}
}

// code avoids an allocation for the usual statuses.
func code(status int) string {
	switch status {
	case http.StatusOK:
		return "200"
	case http.StatusCreated:
		return "201"
	default:
		return strconv.Itoa(status)
	}
}
