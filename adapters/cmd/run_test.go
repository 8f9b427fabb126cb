package cmd

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/service"
)

func TestACommandLineWithoutACommandPrintsHelp(t *testing.T) {
	for line, want := range map[string][]string{
		"": {
			"Locks exchange rates", "corridor demo", "corridor serve --sandbox",
			"\nRun the service:\n  serve ", "\nClients:\n  client ", "\nOperate:\n  events ", "\nWork with payments:\n  validate ", "\nExtend:\n  new ", "\nOther:\n  version ",
		},
		"client": {"Usage: corridor client <command>", "client new ", "client rotate "},
		"events": {"Usage: corridor events <command>", "events replay "},
	} {
		code, out, errs := command(t, "", nil, strings.Fields(line)...)
		require.Zero(t, code, line)
		require.Empty(t, errs, line)
		for _, part := range want {
			require.Contains(t, out, part, line)
		}
	}
}

// Each error is one line with what to do next.
func TestAMistypedWordIsAnsweredWithASuggestion(t *testing.T) {
	for line, want := range map[string]string{
		"serv":              `unexpected argument serv, did you mean "serve"? (run "corridor --help")`,
		"client rotat acme": `unexpected argument rotat, did you mean "rotate"? (run "corridor client --help")`,
		"serve --sandbx":    `unknown flag --sandbx, did you mean "--sandbox"? (run "corridor serve --help")`,
		"client --sandbx":   `unknown flag --sandbx (run "corridor client --help")`,
		"report unmached":   `missing flags: --from=YYYY-MM-DD (run "corridor report --help")`,
		"report unmatched --from 2026-10-01 --format xslx": `--format must be one of "csv","jsonl","xlsx" but got "xslx"; did you mean "xlsx"? (run "corridor report --help")`,
		"new":                               `expected "<kind> <name>" (run "corridor new --help")`,
		"new fed bank":                      `<kind> must be one of "connector","feed","sink","codes","store" but got "fed"; did you mean "feed"? (run "corridor new --help")`,
		"client new acme":                   `missing flags: --merchant=ID,... (run "corridor client new --help")`,
		"completion bsh":                    `<shell> must be one of "bash","zsh","fish" but got "bsh"; did you mean "bash"? (run "corridor completion --help")`,
		"report unmached --from 2026-10-01": `<kind> must be one of "transactions","unmatched" but got "unmached"; did you mean "unmatched"? (run "corridor report --help")`,
		"serve --token-lifetime 0s":         `serve: --token-lifetime must be 1s to 24h0m0s, not 0s (run "corridor serve --help")`,

		"serve --log-level TRACE": `--log-level: want DEBUG, INFO, WARN or ERROR, not "TRACE" (run "corridor serve --help")`,

		"normalise mpesa 1 --direction payin":                        `scheme is not known: "mpesa"; did you mean "mpesa-daraja" or "mpesa-openapi"?`,
		"normalise mpesa-dajara 1 --direction payin":                 `scheme is not known: "mpesa-dajara"; did you mean "mpesa-daraja"?`,
		"normalise mpesa-daraja 1 --direction in":                    `direction must be payin or payout, not "in"`,
		"validate NGR bank_account 0690000032 --bank-code 044":       `country is not supported for this accountType; did you mean "NGA"?`,
		"validate nga bank_account 0690000032 --bank-code 044":       `country must be an ISO 3166-1 code of 3 capital letters; did you mean "NGA"?`,
		"validate NGA bankaccount 0690000032 --bank-code 044":        `accountType must be bank_account, mobile_money or institution_wallet; did you mean "bank_account"?`,
		"validate XQX bank_account 0690000032 --bank-code 044":       `country is not supported for this accountType`,
		"serve --sandbox --store memory: --connectors paystak":       `--connectors "paystak": want any of sandbox, sandbox-standby, paystack, flutterwave, mtnmomo; did you mean "paystack"?`,
		"serve --sandbox --store memory: --feed fil:rates.json":      `--feed fil:…: want file:PATH or ecb:URL-or-PATH; did you mean "file"?`,
		"serve --sandbox --store memory: --feed file:":               `--feed file:: want file:PATH or ecb:URL-or-PATH`,
		"serve --sandbox --store memory: --feed bloomberg:canarykey": `--feed bloomberg:…: want file:PATH or ecb:URL-or-PATH`,
	} {
		code, out, errs := command(t, "", map[string]string{"CORRIDOR_LISTEN": "127.0.0.1:0"}, strings.Fields(line)...)
		require.Equal(t, exitRejected, code, line)
		require.Empty(t, out, line)
		require.Equal(t, "corridor: "+want+"\n", errs, line)
	}
}

// A third of the letters may differ, rounded up.
func TestAWordThatIsTooDifferentIsNotASuggestion(t *testing.T) {
	for word, hint := range map[string]string{
		"paystak": `; did you mean "paystack"?`, "PAYSTACKS": `; did you mean "paystack"?`, "paystack": "",
		"xxxstack": `; did you mean "paystack"?`, "xxxxtack": "", "": "",
	} {
		require.Equal(t, hint, service.DidYouMean(word, []string{"flutterwave", "paystack"}), word)
	}
}
