package clientauth

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/corridor-go/corridor/internal/background"
	"github.com/corridor-go/corridor/internal/localfile"
	"github.com/corridor-go/corridor/internal/wiring"
	"github.com/corridor-go/corridor/ports"
)

const (
	lookEvery   = time.Second
	maxFileSize = 16 << 20
	maxMistakes = 5 // in one error
)

// FileConfig tunes a [File]. The zero value, and nil, mean the defaults.
type FileConfig struct {
	Clock  ports.Clock  // paces the checks of the file; nil: [ports.SystemClock]
	Logger *slog.Logger // logs when a new version is in use, when one is rejected, and when the file is valid again; nil: nothing is logged
}

// File is a [Clients] that reads a JSON file:
//
//	[{"id": "acme", "disabled": false, "merchants": ["…"], "revokedBefore": "2026-01-01T00:00:00Z",
//	  "secrets": [{"sha256": "64 hex digits", "notBefore": "2026-01-01T00:00:00Z", "notAfter": "…"}]}]
//
// Only id is required. The client may name the merchants in its list, and any if the list
// contains "*". A missing notBefore or notAfter means no bound. Tokens end with the secret
// that bought them, and revokedBefore ends all tokens issued before it: in the future, it
// locks the client until then. The list must not be empty: to reject all clients, disable
// them.
//
// [File.Run] checks the file once a second; without it, a look-up does, at most once a
// second. A new version is logged with the number of its clients. If a version is
// invalid or the file is gone, that is logged once, with the id of each client that is
// wrong, and the last valid version stays in force. [CheckFile] checks a file before it
// is used.
type File struct {
	clock ports.Clock
	file  *localfile.Watched[*Static]
	loops *background.Loops
}

// OpenFile reads the clients file at path. It returns [errcodes.Configuration] if the
// file cannot be read or is invalid.
func OpenFile(path string, cfg *FileConfig) (*File, error) {
	c, err := wiring.Defaults(cfg, FileConfig{Clock: ports.SystemClock(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	file, err := localfile.Watch(localfile.Config[*Static]{
		Path: path, Name: "the clients file", MaxSize: maxFileSize, Every: lookEvery, Clock: c.Clock, Logger: c.Logger,
		Parse: func(data []byte) (*Static, error) {
			s, mistakes := parseFile(data)
			return s, summary(mistakes)
		},
		Size: func(s *Static) slog.Attr { return slog.Int("clients", len(s.clients)) },
	})
	if err != nil {
		return nil, err
	}
	return &File{c.Clock, file, background.New(background.Config{
		Clock: c.Clock, Every: lookEvery, Logger: c.Logger, Work: "the clients file", Failed: func(context.Context, error) {},
	})}, nil
}

// summary returns the first mistakes as one error, or nil without mistakes.
func summary(mistakes []error) error {
	if len(mistakes) == 0 {
		return nil
	}
	var parts []string
	for _, m := range mistakes[:min(len(mistakes), maxMistakes)] {
		parts = append(parts, m.Error())
	}
	if more := len(mistakes) - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return errors.New(strings.Join(parts, "; "))
}

// CheckFile returns the number of clients in the clients file at path, or every mistake
// in it. Mistakes have the number of the client and its id, but contain no secret. If
// the file cannot be read, that is the only mistake.
func CheckFile(path string) (clients int, mistakes []error) {
	data, err := localfile.Read(path, maxFileSize)
	if err != nil {
		return 0, []error{err}
	}
	s, mistakes := parseFile(data)
	if len(mistakes) > 0 {
		return 0, mistakes
	}
	return len(s.clients), nil
}

// Run checks the file at once and then once a second, so that a new version and a
// mistake are logged without a look-up. It returns the context's error when ctx is done.
func (f *File) Run(ctx context.Context) error {
	return f.loops.Run(ctx, func(_ context.Context, now time.Time) error {
		f.file.Current(now) // logs what it finds
		return nil
	})
}

// Client returns the client with the id, or [errcodes.NotFound].
func (f *File) Client(ctx context.Context, id string) (ports.Client, error) {
	clients, _ := f.file.Current(f.clock.Now())
	return clients.Client(ctx, id)
}
