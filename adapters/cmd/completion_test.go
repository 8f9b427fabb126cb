package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/service"
)

// scriptOf writes the completion script for a shell, and skips the test without the shell.
func scriptOf(t *testing.T, shell string) (path string) {
	t.Helper()
	if _, err := exec.LookPath(shell); err != nil {
		t.Skip(err)
	}
	code, out, errs := command(t, "", nil, "completion", shell)
	require.Zero(t, code, errs)
	path = filepath.Join(t.TempDir(), "corridor."+shell)
	require.NoError(t, os.WriteFile(path, []byte(out), 0o600))
	return path
}

// shellOutput runs a script of a shell and returns what it prints.
func shellOutput(t *testing.T, shell string, args ...string) string {
	t.Helper()
	run := exec.CommandContext(t.Context(), shell, args...)
	run.Dir = t.TempDir()
	run.Env = append(os.Environ(), "HOME="+run.Dir)
	out, err := run.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return strings.TrimSpace(string(out))
}

var completions = map[string]string{ // the line up to the cursor: the completions
	"corridor ser":                           "serve",
	"corridor c":                             "client connectors completion",
	"corridor client r":                      "rotate revoke",
	"corridor client rotate acme --exp":      "--expire-old",
	"corridor client rotate --file f a --no": "--not-after",
	"corridor serve --sandbox --feed f --li": "--listen",
	"corridor report ":                       "transactions unmatched",
	"corridor report unmatched --format x":   "xlsx",
	"corridor report --format csv unm":       "unmatched",
	"corridor normalise mpesa-d":             "mpesa-daraja",
	"corridor normalise x 1 --direction ":    "payin payout",
	"corridor validate NG":                   "NGA",
	"corridor validate --sandbox NG":         "NGA", // no value follows a switch
	"corridor serve --log-level W":           "WARN",
	"corridor validate NGA bank_":            "bank_account",
	"corridor validate NGA --name x bank_":   "bank_account",
	"corridor validate NGA ":                 "bank_account mobile_money institution_wallet",
	"corridor serve --connectors pay":        "paystack",
	"corridor completion ":                   "bash zsh fish",
	"corridor events --st":                   "", // --store is its subcommands' flag
	"corridor nothing ":                      "serve migrate healthcheck demo client events validate normalise report connectors new version completion",
}

func TestBashCompletes(t *testing.T) {
	script := scriptOf(t, "bash")
	check := func(line, want string, words ...string) {
		out := shellOutput(t, "bash", append([]string{"-c", `source "$1"; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _corridor; echo "${COMPREPLY[*]}"`, "bash", script}, words...)...)
		require.Equal(t, want, out, line)
	}
	for line, want := range completions {
		check(line, want, strings.Split(line, " ")...)
	}
	check("corridor report --format=", "csv jsonl xlsx", "corridor", "report", "--format", "=")
	check("corridor report --format=x", "xlsx", "corridor", "report", "--format", "=", "x")
	check("corridor report --format=csv u", "unmatched", "corridor", "report", "--format", "=", "csv", "u")
	check("corridor validate NGA bank_account NG", "", "corridor", "validate", "NGA", "bank_account", "NG")
	check("corridor serve --store=", "", "corridor", "serve", "--store", "=") // bash then completes file names
	require.Contains(t, shellOutput(t, "bash", "-c", `source "$1"; complete -p corridor`, "bash", script), "-o default -F _corridor")
}

// A program may add parts of any name.
func TestTheCompletionScriptExpandsNothing(t *testing.T) {
	hostile := parts()
	hostile.Connectors = append(hostile.Connectors, service.ConnectorKind{Name: "it's"}, service.ConnectorKind{Name: "$(echo*expanded)"}, service.ConnectorKind{Name: "(echo)x"})
	for shell, program := range map[string]string{
		"bash": `source "$0"; COMP_WORDS=(corridor serve --connectors "") COMP_CWORD=3; _corridor; printf '%s\n' "${COMPREPLY[@]}"`,
		"fish": `source $argv[1]; complete -C 'corridor serve --connectors ' | cut -f 1`,
	} {
		t.Run(shell, func(t *testing.T) {
			_ = scriptOf(t, shell) // skips without the shell
			var script screen
			require.Equal(t, exitOK, run(&surroundings{t.Context(), strings.NewReader(""), &script, os.Stderr, hostile}, []string{"completion", shell}))
			path := filepath.Join(t.TempDir(), "script")
			write(t, path, script.String())
			offered := strings.Split(shellOutput(t, shell, "-c", program, path), "\n")
			require.Subset(t, offered, []string{"it's", "$(echo*expanded)", "(echo)x"})
		})
	}
}

func TestFishCompletes(t *testing.T) {
	script := scriptOf(t, "fish")
	for line, want := range completions {
		out := shellOutput(t, "fish", "--no-config", "-c", `source $argv[1]; complete -C $argv[2]`, script, line)
		var got []string
		for entry := range strings.Lines(out) {
			word, _, _ := strings.Cut(strings.TrimSpace(entry), "\t")
			got = append(got, strings.Fields(word)...)
		}
		require.ElementsMatch(t, strings.Fields(want), got, line)
	}
}

// zsh calls the script of bash as bash would, except that it selects the words that fit.
func TestZshCompletes(t *testing.T) {
	script := scriptOf(t, "zsh")
	for _, line := range []string{"corridor ser", "corridor client r", "corridor report unmatched --format x"} {
		out := shellOutput(t, "zsh", append([]string{"-f", "-c", `source $1; shift; print -r -- $_comps[corridor]; emulate sh
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _corridor; echo "${COMPREPLY[*]}"`, "zsh", script}, strings.Split(line, " ")...)...)
		require.Contains(t, out, "_corridor")
		require.Subset(t, strings.Fields(out), strings.Fields(completions[line]), line)
	}
}
