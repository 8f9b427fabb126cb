package clientauth

import (
	"context"
	"log/slog"
	"time"

	"github.com/corridor-go/corridor/internal/localfile"
	"github.com/corridor-go/corridor/internal/wiring"
	"github.com/corridor-go/corridor/ports"
)

const (
	lookEvery   = time.Second
	maxFileSize = 16 << 20
)

// FileConfig tunes a [File]. The zero value, and nil, mean the defaults.
type FileConfig struct {
	Clock  ports.Clock  // paces the looks at the file; nil: [ports.SystemClock]
	Logger *slog.Logger // gets a line when a version is rejected, and when it is good again; nil: nothing is logged
}

// File is the clients of a JSON file:
//
//	[{"id": "acme", "disabled": false, "merchants": ["…"],
//	  "secrets": [{"sha256": "64 hex digits", "notBefore": "2026-01-01T00:00:00Z", "notAfter": "…"}]}]
//
// All but id may be left out: no merchants means any, no bound means none. It
// is a [Clients].
//
// When somebody asks, but at most once a second, the file is looked at, and read
// again if it has changed. A new version that is broken is logged once, and
// the last good one stays in force; so it does when the file is gone.
type File struct {
	clock ports.Clock
	file  *localfile.Watched[*Static]
}

// OpenFile reads the clients file at path. A file that cannot be read or is
// broken is [errcodes.Configuration].
func OpenFile(path string, cfg *FileConfig) (*File, error) {
	c, err := wiring.Defaults(cfg, FileConfig{Clock: ports.SystemClock(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	file, err := localfile.Watch(localfile.Config[*Static]{
		Path: path, Name: "the clients file", MaxSize: maxFileSize, Every: lookEvery, Clock: c.Clock, Logger: c.Logger, Parse: parseFile,
	})
	if err != nil {
		return nil, err
	}
	return &File{c.Clock, file}, nil
}

// Client returns the client of id; an unknown one is [errcodes.NotFound].
func (f *File) Client(ctx context.Context, id string) (ports.Client, error) {
	clients, _ := f.file.Current(f.clock.Now())
	return clients.Client(ctx, id)
}
