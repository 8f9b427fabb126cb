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
	Scheme    string  `arg:"" complete:"schemes" help:"The scheme of the code, or - for JSON lines on standard input."`
	Code      *string `arg:"" help:"The code that the provider sent." optional:""`
	Direction string  `complete:"directions" help:"payin or payout." placeholder:"DIRECTION"`
	Message   string  `help:"The message that the provider sent." placeholder:"TEXT"`
	State     string  `complete:"states" help:"What the provider says about the payment: failed or error. It decides the result of an unknown code. It never makes a payment a success." placeholder:"STATE"`
	Unmapped  bool    `help:"With -: at the end, list the codes without a mapping on standard error."`
}

// Help describes the lines that - reads, and lists the schemes.
func (c *normaliseCmd) Help() string {
	return `The result has "known": false if corridor has no row for the code. Then ask the provider; never refund or pay again
because of such a result.

With -, each line of standard input is an object with "scheme", "direction", "code", "message" and "state". Each becomes one
line of output, in the same order. A line that cannot be read becomes {"error","message","line"}, and the lines after it
are still read.

Write a code that begins with a hyphen last, after two hyphens:

    corridor normalise SCHEME --direction payin -- -1

Schemes: ` + strings.Join(schemeNames(), ", ")
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
		return service.Reject(similar(err, c.Scheme, schemeNames()))
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
