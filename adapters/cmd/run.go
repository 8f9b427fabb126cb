// Package cmd is the command line of corridor: the service and the tools around it.
//
//	corridor serve --sandbox     # the service, with sandbox rates and a sandbox client
//	corridor migrate             # create or upgrade the store's tables
//	corridor healthcheck         # ask a running service whether it is ready
//	corridor demo                # rates, accounts, failures and a report, on a simulated clock
//	corridor client new ID --merchant M  # create a client and its secret for the clients file
//	corridor client rotate ID --file F   # add a secret to a client of a clients file
//	corridor client check FILE   # check a clients file before a service reads it; also hash, revoke
//	corridor events buried       # list undeliverable events; also replay, discard
//	corridor validate NGA bank_account 0690000032 --bank-code 044 --sandbox
//	corridor normalise mpesa-daraja 1037 --direction payin
//	corridor report unmatched --from 2026-10-01 --to 2026-10-31 --sandbox
//	corridor connectors          # the capabilities of each connector
//	corridor new feed NAME       # create an adapter with a test that runs its conformance suite
//	corridor version             # version, commit and Go version
//	corridor completion bash     # a completion script; also zsh, fish
//
// The command contains no rules of its own. Every flag of serve has an environment
// variable; see corridor serve --help. corridor without a command, and a command without its
// subcommand, print help. The exit status is
//
//	0  success; of validate: the account is verified
//	1  the command has started and failed
//	2  a flag, file or address is wrong, and nothing was started
//	3  of validate: the result is not "verified"
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
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"reflect"
	"slices"
	"strconv"
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

	exitNotVerified = 3 // the result of validate is printed and is not "verified"
)

const description = `Locks exchange rates, checks payout accounts, explains payment failures and reconciles settlements for
payments across borders: as one service, or as a Go library.

Start with:

    corridor demo               a short story of all this in the terminal
    corridor serve --sandbox    the service with test data; it prints requests to try`

// commands is the command line.
type commands struct {
	Serve       serveCmd       `cmd:"" group:"Run the service:"     help:"Run the service until SIGINT or SIGTERM."`
	Migrate     migrateCmd     `cmd:"" group:"Run the service:"     help:"Create or upgrade the tables of the store."`
	Healthcheck healthcheckCmd `cmd:"" group:"Run the service:"     help:"Ask a running service whether it is ready."`
	Demo        demoCmd        `cmd:"" group:"Run the service:"     help:"Show a short story of rates, accounts, failures and a report."`
	Client      clientCmd      `cmd:"" group:"Clients:"             help:"Create clients, rotate their secrets, and check the clients file."`
	Events      eventsCmd      `cmd:"" group:"Operate:"             help:"List, replay or discard undeliverable events."`
	Validate    validateCmd    `cmd:"" group:"Work with payments:"  help:"Validate one account and print the result."`
	Normalise   normaliseCmd   `cmd:"" group:"Work with payments:"  help:"Translate failures of a provider into corridor's codes."`
	Report      reportCmd      `cmd:"" group:"Work with payments:"  help:"Write one report on the sandbox's payments."`
	Connectors  connectorsCmd  `cmd:"" group:"Work with payments:"  help:"Print what each connector can do in each market."`
	New         newCmd         `cmd:"" group:"Extend:"              help:"Create the skeleton of an adapter."`
	Version     versionCmd     `cmd:"" group:"Other:"               help:"Print version, commit and Go version."`
	Completion  completionCmd  `cmd:"" group:"Other:"               help:"Print a completion script for bash, zsh or fish."`
}

// surroundings are the inputs and outputs of a command.
type surroundings struct {
	ctx            context.Context //nolint:containedctx // kong passes bound values to commands
	stdin          io.Reader
	stdout, stderr io.Writer
	parts          service.Parts
}

