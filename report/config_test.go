package report_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/report"
	"github.com/corridor-go/corridor/report/match"
)

// The test covers each bound of the policy and the config, and the values just outside.
func TestSettingsOutOfBoundsAreRejected(t *testing.T) {
	for _, c := range []struct {
		at, beyond func(*report.Policy, *report.Config)
		message    string
	}{
		{
			func(p *report.Policy, _ *report.Config) { p.SettleWithin = 90 * 24 * time.Hour },
			func(p *report.Policy, _ *report.Config) { p.SettleWithin = 90*24*time.Hour + 1 },
			"SettleWithin is 2160h0m0.000000001s, want 0s to 2160h0m0s",
		},
		{
			func(p *report.Policy, _ *report.Config) { p.SettleWithin = 0 },
			func(p *report.Policy, _ *report.Config) { p.SettleWithin = -1 },
			"SettleWithin is -1ns, want 0s to 2160h0m0s",
		},
		{
			func(p *report.Policy, _ *report.Config) { p.Tolerance = match.MaxTolerance },
			func(p *report.Policy, _ *report.Config) { p.Tolerance = match.MaxTolerance + 1 },
			"Tolerance is 1000000000000001, want 0 to 1000000000000000",
		},
		{
			func(p *report.Policy, _ *report.Config) { p.Tolerance = 0 },
			func(p *report.Policy, _ *report.Config) { p.Tolerance = -1 },
			"Tolerance is -1, want 0 to 1000000000000000",
		},
		{
			func(p *report.Policy, _ *report.Config) { p.KeepFor = 1 },
			func(p *report.Policy, _ *report.Config) { p.KeepFor = -1 },
			"KeepFor is -1ns, want at least 0s",
		},
		{
			func(p *report.Policy, _ *report.Config) {
				p.Directions = []errcodes.Direction{errcodes.Payin, errcodes.Payout}
			},
			func(p *report.Policy, _ *report.Config) {
				p.Directions = []errcodes.Direction{errcodes.Payin, "sideways"}
			},
			"Directions must contain only payin and payout",
		},
		{
			func(_ *report.Policy, c *report.Config) { c.Every = time.Millisecond },
			func(_ *report.Policy, c *report.Config) { c.Every = time.Millisecond - 1 },
			"Every is 999.999µs, want at least 1ms",
		},
		{
			func(_ *report.Policy, c *report.Config) { c.Lease = 3 * time.Millisecond },
			func(_ *report.Policy, c *report.Config) { c.Lease = 3*time.Millisecond - 1 },
			"Lease is 2.999999ms, want at least 3ms",
		},
		{
			func(_ *report.Policy, c *report.Config) { c.MaxRun = time.Millisecond },
			func(_ *report.Policy, c *report.Config) { c.MaxRun = time.Millisecond - 1 },
			"MaxRun is 999.999µs, want at least 1ms",
		},
		{
			func(_ *report.Policy, c *report.Config) { c.MaxAttempts = 1 },
			func(_ *report.Policy, c *report.Config) { c.MaxAttempts = -1 },
			"MaxAttempts is -1, want at least 1",
		},
		{
			func(_ *report.Policy, c *report.Config) { c.Inline = -1 },
			func(_ *report.Policy, c *report.Config) { c.Inline = -2 },
			"Inline is -2, want at least -1",
		},
		{
			func(_ *report.Policy, c *report.Config) { c.LinkKey = make([]byte, 32) },
			func(_ *report.Policy, c *report.Config) { c.LinkKey = make([]byte, 31) },
			"length of LinkKey is 31, want at least 32",
		},
		{
			func(_ *report.Policy, c *report.Config) { c.LinkKey = nil },
			func(_ *report.Policy, c *report.Config) { c.LinkKey = []byte{} },
			"length of LinkKey is 0, want at least 32",
		},
		{
			func(_ *report.Policy, c *report.Config) { c.LinkLife = time.Second },
			func(_ *report.Policy, c *report.Config) { c.LinkLife = time.Second - 1 },
			"LinkLife is 999.999999ms, want at least 1s",
		},
		{
			func(_ *report.Policy, c *report.Config) { c.Memory = match.MinMemory },
			func(_ *report.Policy, c *report.Config) { c.Memory = match.MinMemory - 1 },
			"Memory is 1048575, want at least 1048576",
		},
		{
			func(_ *report.Policy, c *report.Config) { c.AtOnce = 1 },
			func(_ *report.Policy, c *report.Config) { c.AtOnce = -1 },
			"AtOnce is -1, want at least 1",
		},
		{
			func(_ *report.Policy, c *report.Config) { c.MaxWaiting = 1 },
			func(_ *report.Policy, c *report.Config) { c.MaxWaiting = -1 },
			"MaxWaiting is -1, want at least 1",
		},
		{
			func(_ *report.Policy, c *report.Config) { c.Random = nil },
			func(_ *report.Policy, c *report.Config) { c.Random = (*bytes.Reader)(nil) },
			"Random holds a nil pointer",
		},
	} {
		r := newRig(t)
		var p report.Policy
		config := r.config
		c.at(&p, &config)
		_, err := report.New(r.parts(), p, &config)
		require.NoError(t, err, c.message)
		c.beyond(&p, &config)
		_, err = report.New(r.parts(), p, &config)
		require.ErrorIs(t, err, errcodes.Configuration)
		assert.Equal(t, c.message, errcodes.MessageOf(err))
	}
}

