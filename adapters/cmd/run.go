// Package cmd is the command line of corridor: the service and the tools around it.
//
//	corridor serve --sandbox     # the service, with sandbox rates and a sandbox client
//	corridor demo                # a few locks, accounts and failures, on a simulated clock
//	corridor validate NGA bank_account 0690000032 --bank-code 044 --sandbox
//	corridor normalise mpesa-daraja 1037 --direction payin
//	corridor connectors          # the capabilities of each connector
//	corridor new feed NAME       # create an adapter with a test that runs its conformance suite
//	corridor report unmatched --from 2026-10-01 --to 2026-10-31 --sandbox
//	corridor events buried       # list undeliverable events; also replay, discard
//	corridor client new ID --merchant M  # create a client and its secret for the clients file
//	corridor client check FILE   # check a clients file before a service reads it
//	corridor migrate             # create or upgrade the store's tables
//	corridor healthcheck         # ask a running service whether it is ready
//
// The command contains no rules of its own. Every flag of serve has an environment
// variable; see corridor serve --help.
//
// A program with adapters of its own is the same command line with more parts:
//
//	func main() {
//		parts := service.Shipped()
//		parts.Feeds = append(parts.Feeds, service.FeedKind{Name: "bank", Form: "bank:URL", Open: openBank})
//		cmd.Main(parts)
//	}
package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/corridor-go/corridor/adapters/service"
	"github.com/corridor-go/corridor/errcodes"
)

// Exit statuses.
const (
	exitOK       = 0
	exitFailed   = 1 // started and failed
	exitRejected = 2 // a flag, file or address is wrong; nothing was started
)

// commands is the command line.
type commands struct {
	Serve       serveCmd       `cmd:"" help:"Run the service until SIGINT or SIGTERM."`
	Demo        demoCmd        `cmd:"" help:"Demonstrate a few rate locks, validations and failures, in process."`
	Validate    validateCmd    `cmd:"" help:"Validate one account, in process, and print the result."`
	Normalise   normaliseCmd   `cmd:"" help:"Normalise a provider's raw failure; - reads JSON lines."`
	Connectors  connectorsCmd  `cmd:"" help:"Print the capabilities of each connector."`
	New         newCmd         `cmd:"" help:"Create the skeleton of an adapter."`
	Report      reportCmd      `cmd:"" help:"Make one report, in process, and write the file."`
	Events      eventsCmd      `cmd:"" help:"List, replay or discard undeliverable events."`
	Client      clientCmd      `cmd:"" help:"Create clients for the clients file, and check the file."`
	Migrate     migrateCmd     `cmd:"" help:"Create or upgrade the store's tables."`
	Healthcheck healthcheckCmd `cmd:"" help:"Request /readyz of a running service; exit with status 0 or 1."`
}

// surroundings are the inputs and outputs of a command.
type surroundings struct {
	ctx            context.Context //nolint:containedctx // kong passes bound values to commands
	stdin          io.Reader
	stdout, stderr io.Writer
	parts          service.Parts
}

// Main runs the command line of the process with these parts and exits. SIGINT and SIGTERM
// end a command; serve stops within 10 s. The exit status is 0, 1 if the command has
// failed, or 2 if a flag, file or address is wrong and nothing was started.
func Main(parts service.Parts) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(&surroundings{ctx, os.Stdin, os.Stdout, os.Stderr, parts}, os.Args[1:])
	stop()
	os.Exit(code)
}

// run executes one command line and returns its exit status.
func run(world *surroundings, args []string) int {
	var cli commands
	exited := -1
	parser, err := kong.New(&cli,
		kong.Name("corridor"), kong.Description("Rate locks, account validation and normalised failures behind a wire interface."),
		kong.Writers(world.stdout, world.stderr), kong.Exit(func(code int) { exited = code }), kong.UsageOnError(),
		kong.Vars(world.parts.Vars()),
	)
	if err != nil {
		return fail(world, err, exitFailed)
	}
	parsed, err := parser.Parse(args)
	if exited >= 0 {
		return exited
	}
	if err != nil {
		return fail(world, err, exitRejected)
	}
	err = parsed.Run(world)
	var refused service.Rejected
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &refused):
		return fail(world, err, exitRejected)
	default:
		return fail(world, err, exitFailed)
	}
}

func fail(world *surroundings, err error, code int) int {
	_, _ = fmt.Fprintln(world.stderr, "corridor:", oneLine(err))
	return code
}

// oneLine returns an error as one line: for a coded error its message and cause without
// the code.
func oneLine(err error) string {
	text := err.Error()
	if coded, ok := errors.AsType[*errcodes.Error](err); ok {
		text = strings.Replace(text, string(coded.Code())+": ", "", 1)
	}
	return strings.Join(strings.Fields(text), " ")
}
