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
	Clock  ports.Clock  // paces the checks of the file; nil: [ports.SystemClock]
	Logger *slog.Logger // logs when a version is rejected, and when the file is valid again; nil: nothing is logged
}

// File is a [Clients] that reads a JSON file:
//
//	[{"id": "acme", "disabled": false, "merchants": ["…"],
//	  "secrets": [{"sha256": "64 hex digits", "notBefore": "2026-01-01T00:00:00Z", "notAfter": "…"}]}]
//
// Only id is required. No merchants means that any are allowed, and a missing notBefore
// or notAfter means no bound.
//
// A look-up checks the file, at most once a second, and reads it again if it has
// changed. If a new version is invalid or the file is gone, that is logged once, and
// the last valid version stays in force.
type File struct {
	clock ports.Clock
	file  *localfile.Watched[*Static]
}

// OpenFile reads the clients file at path. It returns [errcodes.Configuration] if the
// file cannot be read or is invalid.
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

// Client returns the client with the id, or [errcodes.NotFound].
func (f *File) Client(ctx context.Context, id string) (ports.Client, error) {
	clients, _ := f.file.Current(f.clock.Now())
	return clients.Client(ctx, id)
}
