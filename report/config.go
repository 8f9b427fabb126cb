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

// Ports are what a [Service] needs from outside. All but Settlements are required.
type Ports struct {
	Reports      ports.ReportStore
	Transactions ports.TransactionSource
	Settlements  ports.SettlementSource // nil: no unmatched reports
	Writers      []ports.ReportWriter   // one for each format, csv among them
	Files        ports.ReportFiles
	Scratch      ports.Scratch
}

// check returns [errcodes.Configuration] if a required port is missing.
func (p Ports) check() error {
	if p.Settlements == nil {
		p.Settlements = struct{ ports.SettlementSource }{} // the only one that may be nil
	}
	return wiring.Check(p)
}

// Policy is what a business decides.
type Policy struct {
	// SettleWithin is how long after its creation a transaction may be settled
	// without being reported as missing: 0 to 90 days.
	SettleWithin time.Duration
	// Directions are those of the transactions that settlements are about. Empty
	// means payins alone: a line that settles a payout is then missing_transaction.
	Directions []errcodes.Direction
	// Tolerance is by how many minor units a settled sum may differ from the
	// transaction's amount, in any currency. 0 to [match.MaxTolerance].
	Tolerance int64
	// KeepFor is how long an ended report and its file stay. 0 means without limit.
	KeepFor time.Duration
}

const maxSettleWithin = 90 * 24 * time.Hour

func (p Policy) check() error {
	if slices.ContainsFunc(p.Directions, func(d errcodes.Direction) bool { return !d.Valid() }) {
		return errcodes.New(errcodes.Configuration, "Directions must hold payin and payout only")
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

// minLinkKey is the length of the shortest key for links, in bytes.
const minLinkKey = 32

// Config tunes a [Service]. The zero value of each field means its default.
type Config struct {
	Clock  ports.Clock  // default: ports.SystemClock
	Random io.Reader    // safe for concurrent use; default: crypto/rand
	Logger *slog.Logger // default: nothing is logged
	Hooks  Hooks
	// Every is the pause between two looks for reports of other processes that
	// died. Default 1 s. At least 1 ms.
	Every time.Duration
	// Lease is how long a process may be silent before another takes up its report.
	// A clock that jumps ahead by more costs a running report an attempt. Default
	// 30 s. At least 3 ms.
	Lease time.Duration
	// MaxRun bounds one attempt; a report that takes longer has failed. Default
	// 1 h. At least 1 ms.
	MaxRun time.Duration
	// MaxAttempts is how often a report is begun before it has failed. Attempts that
	// [Service.Stop] broke off do not count. Default 3.
	MaxAttempts int
	// Inline is how many rows [Service.Rows] returns at most. Default 1,000; -1
	// means none.
	Inline int
	// LinkKey signs the tokens of download links; at least 32 bytes. Processes that
	// share a store must share it. Default: a random key of this service.
	LinkKey []byte
	// LinkLife is how long a token is valid. Default 15 min. At least 1 s.
	LinkLife time.Duration
	// Memory bounds what matching settlements keeps in memory, in bytes; the rest
	// goes to Scratch. Default 256 MiB. At least 1 MiB.
	Memory int64
	// AtOnce is how many reports [Service.Run] makes at the same time. Default 2.
	AtOnce int
	// MaxWaiting is how many reports of one owner may be waiting or running, of
	// those created at this service. Reports are made in the order of their
	// creation, so without a bound one owner could delay all others. Default 100.
	MaxWaiting int
}

// Hooks are called in place; they must be quick and safe for concurrent use. A
// panic in one ends the process. Each may be nil.
type Hooks struct {
	// Ended is called when a report ends, with the time since its creation.
	Ended func(ctx context.Context, r ports.ReportJob, took time.Duration)
	// Background is called with failures that no caller sees; the step is tried again.
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
	d.LinkKey = slices.Clone(d.LinkKey) // the caller may wipe its own
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
