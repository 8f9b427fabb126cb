package wiring_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/wiring"
)

type made struct{ _ bool }

type Ports struct {
	Reader io.Reader
	Func   func()
	Made   *made
	Many   []io.Reader
}

func good() Ports {
	return Ports{Reader: strings.NewReader(""), Func: func() {}, Made: &made{}, Many: []io.Reader{strings.NewReader("")}}
}

func TestCheckNamesTheMissingField(t *testing.T) {
	require.NoError(t, wiring.Check(good()))
	none := good()
	none.Many = nil
	require.NoError(t, wiring.Check(none), "an empty slice")
	for name, c := range map[string]struct {
		change func(*Ports)
		want   string
	}{
		"a nil interface":          {func(p *Ports) { p.Reader = nil }, "Ports.Reader is required"},
		"a nil pointer inside":     {func(p *Ports) { p.Reader = (*strings.Reader)(nil) }, "Ports.Reader is required"},
		"a nil func":               {func(p *Ports) { p.Func = nil }, "Ports.Func is required"},
		"a nil pointer":            {func(p *Ports) { p.Made = nil }, "Ports.Made is required"},
		"a nil element":            {func(p *Ports) { p.Many = append(p.Many, nil) }, "Ports.Many must not contain nil"},
		"a nil pointer in a slice": {func(p *Ports) { p.Many[0] = (*strings.Reader)(nil) }, "Ports.Many must not contain nil"},
	} {
		p := good()
		c.change(&p)
		err := wiring.Check(p)
		require.ErrorIs(t, err, errcodes.Configuration, name)
		assert.Equal(t, c.want, errcodes.MessageOf(err), name)
	}
}

func TestAnAnonymousStructHasNoNameInTheError(t *testing.T) {
	err := wiring.Check(struct{ Reader io.Reader }{})
	assert.Equal(t, "Reader is required", errcodes.MessageOf(err))
}

type tuning struct {
	Every time.Duration
	Batch int
	Hooks struct{ Ended, Failed func() string }
	Limit struct{ Rows int }
}

func TestDefaultsCompletesZeroFields(t *testing.T) {
	says := func(what string) func() string { return func() string { return what } }
	defaults := tuning{Every: time.Second, Batch: 100}
	defaults.Hooks.Ended, defaults.Hooks.Failed = says("default"), says("default")
	none, err := wiring.Defaults(nil, defaults)
	require.NoError(t, err)
	assert.Equal(t, 100, none.Batch)
	assert.Equal(t, "default", none.Hooks.Ended())

	config := tuning{Batch: -1}
	config.Hooks.Failed, config.Limit.Rows = says("mine"), 7
	got, err := wiring.Defaults(&config, defaults)
	require.NoError(t, err)
	assert.Equal(t, time.Second, got.Every)
	assert.Equal(t, -1, got.Batch, "a value is kept, even a bad one")
	assert.Equal(t, 7, got.Limit.Rows)
	assert.Equal(t, "default", got.Hooks.Ended())
	assert.Equal(t, "mine", got.Hooks.Failed())
	assert.Zero(t, config.Every, "the caller's value stays as it is")
}

type Sources struct {
	Every  time.Duration
	Nested struct{ Random io.Reader }
}

func TestDefaultsRejectNilPointers(t *testing.T) {
	config := Sources{}
	config.Nested.Random = (*strings.Reader)(nil)
	got, err := wiring.Defaults(&config, Sources{Every: time.Second})
	require.ErrorIs(t, err, errcodes.Configuration)
	assert.Equal(t, "Random holds a nil pointer", errcodes.MessageOf(err))
	assert.Equal(t, time.Second, got.Every)
}
