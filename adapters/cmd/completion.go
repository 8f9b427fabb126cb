package cmd

import (
	"io"
	"slices"

	"github.com/alecthomas/kong"

	"github.com/corridor-go/corridor/adapters/cmd/internal/completion"
	"github.com/corridor-go/corridor/adapters/service"
	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation/market"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help shows how the script is used.
func (completionCmd) Help() string {
	return `For the current shell:

    eval "$(corridor completion bash)"        also zsh
    corridor completion fish | source

To keep it, write the same line into ~/.bashrc, ~/.zshrc or ~/.config/fish/config.fish.`
}

// Run prints the script.
func (c *completionCmd) Run(world *surroundings, parser *kong.Kong) error {
	_, err := io.WriteString(world.stdout, completion.Script(c.Shell, parser.Model, known(world.parts)))
	return err
}

// known returns the values that the tag complete names.
func known(parts service.Parts) completion.Words {
	words := completion.Words{
		"schemes": schemeNames(), "countries": countries(), "types": accountTypes(),
		"directions": {string(errcodes.Payin), string(errcodes.Payout)},
		"levels":     {"DEBUG", "INFO", "WARN", "ERROR"},
		"states":     {string(errcodes.StateFailed), string(errcodes.StateError)},
	}
	for _, c := range parts.Connectors {
		words["connectors"] = append(words["connectors"], c.Name)
	}
	return words
}

func schemeNames() (all []string) {
	for _, s := range failures.Schemes() {
		all = append(all, string(s))
	}
	return all
}

// countries returns the countries of all markets.
func countries() (all []string) {
	for _, rule := range market.Rules() {
		if !slices.Contains(all, rule.Country) {
			all = append(all, rule.Country)
		}
	}
	return all
}

func accountTypes() []string {
	return []string{string(ports.BankAccount), string(ports.MobileMoney), string(ports.InstitutionWallet)}
}
