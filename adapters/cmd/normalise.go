package cmd

import (
	"errors"
	"strings"
	"time"

	"github.com/corridor-go/corridor/adapters/cmd/internal/normalise"
	"github.com/corridor-go/corridor/adapters/service"
	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
)

type normaliseCmd struct {
	Scheme    string  `arg:""                                                                                               help:"The scheme of the code, or - for JSON lines on standard input."`
	Code      *string `arg:""                                                                                               help:"The raw code."                                                  optional:""`
	Direction string  `help:"payin or payout."`
	Message   string  `help:"The raw message."`
	State     string  `help:"The state that the provider reports: failed or error. No text makes it a success; it decides the result of unknown codes."`
	Unmapped  bool    `help:"With -: list the raw codes without a mapping on standard error at the end."`
}

// Help describes the lines that - reads, and lists the schemes.
func (c *normaliseCmd) Help() string {
	schemes := failures.Schemes()
	names := make([]string, len(schemes))
	for i, s := range schemes {
		names[i] = string(s)
	}
	return `The result has "known": false if no row was found for the code. Ask the provider then; never refund or pay again because of it.

JSON lines: {"scheme","direction","code","message","state"}, one result per line, in order. The result of a line that
cannot be read is {"error","message","line"}; the following lines are still read.

Write a code that begins with - last, after --: corridor normalise SCHEME --direction payin -- -1

Schemes: ` + strings.Join(names, ", ")
}

// Validate checks that the arguments are for one code or for lines.
func (c *normaliseCmd) Validate() error {
	switch {
	case c.Scheme == "-" && (c.Code != nil || c.Direction != "" || c.Message != "" || c.State != ""):
		return errors.New("- reads the code, direction, message and state from each line")
	case c.Scheme == "-":
		return nil
	case c.Code == nil:
		return errors.New("a scheme and a code are required, or - for lines on standard input")
	case c.Unmapped:
		return errors.New("--unmapped requires -")
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

// stream normalises all lines. It prints the summary even if the stream fails.
func (c *normaliseCmd) stream(world *surroundings) error {
	lines := normalise.New(world.stdout)
	err := lines.Run(world.ctx, world.stdin)
	lines.Summarize(world.stderr)
	if c.Unmapped {
		lines.ListUnmapped(world.stderr)
	}
	return err
}