// Main runs the command line of the process with these parts and exits. SIGINT and SIGTERM
// end a command; serve stops within 10 s. A second one ends the process at once. The exit
// statuses are those of the package comment.
func Main(parts service.Parts) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		signal.Stop(signals) // first, so that a second signal is not missed
		cancel()
	}()
	os.Exit(run(&surroundings{ctx, os.Stdin, os.Stdout, os.Stderr, parts}, os.Args[1:]))
}

// run executes one command line and returns its exit status.
func run(world *surroundings, args []string) int {
	if len(args) > 0 && args[0] == "--version" {
		args = append([]string{"version"}, args[1:]...)
	}
	exited := -1
	parser, err := newParser(world, func(code int) { exited = code })
	if err != nil {
		return fail(world, err, exitFailed)
	}
	parsed, err := parser.Parse(args)
	if exited >= 0 {
		return exited
	}
	if err != nil {
		return unparsed(world, err)
	}
	err = parsed.Run(world)
	var refused service.Rejected
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errNotVerified):
		return exitNotVerified
	case errors.As(err, &refused):
		return fail(world, err, exitRejected)
	default:
		return fail(world, err, exitFailed)
	}
}

// newParser returns the parser of the command line, which calls exit after it has printed
// a help text.
func newParser(world *surroundings, exit func(code int)) (*kong.Kong, error) {
	return kong.New(&commands{},
		kong.Name("corridor"), kong.Description(description),
		kong.Writers(world.stdout, world.stderr), kong.Exit(exit),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.Vars(world.parts.Vars()), kong.TypeMapper(reflect.TypeFor[slog.Level](), kong.MapperFunc(decodeLevel)),
	)
}

// decodeLevel reads a level, and lists the known ones where slog's error does not.
func decodeLevel(ctx *kong.DecodeContext, target reflect.Value) error {
	var text string
	if err := ctx.Scan.PopValueInto("level", &text); err != nil {
		return err
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(text)); err != nil {
		return fmt.Errorf("want DEBUG, INFO, WARN or ERROR, not %q", text)
	}
	target.Set(reflect.ValueOf(level))
	return nil
}

// unparsed prints why a command line has no command to run, and returns the exit status. If
// nothing but the command is missing, it prints the help.
func unparsed(world *surroundings, err error) int {
	wrong, ok := errors.AsType[*kong.ParseError](err)
	if !ok {
		return fail(world, err, exitRejected)
	}
	at := wrong.Context.Model.Node
	if selected := wrong.Context.Selected(); selected != nil {
		at = selected
	}
	if wrong.Context.Error == nil && !at.Leaf() {
		if err := wrong.Context.PrintUsage(false); err != nil {
			return fail(world, err, exitFailed)
		}
		return exitOK
	}
	return fail(world, fmt.Errorf("%w%s (run %q)", err, similarValue(err, wrong.Context), at.FullPath()+" --help"), exitRejected)
}

// similarValue returns the hint for the value that an error quotes, if it is not in its enum.
func similarValue(err error, parsed *kong.Context) string {
	for _, p := range parsed.Path {
		value := p.Positional
		if p.Flag != nil {
			value = p.Flag.Value
		}
		if value != nil && value.Enum != "" && strings.Contains(err.Error(), strconv.Quote(value.Target.String())) {
			return service.DidYouMean(value.Target.String(), value.EnumSlice())
		}
	}
	return ""
}

// similar adds a hint to the error of a word that is not known.
func similar(err error, word string, known []string) error {
	if hint := cmp.Or(service.DidYouMean(word, known), longer(word, known)); hint != "" {
		return fmt.Errorf("%w%s", err, hint)
	}
	return err
}

// longer returns the hint for a word that only begins known words.
func longer(word string, known []string) string {
	var all []string
	for _, k := range known {
		if strings.HasPrefix(k, word) {
			all = append(all, strconv.Quote(k))
		}
	}
	if word == "" || len(all) == 0 || slices.Contains(known, word) {
		return ""
	}
	return "; did you mean " + strings.Join(all, " or ") + "?"
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
