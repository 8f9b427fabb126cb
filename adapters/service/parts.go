package service

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/corridor-go/corridor/adapters/webhook"
	"github.com/corridor-go/corridor/ports"
)

// Parts are the adapters that settings can name, one table per kind. Help texts and
// errors list the rows in order. [Shipped] returns those of corridor; a program with
// other adapters appends rows to its copy.
type Parts struct {
	Feeds      []FeedKind
	Connectors []ConnectorKind
	Stores     []StoreKind
	Sinks      []SinkKind
	Places     []PlaceKind
	Formats    []FormatKind
}

// FeedKind is a kind of feed for --feed, whose values are NAME:SOURCE.
type FeedKind struct {
	Name string
	Form string // for help texts, such as file:PATH
	// Plain reports whether errors may show the source. If it is nil, they show only the
	// name, because the source may contain a key.
	Plain func(source string) bool
	// Open opens a source: the part of the setting after "NAME:", which is not empty. If the feed has a method LastRead()
	// (time.Time, error), the service is degraded while that returns an error or the zero
	// time.
	Open func(ctx context.Context, source string, o FeedOptions) (ports.PriceFeed, error)
}

// FeedOptions are the options that the service sets for every feed.
type FeedOptions struct {
	Logger  *slog.Logger
	Timeout time.Duration // for each read of the source
}

// ConnectorKind is a kind of connector for --connectors. The package comment of the
// connector lists the environment variables that it reads.
type ConnectorKind struct {
	Name string
	// Offline connectors call no provider and have no circuit breaker.
	Offline bool
	Open    func(o ConnectorOptions) (ports.AccountConnector, error)
}

// ConnectorOptions are the options that the service sets for every connector.
type ConnectorOptions struct {
	Env func(name string) string // returns an environment variable
}

// StoreKind is a kind of store for --store, whose values are NAME:PATH or a URL.
type StoreKind struct {
	Name string
	Form string // for help texts, such as sqlite:PATH; help omits the row if it is empty
	// Plain means that messages show the setting unchanged. Otherwise they show it as a
	// URL without password and query.
	Plain bool
	// Open opens a store. Unlike a feed's, spec is the whole setting, including "NAME:".
	// Errors are prefixed with the store's name.
	Open func(ctx context.Context, spec string, o StoreOptions) (*Store, error)
}

// SinkKind is a kind of receiver of events. The row named webhook is for --webhook-url: a
// program with another sink replaces that row's Open.
type SinkKind struct {
	Name string
	Open func(url string, o SinkOptions) (Sink, error)
}

// Sink is an event sink that can be closed.
type Sink interface {
	ports.EventSink
	Close() error
}

// SinkOptions are the options that the service sets for every sink.
type SinkOptions struct {
	Secrets      []webhook.Secret
	AllowPrivate bool // receivers in private networks are allowed
	// Attempted is called after each delivery request for an event of a kind, with the
	// response status or 0.
	Attempted func(ctx context.Context, kind string, status int, took time.Duration, err error)
	// Paused is called when the sink begins (true) and ends (false) to hold events
	// back because the receiver said that it is gone. Meanwhile the service is degraded.
	Paused func(ctx context.Context, on bool)
}

// PlaceKind is a kind of place for --report-files.
type PlaceKind struct {
	Name string // prefix of the setting, such as dir: or file://
	Form string // for errors, such as dir:PATH
	// Open opens the place after the prefix. The second result closes it.
	Open func(ctx context.Context, source string) (ports.ReportFiles, func() error, error)
}

// FormatKind is a format of report files.
type FormatKind struct {
	Name string
	Open func() (ports.ReportWriter, error)
}

// Vars returns the variables for the tags of [Settings], for kong.Vars. Other commands
// may use them too; formats is for an enum.
func (p Parts) Vars() map[string]string {
	formats := make([]string, len(p.Formats))
	for i, f := range p.Formats {
		formats[i] = f.Name
	}
	return map[string]string{
		"connectors": strings.Join(p.connectorNames(), ", "), "feeds": p.feedForms(), "stores": p.storeForms(), "places": p.placeForms(),
		"formats": strings.Join(formats, ","),
	}
}

// either returns the forms that are not empty as "a, b or c".
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

// kindOf returns the part before the colon, because the rest may be a secret.
func kindOf(spec string) string {
	kind, _, found := strings.Cut(spec, ":")
	if !found || strings.Trim(kind, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		return "…"
	}
	return kind + ":…"
}

// DidYouMean returns `; did you mean "x"?` for the known word that is most like a mistyped
// one, to be appended to an error. It returns "" if the word is known, or if none is like
// it: a third of the word's letters may differ. Upper and lower case are equal.
func DidYouMean(word string, known []string) string {
	best, least := "", (len(word)+2)/3+1
	for _, k := range known {
		if d := distance(strings.ToLower(word), strings.ToLower(k)); d < least {
			best, least = k, d
		}
	}
	if best == "" || slices.Contains(known, word) {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// distance returns how many bytes must be inserted, removed or replaced to make a equal b.
func distance(a, b string) int {
	row := make([]int, len(b)+1) // from the part of a that has been read to each beginning of b
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0]++
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
