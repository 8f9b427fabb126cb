package ratelock_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/ratelock"
)

func TestNewRejectsMissingPortsAndBadValues(t *testing.T) {
	r := newRig(t)
	store := r.store.RateLocks()
	for name, attempt := range map[string]func() error{
		"no store": func() error { _, err := ratelock.New(ratelock.Ports{Feed: r.feed}, plain, nil); return err },
		"no feed":  func() error { _, err := ratelock.New(ratelock.Ports{Locks: store}, plain, nil); return err },
		"a nil store": func() error {
			_, err := ratelock.New(ratelock.Ports{Locks: (*lossy)(nil), Feed: r.feed}, plain, nil)
			return err
		},
		"a nil feed": func() error {
			_, err := ratelock.New(ratelock.Ports{Locks: store, Feed: (*fake.Feed)(nil)}, plain, nil)
			return err
		},
		"a nil policy": func() error {
			_, err := ratelock.New(ratelock.Ports{Locks: store, Feed: r.feed}, (*ratelock.PolicyTable)(nil), nil)
			return err
		},
		"no policy": func() error { _, err := ratelock.New(ratelock.Ports{Locks: store, Feed: r.feed}, nil, nil); return err },
		"negative markup": func() error {
			_, err := ratelock.New(ratelock.Ports{Locks: store, Feed: r.feed}, ratelock.Terms{MarkupBps: -1, Validity: time.Hour}, nil)
			return err
		},
		"a validity of a year": func() error {
			_, err := ratelock.New(ratelock.Ports{Locks: store, Feed: r.feed}, ratelock.Terms{Validity: 365 * 24 * time.Hour}, nil)
			return err
		},
		"a validity with microseconds": func() error {
			_, err := ratelock.New(ratelock.Ports{Locks: store, Feed: r.feed}, ratelock.Terms{Validity: time.Hour + time.Microsecond}, nil)
			return err
		},
		"no validity": func() error {
			_, err := ratelock.New(ratelock.Ports{Locks: store, Feed: r.feed}, ratelock.Terms{}, nil)
			return err
		},
		"a bad entry in a table": func() error {
			_, err := ratelock.New(ratelock.Ports{Locks: store, Feed: r.feed}, ratelock.PolicyTable{Owners: map[string]ratelock.OwnerPolicy{
				"shop": {Pairs: map[ports.Pair]ratelock.Terms{usdzar: {Validity: time.Microsecond}}},
			}}, nil)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) { require.ErrorIs(t, attempt(), errcodes.Configuration) })
	}
	for name, cfg := range map[string]ratelock.Config{
		"a negative Every":          {Every: -1},
		"an Every below 1 ms":       {Every: time.Millisecond - 1},
		"a PriceTimeout below 1 ms": {PriceTimeout: time.Millisecond - 1},
		"a MaxClockLead below 1 ms": {MaxClockLead: time.Millisecond - 1},
		"a MaxPriceAge below 1 s":   {MaxPriceAge: time.Second - 1},
		"a nil clock":               {Clock: (*portstest.Clock)(nil)},
	} {
		_, err := ratelock.New(ratelock.Ports{Locks: store, Feed: r.feed}, plain, &cfg)
		require.ErrorIs(t, err, errcodes.Configuration, name)
	}
}

func TestTheDefaultsAreTheDocumentedOnes(t *testing.T) {
	require.Equal(t, 96*time.Hour, ratelock.DefaultMaxPriceAge)
	require.Equal(t, 10*time.Minute, ratelock.DefaultMaxClockLead)
	require.Equal(t, 5*time.Second, ratelock.DefaultPriceTimeout)
	require.Equal(t, 2*time.Second, ratelock.DefaultEvery)
	require.Equal(t, time.Hour, ratelock.DefaultLead)
}

// whim is a policy without a method Check.
type whim ratelock.Terms

func (w whim) Terms(string, ports.Pair) (ratelock.Terms, bool) { return ratelock.Terms(w), true }

func TestTermsOfAPolicyWithoutCheckAreCheckedByCreate(t *testing.T) {
	r := newRig(t)
	locks := r.service(r.store.RateLocks(), r.clock, whim{MarkupBps: -500, Validity: time.Hour})
	_, _, err := locks.Create(t.Context(), "shop", usdzar)
	require.ErrorIs(t, err, errcodes.Configuration)
	require.Empty(t, r.events())
}

func TestAPolicyTableReturnsTheMostSpecificTerms(t *testing.T) {
	everyone, owner, pair := plain, plain, plain
	owner.MarkupBps, pair.MarkupBps = 50, 0
	table := ratelock.PolicyTable{Everyone: &everyone, Owners: map[string]ratelock.OwnerPolicy{
		"vip":    {Default: &owner, Pairs: map[ports.Pair]ratelock.Terms{usdzar: pair}},
		"banned": {},
	}}
	for _, c := range []struct {
		owner string
		pair  ports.Pair
		bps   int
		ok    bool
	}{
		{"shop", usdzar, 150, true}, {"vip", usdzar, 0, true}, {"vip", usdzar.Inverse(), 50, true}, {"banned", usdzar, 0, false},
	} {
		terms, ok := table.Terms(c.owner, c.pair)
		require.Equal(t, c.ok, ok)
		require.Equal(t, c.bps, terms.MarkupBps)
	}
}