// New rejects missing ports, including those that contain a nil pointer.
func TestMissingPortsAreRejected(t *testing.T) {
	r := newRig(t)
	for want, remove := range map[string]func(*report.Ports){
		"Ports.Reports is required":          func(p *report.Ports) { p.Reports = nil },
		"Ports.Transactions is required":     func(p *report.Ports) { p.Transactions = (*source)(nil) },
		"Ports.Settlements is required":      func(p *report.Ports) { p.Settlements = (*statement)(nil) },
		"Ports.Writers must not contain nil": func(p *report.Ports) { p.Writers = append(p.Writers, nil) },
		"Ports.Files is required":            func(p *report.Ports) { p.Files = (*fake.Files)(nil) },
		"Ports.Scratch is required":          func(p *report.Ports) { p.Scratch = nil },
		"a writer of format csv is required": func(p *report.Ports) { p.Writers = nil },
		"two writers of format csv":          func(p *report.Ports) { p.Writers = append(p.Writers, lines{}) },
	} {
		p := r.parts()
		remove(&p)
		_, err := report.New(p, report.Policy{}, &r.config)
		require.ErrorIs(t, err, errcodes.Configuration)
		assert.Equal(t, want, errcodes.MessageOf(err))
	}
}

// calls are the methods that take an owner.
func calls(ctx context.Context, s *report.Service, owner, id string) map[string]func() error {
	return map[string]func() error{
		"CreateTransactions": func() error { _, err := s.CreateTransactions(ctx, owner, asked()); return err },
		"Get":                func() error { _, err := s.Get(ctx, owner, id); return err },
		"Open":               func() error { _, err := s.Open(ctx, owner, id); return err },
		"Rows":               func() error { _, _, err := s.Rows(ctx, owner, id); return err },
		"LinkToken":          func() error { _, _, err := s.LinkToken(ctx, owner, id); return err },
		"Manifest":           func() error { _, err := s.Manifest(ctx, owner, id); return err },
		"Cancel":             func() error { _, err := s.Cancel(ctx, owner, id); return err },
	}
}

func TestAnOwnerIsRequired(t *testing.T) {
	r := newRig(t)
	for name, call := range calls(t.Context(), r.service, "", r.create(asked()).ID) {
		err := call()
		require.ErrorIs(t, err, errcodes.InvalidRequest, name)
		var details errcodes.FieldDetails
		require.ErrorAs(t, err, &details, name)
		assert.Equal(t, "owner", details.Fields[0].Name, name)
	}
}

// The error of a cancelled context has one code, for errors.Is and errcodes.Of.
func TestACancelledContextHasACode(t *testing.T) {
	r := newRig(t)
	id := r.create(asked()).ID
	require.NoError(t, r.tick())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	all := calls(ctx, r.service, owner, id)
	all["Tick"] = func() error { return r.service.Tick(ctx, noon) }
	all["Run"] = func() error { return r.service.Run(ctx) }
	for name, call := range all {
		err := call()
		require.ErrorIs(t, err, context.Canceled, name)
		require.ErrorIs(t, err, errcodes.Canceled, name)
		assert.Equal(t, errcodes.Canceled, errcodes.Of(err), name)
	}
}

// both is a store that returns a value together with its error.
type both struct{ ports.ReportStore }

func (b both) Report(context.Context, string, string) (ports.ReportJob, error) {
	return ports.ReportJob{ID: "rep_1"}, errcodes.New(errcodes.StorageUnavailable, "")
}

func (b both) ExpiredReports(context.Context, time.Time, int) ([]ports.ReportJob, error) {
	return []ports.ReportJob{{ID: "rep_1", Owner: owner}}, errcodes.New(errcodes.StorageUnavailable, "")
}

func (b both) RemoveReport(context.Context, string, string) error {
	panic("the answer beside an error was used")
}

func TestAValueReturnedWithAnErrorIsIgnored(t *testing.T) {
	r := newRig(t)
	p := r.parts()
	p.Reports = both{p.Reports}
	s, err := report.New(p, report.Policy{KeepFor: time.Hour}, &r.config)
	require.NoError(t, err)
	j, err := s.Get(t.Context(), owner, "rep_1")
	require.ErrorIs(t, err, errcodes.StorageUnavailable)
	assert.Equal(t, ports.ReportJob{}, j)
	require.ErrorIs(t, s.Tick(t.Context(), noon), errcodes.StorageUnavailable)
}
