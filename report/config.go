package report

import (
	"cmp"
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"slices"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/wiring"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/report/match"
)

// Ports are the dependencies of a [Service]. All except Settlements are required.
type Ports struct {
	Reports      ports.ReportStore
	Transactions ports.TransactionSource
	Settlements  ports.SettlementSource // nil disables unmatched reports
	Writers      []ports.ReportWriter   // one per format; csv is required
	Files        ports.ReportFiles
	Scratch      ports.Scratch
}

// check returns [errcodes.Configuration] if a required port is missing.
func (p Ports) check() error {
	if p.Settlements == nil {
		p.Settlements = struct{ ports.SettlementSource }{} // the only port that may be nil
	}
	return wiring.Check(p)
}

// Policy contains the decisions of the business.
type Policy struct {
	// SettleWithin is the time after its creation within which a transaction must be
	// settled; later it is reported as missing. 0 to 90 days.
	SettleWithin time.Duration
	// Directions are the directions of transactions that settlements contain. Empty means
	// only payins: a line that settles a payout is then missing_transaction.
	Directions []errcodes.Direction
	// Tolerance is the largest accepted difference between a settled sum and the
	// transaction's amount, in minor units of any currency. 0 to [match.MaxTolerance].
	Tolerance int64
	// KeepFor is how long an ended report and its file are kept. 0 means without limit.
	KeepFor time.Duration
}

const maxSettleWithin = 90 * 24 * time.Hour

func (p Policy) check() error {
	if slices.ContainsFunc(p.Directions, func(d errcodes.Direction) bool { return !d.Valid() }) {
		return errcodes.New(errcodes.Configuration, "Directions must contain only payin and payout")
	}
	return cmp.Or(
		errcodes.Within("SettleWithin", p.SettleWithin, 0, maxSettleWithin),
		errcodes.Within("Tolerance", p.Tolerance, 0, match.MaxTolerance),
		errcodes.AtLeast("KeepFor", p.KeepFor, 0),
	)
}

// Defaults of [Config].
const (
	DefaultEvery       = time.Second
	DefaultLease       = 30 * time.Second
	DefaultMaxRun      = time.Hour
	DefaultMaxAttempts = 3
	DefaultInline      = 1000 // rows
	DefaultLinkLife    = 15 * time.Minute
	DefaultMemory      = match.DefaultMemory // bytes
	DefaultAtOnce      = 2
	DefaultMaxWaiting  = 100
)

// minLinkKey is the minimum length of Config.LinkKey in bytes.
const minLinkKey = 32

// Config tunes a [Service]. The zero value of a field means its default.
type Config struct {
	Clock  ports.Clock  // default: ports.SystemClock
	Random io.Reader    // safe for concurrent use; default: crypto/rand
	Logger *slog.Logger // default: nothing is logged
	Hooks  Hooks
	// Every is how often the service looks for reports of processes that died. Default 1
	// s. At least 1 ms.
	Every time.Duration
	// Lease is how long a process may be silent before another one takes over its report.
	// A clock that jumps ahead by more costs a running report an attempt. Default 30 s.
	// At least 3 ms.
	Lease time.Duration
	// MaxRun bounds one attempt. A report that takes longer fails. Default 1 h. At least
	// 1 ms.
	MaxRun time.Duration
	// MaxAttempts bounds how often a report is attempted before it fails. Attempts that
	// [Service.Stop] interrupts do not count. Default 3.
	MaxAttempts int
	// Inline is the maximum number of rows that [Service.Rows] returns. Default 1,000; -1
	// means none.
	Inline int
	// LinkKey signs the tokens of download links: at least 32 bytes. Processes that share
	// a store must use the same key. Default: a random key per service.
	LinkKey []byte
	// LinkLife is how long a token is valid. Default 15 min. At least 1 s.
	LinkLife time.Duration
	// Memory bounds the memory for matching settlements, in bytes; the rest is written to
	// Scratch. Default 256 MiB. At least 1 MiB.
	Memory int64
	// AtOnce is the number of reports that [Service.Run] makes concurrently. Default 2.
	AtOnce int
	// MaxWaiting bounds the waiting and running reports of one owner among those created
	// by this service. Reports are made in order of creation, so without a bound one
	// owner could delay all others. Default 100.
	MaxWaiting int
}

// Hooks are called synchronously. They must be quick and safe for concurrent use, and
// must not panic, which would end the process. Each may be nil.
type Hooks struct {
	// Ended is called when a report ends, with the time since its creation.
	Ended func(ctx context.Context, r ports.ReportJob, took time.Duration)
	// Background is called with errors that no caller sees. The operation is retried.
	Background func(ctx context.Context, err error)
}

func (c *Config) withDefaults() (Config, error) {
	d, err := wiring.Defaults(c, Config{
		Clock: ports.SystemClock(), Random: rand.Reader, Logger: slog.New(slog.DiscardHandler), Every: DefaultEvery, Lease: DefaultLease,
		MaxRun: DefaultMaxRun, MaxAttempts: DefaultMaxAttempts, Inline: DefaultInline, LinkLife: DefaultLinkLife, Memory: DefaultMemory,
		AtOnce: DefaultAtOnce, MaxWaiting: DefaultMaxWaiting,
		Hooks: Hooks{
			Ended:      func(context.Context, ports.ReportJob, time.Duration) {},
			Background: func(context.Context, error) {},
		},
	})
	d.LinkKey = slices.Clone(d.LinkKey) // the caller may wipe its copy
	if d.LinkKey == nil && err == nil {
		d.LinkKey = make([]byte, minLinkKey)
		if _, err := io.ReadFull(d.Random, d.LinkKey); err != nil {
			return d, errcodes.Wrap(errcodes.Internal, "", err)
		}
	}
	return d, cmp.Or(
		err,
		errcodes.AtLeast("Every", d.Every, time.Millisecond),
		errcodes.AtLeast("Lease", d.Lease, 3*time.Millisecond),
		errcodes.AtLeast("MaxRun", d.MaxRun, time.Millisecond),
		errcodes.AtLeast("MaxAttempts", d.MaxAttempts, 1),
		errcodes.AtLeast("Inline", d.Inline, -1),
		errcodes.AtLeast("length of LinkKey", len(d.LinkKey), minLinkKey),
		errcodes.AtLeast("LinkLife", d.LinkLife, time.Second),
		errcodes.AtLeast("Memory", d.Memory, match.MinMemory),
		errcodes.AtLeast("AtOnce", d.AtOnce, 1),
		errcodes.AtLeast("MaxWaiting", d.MaxWaiting, 1),
	)
}
