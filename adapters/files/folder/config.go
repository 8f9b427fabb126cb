package folder

import (
	"cmp"
	"os"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/wiring"
	"github.com/corridor-go/corridor/ports"
)

// Bounds and defaults of [Config].
const (
	DefaultStaleAfter        = time.Hour      // of New
	DefaultScratchStaleAfter = 24 * time.Hour // of NewScratch
	MinStaleAfter            = time.Minute
)

// Config tunes a [Folder] or a [Scratch]. The zero value, and nil, mean the
// defaults.
type Config struct {
	// Clock measures the age of leftovers; it must agree with the file system's clock
	// to a fraction of StaleAfter. nil: [ports.SystemClock].
	Clock ports.Clock

	// StaleAfter is the time without a write after which a file, or all files of a
	// scratch space, are considered a dead process's; at least [MinStaleAfter]. 0:
	// [DefaultStaleAfter] or [DefaultScratchStaleAfter].
	StaleAfter time.Duration
}

func (c *Config) withDefaults(staleAfter time.Duration) (Config, error) {
	f, err := wiring.Defaults(c, Config{Clock: ports.SystemClock(), StaleAfter: staleAfter})
	return f, cmp.Or(err, errcodes.AtLeast("StaleAfter", f.StaleAfter, MinStaleAfter))
}

// stale reports whether a file that was last written at the time is a leftover.
func (c *Config) stale(written time.Time) bool {
	return c.Clock.Now().Sub(written) > c.StaleAfter
}

// openRoot opens the directory, and creates it if it is missing.
func openRoot(dir string) (*os.Root, error) {
	if dir == "" {
		return nil, errcodes.New(errcodes.Configuration, "dir is required")
	}
	if err := os.MkdirAll(dir, dirPerm); err != nil {
		return nil, errcodes.Wrap(errcodes.Configuration, "the directory for files cannot be created", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, errcodes.Wrap(errcodes.Configuration, "the directory for files cannot be opened", err)
	}
	return root, nil
}

const (
	dirPerm  = 0o700
	filePerm = 0o600
)
