package main

import (
	"errors"
	"strings"
	"time"

	"github.com/corridor-go/corridor/adapters/cmd/corridor/internal/normalise"
	"github.com/corridor-go/corridor/adapters/service"
	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
)

type normaliseCmd struct {
	Scheme    string  `arg:""                                                                                         help:"The scheme whose code it is, or - for JSON lines on standard input."`
	Code      *string `arg:""                                                                                         help:"The raw code."                                                       optional:""`
	Direction string  `help:"payin or payout."`
	Message   string  `help:"The raw message."`
	State     string  `help:"What the provider calls it: failed or error. It decides about codes that nothing knows."`
	Unmapped  bool    `help:"With -: list afterwards, on standard error, the raw codes that nothing knew."`
}

// Help shows the lines that - reads, and the schemes.
func (c *normaliseCmd) Help() string {
	schemes := failures.Schemes()
	names := make([]string, len(schemes))
	for i, s := range schemes {
		names[i] = string(s)
	}
	return `JSON lines: {"scheme","direction","code","message","state"}, one answer a line, in order. A line that cannot be
read is answered with {"error","message","line"}, and the rest goes on.

A code that begins with - stands last, behind --: corridor normalise SCHEME --direction payin -- -1

Schemes: ` + strings.Join(names, ", ")
}

// Validate tells the two uses apart.
func (c *normaliseCmd) Validate() error {
	switch {
	case c.Scheme == "-" && (c.Code != nil || c.Direction != "" || c.Message != "" || c.State != ""):
		return errors.New("- takes each line's code, direction, message and state from the line")
	case c.Scheme == "-":
		return nil
	case c.Code == nil:
		return errors.New("a scheme and a code are required, or - for lines on standard input")
	case c.Unmapped:
		return errors.New("--unmapped goes with -")
	default:
		return nil
	}
}

// Run normalises one raw failure, or a stream of them.
func (c *normaliseCmd) Run(world *surroundings) error {
	if c.Scheme == "-" {
		return c.stream(world)
	}
	n, err := failures.New(nil)
	if err != nil {
		return err
	}
	r, err := n.Normalise(failures.Input{
		Scheme: failures.Scheme(c.Scheme), Direction: errcodes.Direction(c.Direction),
		Code: *c.Code, Message: c.Message, State: errcodes.State(c.State),
	})
	if err != nil {
		return service.Reject(err)
	}
	_, err = world.stdout.Write(append(normalise.AppendMeaning(nil, &r, time.Now()), '\n'))
	return err
}

// stream answers all lines. A stream that breaks off is told of as far as it
// came.
func (c *normaliseCmd) stream(world *surroundings) error {
	lines := normalise.New(world.stdout)
	err := lines.Run(world.ctx, world.stdin)
	lines.Summarize(world.stderr)
	if c.Unmapped {
		lines.ListUnmapped(world.stderr)
	}
	return err
}
