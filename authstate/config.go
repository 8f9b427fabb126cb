package authstate

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/wiring"
	"github.com/corridor-go/corridor/ports"
)

// Ports are the stores of a [Service]. All are required.
type Ports struct {
	Transactions ports.TransactionStore
	Work         ports.Work // of the same store as Transactions
}

// Policy contains the business decisions.
type Policy struct {
	// Normaliser translates providers' raw codes. nil means the shipped tables.
	Normaliser *failures.Normaliser
}

// DefaultEvery is the pause between two ticks of [Service.Run].
const DefaultEvery = time.Second

// Config tunes a [Service]. The zero value of each field means its default.
type Config struct {
	Clock  ports.Clock  // default: ports.SystemClock
	Logger *slog.Logger // default: nothing is logged
	Hooks  Hooks
	// Every is the pause between two ticks of Run. Default 1 s. At least 1 ms.
	Every time.Duration
}

// Hooks are called synchronously. They must be quick and safe for concurrent use. A panic
// in a hook ends the process. Each may be nil. A provider's code and message may be
// personal data: do not use them as metric labels.
type Hooks struct {
	// Applied is called with each outcome that was applied, and its effect.
	Applied func(ctx context.Context, t ports.Transaction, e Effect)
	// Background is called with the errors of Run and Tick. The step is tried again.
	Background func(ctx context.Context, err error)
}

func (c *Config) withDefaults() (Config, error) {
	d, err := wiring.Defaults(c, Config{
		Clock: ports.SystemClock(), Logger: slog.New(slog.DiscardHandler), Every: DefaultEvery,
		Hooks: Hooks{
			Applied:    func(context.Context, ports.Transaction, Effect) {},
			Background: func(context.Context, error) {},
		},
	})
	return d, cmp.Or(err, errcodes.AtLeast("Every", d.Every, time.Millisecond))
}
