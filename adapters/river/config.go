package river

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Defaults of [Config] and [Ticker].
const (
	DefaultEvery       = 5 * time.Second
	DefaultBatch       = 100
	DefaultTimeout     = time.Minute
	DefaultPoll        = time.Second
	DefaultDeadAfter   = 8 * time.Second
	DefaultGrace       = 10 * time.Second
	DefaultKeep        = time.Minute
	DefaultTickTimeout = time.Minute
)

// Config tunes a queue. The zero value of each field means its default.
type Config struct {
	// Kinds are the kinds of work whose items wake the Tick of Jobs.Work when they are
	// due. A kind is 1 to 58 lower-case letters, digits and single dots or underscores
	// between them. Default: none.
	Kinds []string

	// Wake maps kinds of events to the ticker that runs as soon as such an event is
	// stored. Each event is a job, so this is for rare events.
	Wake map[string]string

	// SkipMigrate makes New leave the tables unchanged and return
	// [errcodes.Configuration] if they are missing or older.
	SkipMigrate bool

	Clock ports.Clock // the time that Tick gets; default: ports.SystemClock

	// Logger logs failures, a repeated one once a minute with the number of those left
	// out. Payloads and the server's texts are not logged. Default: no logging.
	Logger *slog.Logger
	Hooks  Hooks

	// Every is how often each Tick of Jobs.Work runs in one of the processes even if no
	// item wakes it: for items that a process without this package stored, that a Tick
	// has retried or not settled, or whose lease has ended, and for deadlines and
	// purges. Default 5 s; 1 s to 1 h.
	Every time.Duration

	// Batch is how many wake-ups of a kind a process fetches at once; one Tick serves
	// all of them. Default 100; 1 to 1,000.
	Batch int

	// Timeout bounds one Tick of Jobs.Work. Default 1 min; 1 s to 1 h.
	Timeout time.Duration

	// Poll is how often a process looks for jobs that arrive without a notification,
	// such as scheduled ones. Default 1 s; 10 ms to 1 min.
	Poll time.Duration

	// DeadAfter is how long a process may show no sign of life before others take over
	// its jobs; a living process shows eight in that time. Default 8 s; 1 s to 10 min.
	DeadAfter time.Duration

	// Grace is how long Stop waits for running rounds before it cancels their
	// contexts. Default 10 s; 1 ms to 10 min.
	Grace time.Duration

	// Keep is how long ended jobs stay in the table, ± 30 s. Default 1 min; 1 s to
	// 30 days.
	Keep time.Duration
}

// Hooks are for metrics. They are called synchronously and concurrently, and must
// return quickly. Each may be nil.
type Hooks struct {
	// JobEnded is called when a job of this process ends, with its kind of work or the
	// name of its ticker, how long it ran here, and the error of its round, or nil.
	JobEnded func(ctx context.Context, kind string, took time.Duration, err error)
	// Rescued is called with the number of dead processes' jobs that this process has
	// made available again.
	Rescued func(ctx context.Context, jobs int)
	// Background is called with failures of the queue itself.
	Background func(ctx context.Context, err error)
}

const (
	fetchCooldown         = 100 * time.Millisecond
	beatsBeforeDead       = 8
	minConns        int32 = 4
)

func (c *Config) withDefaults() (Config, error) {
	d := *cmp.Or(c, &Config{})
	d.Clock = cmp.Or(d.Clock, ports.SystemClock())
	d.Logger = cmp.Or(d.Logger, slog.New(slog.DiscardHandler))
	d.Every = cmp.Or(d.Every, DefaultEvery)
	d.Batch = cmp.Or(d.Batch, DefaultBatch)
	d.Timeout = cmp.Or(d.Timeout, DefaultTimeout)
	d.Poll = cmp.Or(d.Poll, DefaultPoll)
	d.DeadAfter = cmp.Or(d.DeadAfter, DefaultDeadAfter)
	d.Grace = cmp.Or(d.Grace, DefaultGrace)
	d.Keep = cmp.Or(d.Keep, DefaultKeep)
	if d.Hooks.JobEnded == nil {
		d.Hooks.JobEnded = func(context.Context, string, time.Duration, error) {}
	}
	if d.Hooks.Rescued == nil {
		d.Hooks.Rescued = func(context.Context, int) {}
	}
	if d.Hooks.Background == nil {
		d.Hooks.Background = func(context.Context, error) {}
	}
	return d, cmp.Or(
		errcodes.NotNil("Clock", d.Clock),
		errcodes.Within("Every", d.Every, minTick, time.Hour),
		errcodes.Within("Batch", d.Batch, 1, 1000),
		errcodes.Within("Timeout", d.Timeout, time.Second, time.Hour),
		errcodes.Within("Poll", d.Poll, 10*time.Millisecond, time.Minute),
		errcodes.Within("DeadAfter", d.DeadAfter, time.Second, 10*time.Minute),
		errcodes.Within("Grace", d.Grace, time.Millisecond, 10*time.Minute),
		errcodes.Within("Keep", d.Keep, time.Second, 30*24*time.Hour),
		d.checkNames(),
	)
}

func (c *Config) checkNames() error {
	seen := map[string]bool{}
	for _, kind := range c.Kinds {
		if err := checkName("Kinds", kind); err != nil {
			return err
		}
		if seen[kind] {
			return misconfigured(fmt.Sprintf("Kinds contains %q twice", kind))
		}
		seen[kind] = true
	}
	for event, ticker := range c.Wake {
		if seen[event] {
			return misconfigured(fmt.Sprintf("Kinds and Wake both contain %q", event))
		}
		if err := checkName("Wake", ticker); err != nil {
			return err
		}
	}
	return nil
}

func misconfigured(message string) error { return errcodes.New(errcodes.Configuration, message) }
