package service

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/corridor-go/corridor/adapters/webhook"
	"github.com/corridor-go/corridor/ports"
)

// Parts are the adapters that the settings can name, one table for each kind of
// part. Help texts and errors list the rows in the order of their table.
// [Shipped] returns those of corridor; a program that has adapters of its own
// appends rows to its copy.
type Parts struct {
	Feeds      []FeedKind
	Connectors []ConnectorKind
	Stores     []StoreKind
	Sinks      []SinkKind
	Places     []PlaceKind
	Formats    []FormatKind
}

// FeedKind is a row of --feed, whose values are NAME:SOURCE.
type FeedKind struct {
	Name string
	Form string // how help shows it: file:PATH
	// Plain reports whether errors may show the source. If it is nil, the source
	// may hold a key, and only the name is shown.
	Plain func(source string) bool
	// Open opens a source, which is not empty. If the feed has a method
	// LastRead() (time.Time, error), the service is degraded while that returns
	// an error or the zero time.
	Open func(ctx context.Context, source string, o FeedOptions) (ports.PriceFeed, error)
}

// FeedOptions are what the service sets of every feed.
type FeedOptions struct {
	Logger  *slog.Logger
	Timeout time.Duration // of one look at the source
}

// ConnectorKind is a row of --connectors. The package comment of the connector
// names the environment variables that it reads.
type ConnectorKind struct {
	Name string
	// Offline connectors ask no provider: they have no circuit breaker.
	Offline bool
	Open    func(o ConnectorOptions) (ports.AccountConnector, error)
}

// ConnectorOptions are what the service sets of every connector.
type ConnectorOptions struct {
	Env func(name string) string // reads a variable of the environment
}

// StoreKind is a row of --store, whose values are NAME:PATH or a URL.
type StoreKind struct {
	Name string
	Form string // how help shows it: sqlite:PATH; if it is empty, help leaves the row out
	// Plain stores are shown as they were typed. What names another store is
	// shown as a URL without its password and query.
	Plain bool
	// Open opens a store. Its errors are shown after the store's name.
	Open func(ctx context.Context, spec string, o StoreOptions) (*Store, error)
}

// SinkKind is a way in which events leave. The row that is named webhook serves
// --webhook-url.
type SinkKind struct {
	Name string
	Open func(url string, o SinkOptions) (Sink, error)
}

// Sink is where events go, until it is closed.
type Sink interface {
	ports.EventSink
	Close() error
}

// SinkOptions are what the service sets of every sink.
type SinkOptions struct {
	Secrets      []webhook.Secret
	AllowPrivate bool // the receiver may be in a private network
	// Attempted is called after each request about an event of a kind, with the
	// status of the answer, or 0.
	Attempted func(ctx context.Context, kind string, status int, took time.Duration, err error)
}

// PlaceKind is a row of --report-files.
type PlaceKind struct {
	Name string // what the setting begins with: dir: or file://
	Form string // how errors show it: dir:PATH
	// Open opens what stands behind the name. The second result closes it.
	Open func(ctx context.Context, source string) (ports.ReportFiles, func() error, error)
}

// FormatKind is a format of report files.
type FormatKind struct {
	Name string
	Open func() (ports.ReportWriter, error)
}

// Vars are the variables in the tags of [Settings], for kong.Vars. Commands of
// one's own may use them too: formats is for an enum.
func (p Parts) Vars() map[string]string {
	formats := make([]string, len(p.Formats))
	for i, f := range p.Formats {
		formats[i] = f.Name
	}
	return map[string]string{
		"connectors": p.connectorNames(), "feeds": p.feedForms(), "stores": p.storeForms(), "places": p.placeForms(),
		"formats": strings.Join(formats, ","),
	}
}

// either lists the forms that are not empty: a, b or c.
func either[K any](rows []K, form func(K) string) string {
	var all []string
	for _, r := range rows {
		if f := form(r); f != "" {
			all = append(all, f)
		}
	}
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	last := len(all) - 1
	return strings.Join(all[:last], ", ") + " or " + all[last]
}

// kindOf shows what stands before the colon, and nothing of what may be a secret.
func kindOf(spec string) string {
	kind, _, found := strings.Cut(spec, ":")
	if !found || strings.Trim(kind, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		return "…"
	}
	return kind + ":…"
}
