package sandbox

import (
	"cmp"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/wiring"
	"github.com/corridor-go/corridor/ports"
)

// Bounds of [Config.PerDay].
const (
	DefaultPerDay = 60
	MinPerDay     = 30
	MaxPerDay     = 1_000_000
)

// Config tunes [Books]. The zero value, and nil, mean the defaults.
type Config struct {
	// Clock decides what has happened; nil: [ports.SystemClock].
	Clock ports.Clock

	// PerDay is the approximate number of an owner's transactions per day, from
	// [MinPerDay] to [MaxPerDay]; 0: [DefaultPerDay]. Another number means other data.
	PerDay int
}

// Books generates both sides of the data. It never changes, and is safe for concurrent
// use.
type Books struct {
	clock  ports.Clock
	perDay int
	codes  map[end][]errcodes.TransactionCode
}

// New returns books, or [errcodes.Configuration] if PerDay is out of bounds.
func New(cfg *Config) (*Books, error) {
	c, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Books{clock: c.Clock, perDay: c.PerDay, codes: codesByEnd()}, nil
}

func (c *Config) withDefaults() (Config, error) {
	f, err := wiring.Defaults(c, Config{Clock: ports.SystemClock(), PerDay: DefaultPerDay})
	return f, cmp.Or(err, errcodes.Within("PerDay", f.PerDay, MinPerDay, MaxPerDay))
}

// Transactions returns the source of the transactions.
func (b *Books) Transactions() *Transactions { return &Transactions{b} }

// Settlements returns the source of the settlements.
func (b *Books) Settlements() *Settlements { return &Settlements{b} }

// asOf returns the clock's time, but at most now.
func (b *Books) asOf(now time.Time) time.Time {
	if clock := b.clock.Now(); clock.Before(now) {
		return clock.UTC()
	}
	return now.UTC()
}

// rail is a way to pay. Cards are for payins only.
type rail struct{ method, connector string }

const card = "card"

// market is a currency with its ways to pay.
type market struct {
	currency  string
	low, high int64 // amounts, in major units
	payin     []rail
	payout    []rail
}

var (
	paystackCard    = rail{card, "paystack"}
	flutterwaveCard = rail{card, "flutterwave"}
	paystackBank    = rail{"bank_transfer", "paystack"}
	flutterwaveBank = rail{"bank_transfer", "flutterwave"}
	flutterwaveMoMo = rail{"mobile_money", "flutterwave"}
	mtnMoMo         = rail{"mobile_money", "mtnmomo"}
	sandboxBank     = rail{"bank_transfer", "sandbox"}
)

// markets are the currencies of adapters/feed/sandbox.
var markets = []market{
	{"NGN", 1_500, 900_000, []rail{paystackCard, paystackBank, flutterwaveBank}, []rail{paystackBank, flutterwaveBank}},
	{"KES", 100, 90_000, []rail{flutterwaveMoMo, paystackCard}, []rail{flutterwaveMoMo}},
	{"GHS", 10, 9_000, []rail{mtnMoMo, paystackCard}, []rail{mtnMoMo, paystackBank}},
	{"ZAR", 20, 15_000, []rail{paystackCard, flutterwaveBank}, []rail{flutterwaveBank}},
	{"XOF", 500, 400_000, []rail{mtnMoMo, flutterwaveMoMo}, []rail{mtnMoMo}},
	{"EGP", 50, 40_000, []rail{flutterwaveCard, flutterwaveBank}, []rail{flutterwaveBank}},
	{"USD", 1, 2_500, []rail{flutterwaveCard, sandboxBank}, []rail{sandboxBank}},
	{"EUR", 1, 2_500, []rail{flutterwaveCard, sandboxBank}, []rail{sandboxBank}},
	{"GBP", 1, 2_000, []rail{flutterwaveCard, sandboxBank}, []rail{sandboxBank}},
}

// end decides which codes a transaction may end with.
type end struct {
	status    ports.TransactionStatus
	direction errcodes.Direction
	card      bool
}

// codesByEnd groups the codes of SPEC 7.5 by where they may occur (I24, I25).
func codesByEnd() map[end][]errcodes.TransactionCode {
	codes := map[end][]errcodes.TransactionCode{}
	for _, row := range errcodes.TransactionCodes() {
		for _, d := range []errcodes.Direction{errcodes.Payin, errcodes.Payout} {
			for _, onCard := range []bool{false, true} {
				e := end{ports.TransactionFailed, d, onCard}
				if row.State == errcodes.StateError {
					e.status = ports.TransactionErrored
				}
				if occurs(row, e) {
					codes[e] = append(codes[e], row.Code)
				}
			}
		}
	}
	return codes
}

// occurs reports whether a new transaction may end with the row's code.
func occurs(row errcodes.TransactionRow, e end) bool {
	ofCards := row.CardOnly || row.Code == errcodes.FailureInvalidCard
	return !row.Deprecated && row.Fits(e.direction) && (e.card || !ofCards)
}
