package service

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/corridor-go/corridor/adapters/connector/flutterwave"
	"github.com/corridor-go/corridor/adapters/connector/mtnmomo"
	"github.com/corridor-go/corridor/adapters/connector/paystack"
	"github.com/corridor-go/corridor/adapters/connector/sandbox"
	"github.com/corridor-go/corridor/adapters/feed/ecb"
	"github.com/corridor-go/corridor/adapters/feed/file"
	"github.com/corridor-go/corridor/adapters/files/folder"
	"github.com/corridor-go/corridor/adapters/format/csv"
	"github.com/corridor-go/corridor/adapters/format/jsonl"
	"github.com/corridor-go/corridor/adapters/format/xlsx"
	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/adapters/webhook"
	"github.com/corridor-go/corridor/ports"
)

// Shipped returns corridor's own adapters.
func Shipped() Parts {
	return Parts{
		Feeds: []FeedKind{
			{Name: "file", Form: "file:PATH", Plain: func(string) bool { return true }, Open: openFile},
			{Name: "ecb", Form: "ecb:URL-or-PATH", Plain: ecb.IsPath, Open: openECB},
		},
		Connectors: []ConnectorKind{
			{Name: sandbox.Name, Offline: true, Open: func(ConnectorOptions) (ports.AccountConnector, error) { return sandbox.New(nil) }},
			{Name: sandbox.StandbyName, Offline: true, Open: func(ConnectorOptions) (ports.AccountConnector, error) {
				return sandbox.New(&sandbox.Config{Standby: true})
			}},
			{Name: paystack.Name, Open: func(o ConnectorOptions) (ports.AccountConnector, error) { return paystack.FromEnv(o.Env, nil) }},
			{Name: flutterwave.Name, Open: func(o ConnectorOptions) (ports.AccountConnector, error) { return flutterwave.FromEnv(o.Env, nil) }},
			{Name: mtnmomo.Name, Open: func(o ConnectorOptions) (ports.AccountConnector, error) { return mtnmomo.FromEnv(o.Env, nil) }},
		},
		Stores: []StoreKind{
			{Name: "memory", Form: "memory:", Plain: true, Open: openMemory},
			{Name: "sqlite", Form: "sqlite:PATH", Plain: true, Open: openSQLite},
			{Name: "postgres", Form: "postgres://…", Open: openPostgres},
			{Name: "postgresql", Open: openPostgres},
		},
		Sinks: []SinkKind{{Name: webhookSink, Open: openWebhook}},
		Places: []PlaceKind{
			{Name: "dir:", Form: "dir:PATH", Open: openDir},
			{Name: "file://", Form: "file:///PATH", Open: openFileURL},
		},
		Formats: []FormatKind{
			{Name: "csv", Open: func() (ports.ReportWriter, error) { return csv.New(nil) }},
			{Name: "jsonl", Open: func() (ports.ReportWriter, error) { return jsonl.New(), nil }},
			{Name: "xlsx", Open: func() (ports.ReportWriter, error) { return xlsx.New(nil) }},
		},
	}
}

func openFile(_ context.Context, source string, o FeedOptions) (ports.PriceFeed, error) {
	return file.New(source, &file.Config{Logger: o.Logger})
}

func openMemory(_ context.Context, spec string, _ StoreOptions) (*Store, error) {
	if path := afterColon(spec); path != "" {
		return nil, errors.New("memory: must not be followed by a path")
	}
	s, err := memory.New(nil)
	return &Store{StorePorts: s}, err
}

func openSQLite(ctx context.Context, spec string, _ StoreOptions) (*Store, error) {
	s, err := sqlite.Open(ctx, afterColon(spec), nil)
	if err != nil {
		return nil, err
	}
	return &Store{StorePorts: s, Ping: s.Ping}, nil
}

func openWebhook(url string, o SinkOptions) (Sink, error) {
	return webhook.New(url, o.Secrets, &webhook.Config{
		AllowPrivate: o.AllowPrivate, GoneFor: goneFor, Hooks: webhook.Hooks{Attempted: o.Attempted, Paused: o.Paused},
	})
}

func openDir(_ context.Context, path string) (ports.ReportFiles, func() error, error) {
	files, err := folder.New(path, nil)
	return files, func() error { return nil }, err
}

// openFileURL opens the folder of a file:// URL, where source is the part after file://.
// A path with host "." is relative.
func openFileURL(ctx context.Context, source string) (ports.ReportFiles, func() error, error) {
	u, err := url.Parse("file://" + source)
	if err != nil {
		return nil, nil, err
	}
	path := u.Path
	if u.Host == "." || os.PathSeparator != '/' {
		path = strings.TrimPrefix(path, "/")
	}
	return openDir(ctx, filepath.FromSlash(path))
}
