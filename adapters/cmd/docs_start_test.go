package cmd

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

func pageOf(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile("../../" + path)
	require.NoError(t, err)
	return string(text)
}

// The first block of the page writes the files of a service and starts it. The test binary
// stands for corridor; only the port is another.
func TestTheFirstStartOfThePageRuns(t *testing.T) {
	t.Parallel()
	commands := stepsOf(t, pageOf(t, "internal/docs/operations.md"))[0].commands
	before, found := strings.CutSuffix(commands, "\ncorridor serve\n")
	require.True(t, found, commands)
	dir := t.TempDir()
	binary, err := filepath.Abs(os.Args[0])
	require.NoError(t, err)
	require.NoError(t, os.Symlink(binary, filepath.Join(dir, "corridor")))
	shell := exec.Command("bash", "-euc", before+"\nexec corridor serve --listen 127.0.0.1:0")
	shell.Dir = dir
	p := started(t, shell, "PATH="+dir+":"+os.Getenv("PATH"))
	secret := regexp.MustCompile(`client_secret, printed only once: (\S+)`).FindStringSubmatch(p.log.String())
	require.NotNil(t, secret, p.log)
	require.Equal(t, http.StatusOK, p.login("acme", secret[1]))
	status, lock := p.lock("USD", "ZAR")
	require.Equal(t, http.StatusCreated, status)
	require.Equal(t, "18.2500", lock["midRate"], "of the file that the page writes")
	require.Contains(t, p.log.String(), "no connector serves these markets, so their accounts are checked by form alone")
	require.NotContains(t, p.log.String(), dataKeysEnv, "it has one")
	info, err := os.Stat(filepath.Join(dir, "corridor.env"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode(), "it has the key")
	require.NoError(t, p.end(syscall.SIGTERM), p.log)
}

func TestThePageOfFailureCodesShowsWhatNormalisePrints(t *testing.T) {
	first := stepsOf(t, pageOf(t, "internal/docs/failures.md"))[0]
	printed := ""
	for line := range strings.Lines(first.commands) {
		_, args, ok := commandLine(strings.TrimSpace(line))
		require.True(t, ok, line)
		code, out, errs := command(t, "", nil, args...)
		require.Zero(t, code, errs)
		printed += out
	}
	require.NotEmpty(t, first.output)
	require.Equal(t, values(t, first.output), values(t, printed))
}

// The README's table has a number for each answer, and the page of the API the same answers.
func TestTheMagicNumbersHaveTheAnswersOfTheTables(t *testing.T) {
	t.Parallel()
	rows := regexp.MustCompile(`(?m)^\| (anything else|\d{4}) \| (\w+)(.*) \| (\d{10}) \|$`).FindAllStringSubmatch(pageOf(t, "README.md"), -1)
	require.Len(t, rows, 6)
	answers := map[string]string{}
	for _, row := range rows {
		ending, answer, rest, number := row[1], row[2], row[3], row[4]
		answers[ending] = answer
		synctest.Test(t, func(t *testing.T) {
			if ending != "anything else" {
				require.True(t, strings.HasSuffix(number, ending), row[0])
			}
			_, result, _ := validated(t, asking{Country: "NGA", AccountType: "bank_account", AccountIdentifier: number, BankCode: "044"}, "--sandbox")
			require.Equal(t, answer, result["status"], row[0])
			require.Equal(t, strings.Contains(rest, "second provider"), answer == "verified" && result["provider"] == "sandbox-standby", row[0])
			if answer == "verified" {
				require.Equal(t, holder, result["accountHolderName"])
			}
		})
	}
	api := map[string]string{}
	for _, row := range regexp.MustCompile(`(?m)^\| (?:accountIdentifier ends with|…) (anything else|\d{4}) \| (?:pending, and )?(\w+)`).
		FindAllStringSubmatch(pageOf(t, strings.TrimPrefix(apiPage, "../../")), -1) {
		api[row[1]] = row[2]
	}
	require.Equal(t, answers, api)
}
