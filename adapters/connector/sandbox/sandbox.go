package sandbox

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/corridor-go/corridor/ports"
)

// The names of the connectors.
const (
	Name        = "sandbox"
	StandbyName = "sandbox-standby"
)

// Config tunes a [Connector]. The zero value, and nil, mean the defaults.
type Config struct {
	Clock   ports.Clock // times the slow answers; nil: [ports.SystemClock]
	Standby bool        // whether this is the connector to fail over to
}

// Connector is a [ports.AccountConnector] that needs no provider. It is safe for
// concurrent use.
type Connector struct {
	clock   ports.Clock
	standby bool
}

// New returns a connector. The error is always nil today.
func New(cfg *Config) (*Connector, error) {
	c := cmp.Or(cfg, &Config{})
	return &Connector{clock: cmp.Or(c.Clock, ports.SystemClock()), standby: c.Standby}, nil
}

// Name returns [Name], or [StandbyName].
func (c *Connector) Name() string {
	if c.standby {
		return StandbyName
	}
	return Name
}

// Capabilities returns all markets of SPEC 2.7.
func (c *Connector) Capabilities() []ports.Capability {
	can := make([]ports.Capability, 0, len(markets))
	for _, m := range markets {
		can = append(can, ports.Capability{Market: m, ReturnsName: true})
	}
	return can
}

// Lookup answers by the last digits of the account's identifier. Markets outside SPEC
// 2.7 are unsupported. The only error is ctx's own.
func (c *Connector) Lookup(ctx context.Context, lookup ports.AccountLookup) (ports.Answer, error) {
	if err := ctx.Err(); err != nil {
		return ports.Answer{}, err
	}
	if !slices.Contains(markets, lookup.Market) {
		return ports.Answer{Kind: ports.OutcomeUnsupported}, nil
	}
	r := rowOf(lookup.Identifier, c.standby)
	if r.wait == 0 {
		return r.answer, nil
	}
	if r.wait == never {
		<-ctx.Done()
		return ports.Answer{}, ctx.Err()
	}
	return c.after(ctx, r)
}

// after returns the row's answer after its delay.
func (c *Connector) after(ctx context.Context, r row) (ports.Answer, error) {
	select {
	case <-c.clock.After(r.wait):
		return r.answer, nil
	case <-ctx.Done():
		return ports.Answer{}, ctx.Err()
	}
}

// HolderName is the holder of every account that is found.
const HolderName = "AMA SERWAA MENSAH"

// The delay of the slow answer, and the wait that the sandbox asks for.
const (
	SlowAfter     = 3 * time.Second
	TryLaterAfter = 30 * time.Second

	never time.Duration = math.MaxInt64
)

// row is the answer for accounts whose number ends with the digits.
type row struct {
	end    string
	wait   time.Duration
	answer ports.Answer
}

var found = ports.Answer{Kind: ports.OutcomeFound, HolderName: HolderName}

// rows are the answers; the first match counts.
var rows = []row{
	{"0000", 0, ports.Answer{Kind: ports.OutcomeNotFound, Code: "account_not_found", Message: "The account does not exist"}},
	{"0001", 0, ports.Answer{Kind: ports.OutcomeFailed, Code: "processing_error", Message: "The bank could not process the enquiry"}},
	{"0002", SlowAfter, found},
	{"0003", never, ports.Answer{}},
	{"0004", 0, ports.Answer{Kind: ports.OutcomeTryLater, Code: "rate_limited", Message: "Too many requests", After: TryLaterAfter}},
	{"", 0, found},
}

// rowOf returns the row of an account. The standby finds accounts for which the first
// connector answers try later.
func rowOf(identifier string, standby bool) row {
	i := slices.IndexFunc(rows, func(r row) bool {
		return strings.HasSuffix(identifier, r.end) && (!standby || r.answer.Kind != ports.OutcomeTryLater)
	})
	return rows[i] // the last row matches every account
}

// markets are all markets of SPEC 2.7.
var markets = []ports.Market{
	{Country: "ZAF", Type: ports.BankAccount},
	{Country: "NGA", Type: ports.BankAccount},
	{Country: "EGY", Type: ports.BankAccount},
	{Country: "GHA", Type: ports.BankAccount},
	{Country: "KEN", Type: ports.BankAccount},
	{Country: "KEN", Type: ports.MobileMoney},
	{Country: "GHA", Type: ports.MobileMoney},
	{Country: "ZWE", Type: ports.InstitutionWallet},
}
