package report

import (
	"crypto/rand"
	"io"
	"log/slog"
	"slices"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/report/match"
)

// Ports are what a [Service] needs from outside.
type Ports struct {
	Reports      ports.ReportStore
	Transactions ports.TransactionSource
	Settlements  ports.SettlementSource // nil: no unmatched reports
	Writers      []ports.ReportWriter   // one of each format; csv among them
	Files        ports.ReportFiles
	Scratch      ports.Scratch
}

// Policy is what a business decides.
type Policy struct {
	// SettleWithin is how long after its creation a transaction may be settled
	// without being reported as missing. At most 90 days; 0 is the same instant.
	SettleWithin time.Duration
	// Directions are those whose transactions the settlements are about. None:
	// payins, and then a line that settles a payout is a missing_transaction.
	Directions []errcodes.Direction
	// Tolerance is by how many minor units a settled sum may differ from the
	// transaction's amount, in any currency. 0 to [match.MaxTolerance].
	Tolerance int64
	// KeepFor is how long an ended report and its file stay. 0: for ever.
	KeepFor time.Duration
}

const maxSettleWithin = 90 * 24 * time.Hour

// Check refuses values out of their bounds, as errcodes.Configuration.
func (p Policy) Check() error {
	switch {
	case p.SettleWithin < 0 || p.SettleWithin > maxSettleWithin:
		return misconfigured("SettleWithin is 0 to " + maxSettleWithin.String())
	case slices.ContainsFunc(p.Directions, func(d errcodes.Direction) bool { return !d.Valid() }):
		return misconfigured("Directions are payin and payout")
	case p.Tolerance < 0 || p.Tolerance > match.MaxTolerance:
		return misconfigured("Tolerance is 0 to MaxTolerance")
	case p.KeepFor < 0:
		return misconfigured("KeepFor is at least 0")
	default:
		return nil
	}
}

func misconfigured(message string) error { return errcodes.New(errcodes.Configuration, message) }

// Defaults of [Config].
const (
	DefaultEvery       = time.Second
	DefaultLease       = 30 * time.Second
	DefaultMaxRun      = time.Hour
	DefaultMaxAttempts = 3
	DefaultInline      = 1000
	DefaultLinkLife    = 15 * time.Minute
	DefaultMemory      = 256 << 20
	DefaultAtOnce      = 2
	DefaultMaxWaiting  = 100
)

// minLinkKey is the least that a key for links may have, in bytes.
const minLinkKey = 32

// Config tunes a [Service]. The zero value of each field is its default.
type Config struct {
	Clock  ports.Clock  // default: ports.SystemClock
	Random io.Reader    // safe for concurrent use; default: crypto/rand
	Logger *slog.Logger // default: nothing is logged
	Hooks  Hooks
	// Every is the pause between two looks for reports that other processes
	// left. Default 1 s. At least 1 ms.
	Every time.Duration
	// Lease is after how long a silent process's report is taken up by another; a
	// clock that jumps ahead by more costs what is being made an attempt.
	// Default 30 s. At least 3 ms.
	Lease time.Duration
	// MaxRun bounds one attempt; a report that takes longer has failed. Default
	// 1 h. At least 1 ms.
	MaxRun time.Duration
	// MaxAttempts is how often a report is begun; after that it has failed. An
	// attempt that a shutdown broke off does not count. Default 3.
	MaxAttempts int
	// Inline is how many rows [Service.Rows] gives at the most. Default 1,000;
	// -1 for none.
	Inline int
	// LinkKey signs download links, at least 32 bytes. Processes that share a
	// store share it. Default: one of this service's own.
	LinkKey []byte
	// LinkLife is how long a link is good. Default 15 min. At least 1 s.
	LinkLife time.Duration
	// Memory bounds what matching settlements holds, in bytes; the rest goes to
	// Scratch. Default 256 MiB. At least 1 MiB.
	Memory int64
	// AtOnce is how many reports run side by side in [Service.Run]. Default 2.
	AtOnce int
	// MaxWaiting is how many reports of one owner, asked for at this service, may
	// be on their way. Reports are made in the order of their creation, so that
	// without a bound one owner keeps all others waiting. Default 100. At least 1.
	MaxWaiting int
}

// Hooks are called in place; they must be quick and safe for concurrent use, and
// must not panic: that ends the process. Each may be nil.
type Hooks struct {
	// Ended: a report has come to its end, so long after it was asked for.
	Ended func(r ports.ReportJob, took time.Duration)
	// Background: a step that no caller hears of failed; it is tried again.
	Background func(err error)
}

func (c *Config) withDefaults() (Config, error) {
	var out Config
	if c != nil {
		out = *c
	}
	if out.Clock == nil {
		out.Clock = ports.SystemClock()
	}
	if out.Random == nil {
		out.Random = rand.Reader
	}
	if out.Logger == nil {
		out.Logger = slog.New(slog.DiscardHandler)
	}
	if out.Hooks.Ended == nil {
		out.Hooks.Ended = func(ports.ReportJob, time.Duration) {}
	}
	if out.Hooks.Background == nil {
		out.Hooks.Background = func(error) {}
	}
	fill(&out.Every, DefaultEvery)
	fill(&out.Lease, DefaultLease)
	fill(&out.MaxRun, DefaultMaxRun)
	fill(&out.MaxAttempts, DefaultMaxAttempts)
	fill(&out.LinkLife, DefaultLinkLife)
	fill(&out.Memory, DefaultMemory)
	fill(&out.AtOnce, DefaultAtOnce)
	fill(&out.MaxWaiting, DefaultMaxWaiting)
	switch out.Inline {
	case 0:
		out.Inline = DefaultInline
	case -1:
		out.Inline = 0
	}
	if err := out.check(); err != nil {
		return out, err
	}
	out.LinkKey = slices.Clone(out.LinkKey) // who gave it may wipe it
	if out.LinkKey == nil {
		out.LinkKey = make([]byte, minLinkKey)
		if _, err := io.ReadFull(out.Random, out.LinkKey); err != nil {
			return out, errcodes.Wrap(errcodes.Internal, "", err)
		}
	}
	return out, nil
}

func fill[T comparable](field *T, unset T) {
	var zero T
	if *field == zero {
		*field = unset
	}
}

func (c *Config) check() error {
	switch {
	case c.Every < time.Millisecond || c.MaxRun < time.Millisecond || c.LinkLife < time.Second:
		return misconfigured("Every and MaxRun are at least 1ms, LinkLife 1s")
	case c.Lease < 3*time.Millisecond:
		return misconfigured("Lease is at least 3ms")
	case c.MaxAttempts < 1 || c.AtOnce < 1 || c.MaxWaiting < 1:
		return misconfigured("MaxAttempts, AtOnce and MaxWaiting are at least 1")
	case c.Inline < 0:
		return misconfigured("Inline is at least 1, or -1 for none")
	case c.LinkKey != nil && len(c.LinkKey) < minLinkKey:
		return misconfigured("LinkKey has at least 32 bytes")
	case c.Memory < 1<<20:
		return misconfigured("Memory is at least 1 MiB")
	default:
		return nil
	}
}
