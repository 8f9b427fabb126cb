package river

import (
	"log/slog"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Config tunes a queue. The zero value of a field is its default.
type Config struct {
	// Kinds are the kinds of work that go to River; work of other kinds stays in
	// the store. A kind is 1 to 58 lower-case letters, digits and single dots or
	// underscores between them. Default: none.
	Kinds []string

	// Wake names, by the kind of an event, the ticker that runs as soon as such
	// an event is stored. One event is one job, so this is for rare events.
	Wake map[string]string

	// SkipMigrate leaves the tables as they are: New then refuses a database
	// without them with errcodes.Configuration.
	SkipMigrate bool

	Clock ports.Clock // what Tick is told; default: ports.SystemClock

	// Logger is told of what goes wrong; of what fails again and again once a
	// minute, with how often it was left out. No payload and no server's text is
	// logged. Default: nothing is.
	Logger *slog.Logger
	Hooks  Hooks

	// Batch is how many items of a kind a process holds at once; one Tick
	// handles all of them. Default 100; 1 to 1,000.
	Batch int

	// Timeout bounds one Tick of Jobs.Work. Default 1 min; 1 s to 1 h.
	Timeout time.Duration

	// Poll is how often a process looks for jobs that no notification told of,
	// such as those that a retry has made due. Default 1 s; 10 ms to 1 min.
	Poll time.Duration

	// DeadAfter is how long a process may give no sign of life before others
	// take up its jobs; it gives eight in that time. Default 8 s; 1 s to 10 min.
	DeadAfter time.Duration

	// Grace is how long Close lets running rounds go on before it ends their
	// contexts. Default 10 s; 1 ms to 10 min.
	Grace time.Duration

	// Keep is how long ended jobs stay in the table, 30 s more or less.
	// Default 1 min; 1 s to 30 days.
	Keep time.Duration
}

// Hooks are told what happens, for metrics. They are called in place, from many
// goroutines, and must be quick. nil: nobody is told.
type Hooks struct {
	// JobEnded is told of each job of this process: the kind of its item or the
	// name of its ticker, how long it was here, and why it will come again, if
	// it will: nil for an item that was settled, and a round without an error.
	JobEnded func(kind string, took time.Duration, err error)
	// Rescued is told how many jobs of dead processes this one has given back.
	Rescued func(jobs int)
	// Background is told of the queue's own failures.
	Background func(err error)
}

const (
	defaultBatch, maxBatch                 = 100, 1000
	defaultTimeout, minTimeout             = time.Minute, time.Second
	maxTimeout                             = time.Hour
	defaultPoll, minPoll, maxPoll          = time.Second, 10 * time.Millisecond, time.Minute
	defaultDead, minDead, maxDead          = 8 * time.Second, time.Second, 10 * time.Minute
	defaultGrace, minGrace, maxGrace       = 10 * time.Second, time.Millisecond, 10 * time.Minute
	defaultKeep, minKeep, maxKeep          = time.Minute, time.Second, 30 * 24 * time.Hour
	fetchCooldown                          = 100 * time.Millisecond
	beatsBeforeDead                        = 8
	firstPause, longestPause               = time.Second, time.Minute
	minConns                         int32 = 4
)

func (c *Config) withDefaults() (Config, error) {
	var d Config
	if c != nil {
		d = *c
	}
	d.fill()
	for _, check := range []error{
		between("Batch", d.Batch, 1, maxBatch),
		between("Timeout", d.Timeout, minTimeout, maxTimeout),
		between("Poll", d.Poll, minPoll, maxPoll),
		between("DeadAfter", d.DeadAfter, minDead, maxDead),
		between("Grace", d.Grace, minGrace, maxGrace),
		between("Keep", d.Keep, minKeep, maxKeep),
		d.checkNames(),
	} {
		if check != nil {
			return d, check
		}
	}
	return d, nil
}

func (c *Config) fill() {
	if c.Clock == nil {
		c.Clock = ports.SystemClock()
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	set(&c.Batch, defaultBatch)
	set(&c.Timeout, defaultTimeout)
	set(&c.Poll, defaultPoll)
	set(&c.DeadAfter, defaultDead)
	set(&c.Grace, defaultGrace)
	set(&c.Keep, defaultKeep)
	c.Hooks.fill()
}

func (h *Hooks) fill() {
	if h.JobEnded == nil {
		h.JobEnded = func(string, time.Duration, error) {}
	}
	if h.Rescued == nil {
		h.Rescued = func(int) {}
	}
	if h.Background == nil {
		h.Background = func(error) {}
	}
}

func set[T comparable](field *T, unset T) {
	var zero T
	if *field == zero {
		*field = unset
	}
}

func (c *Config) checkNames() error {
	seen := map[string]bool{}
	for _, kind := range c.Kinds {
		if !validName(kind) {
			return refuse("A kind of Kinds is not lower-case words with dots or underscores between them")
		}
		if seen[kind] {
			return refuse("Kinds names one twice")
		}
		seen[kind] = true
	}
	for event, ticker := range c.Wake {
		if seen[event] {
			return refuse("Kinds and Wake share a kind")
		}
		if !validName(ticker) {
			return refuse("A ticker of Wake is not lower-case words with dots or underscores between them")
		}
	}
	return nil
}

func refuse(message string) error { return errcodes.New(errcodes.Configuration, message) }
