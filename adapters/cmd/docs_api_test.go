package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const apiPage = "../../internal/docs/api.md"

// fence is a block of a page: its language, and its lines.
var fence = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")

// step is a block of commands on the page, and the output that the page shows, if any.
type step struct{ commands, language, output string }

func stepsOf(t *testing.T, page string) (steps []step) {
	t.Helper()
	commands := false // whether the block before has commands
	for _, block := range fence.FindAllStringSubmatch(page, -1) {
		language, text := block[1], block[2]
		switch {
		case language == "sh":
			steps = append(steps, step{commands: text})
		case commands && (language == "json" || language == "text"):
			last := &steps[len(steps)-1]
			last.language, last.output = language, text
		}
		commands = language == "sh"
	}
	require.NotEmpty(t, steps)
	return steps
}

// The first block starts the service, which runs in this process; bash runs the others.
// What they print, and the events that the service sends meanwhile, stand on the page.
func TestThePageOfTheAPIIsTrue(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("needs ", program)
		}
	}
	text, err := os.ReadFile(apiPage)
	require.NoError(t, err)
	page := string(text)
	steps := stepsOf(t, page)
	events := receiving(t, nil)
	start := strings.Fields(steps[0].commands)
	require.Equal(t, []string{"corridor", "serve"}, start[:2])
	s := serve(t, nil, append(start[2:], "--store", "memory:", "--webhook-url", events.URL, "--webhook-allow-private")...)
	outputs := s.inOneShell(steps[1:])
	for i, step := range steps[1:] {
		switch step.language {
		case "json":
			require.Equal(t, values(t, step.output), values(t, outputs[i]), step.commands)
		case "text":
			require.Equal(t, unvaried(step.output), unvaried(outputs[i]), step.commands)
		}
	}
	s.requireDescribed(page, events)
}

// inOneShell runs the commands, as if a reader had pasted them, and returns what each
// step prints.
func (s *running) inOneShell(steps []step) []string {
	s.t.Helper()
	const end = "== end of a step\n"
	script := "set -euo pipefail\n"
	for _, step := range steps {
		script += step.commands + "printf '" + strings.ReplaceAll(end, "\n", `\n`) + "'\n"
	}
	for shown, real := range map[string]string{"http://127.0.0.1:8080": s.url, "cor_sk_…": s.sandboxSecret()} {
		require.Contains(s.t, script, shown)
		script = strings.ReplaceAll(script, shown, real)
	}
	shell := exec.CommandContext(s.t.Context(), "bash", "-c", script)
	shell.Dir = s.t.TempDir()
	out, err := shell.Output()
	if exit, failed := errors.AsType[*exec.ExitError](err); failed {
		require.NoError(s.t, err, "%s\n%s", out, exit.Stderr)
	}
	require.NoError(s.t, err)
	outputs := strings.Split(string(out), end)
	require.Len(s.t, outputs, len(steps)+1)
	return outputs
}

// varying matches the fields whose values differ each time.
var varying = regexp.MustCompile(`"(access_token|id|rateLockId|\w+At)": ?"[^"]+"`)

// unvaried returns an output without what differs each time. Lines of CSV end with CRLF.
func unvaried(output string) string {
	return strings.ReplaceAll(varying.ReplaceAllString(output, `"$1":"…"`), "\r\n", "\n")
}

// values returns the JSON values of an output.
func values(t *testing.T, output string) (list []any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(unvaried(output)))
	for {
		var value any
		err := decoder.Decode(&value)
		if errors.Is(err, io.EOF) {
			return list
		}
		require.NoError(t, err, output)
		list = append(list, value)
	}
}

func TestThePageOfTheAPIShowsTheTypeScriptReceiver(t *testing.T) {
	page, err := os.ReadFile(apiPage)
	require.NoError(t, err)
	receiver, err := os.ReadFile("../../internal/docs/receiver.ts")
	require.NoError(t, err)
	shown := regexp.MustCompile("(?ms)^```ts\n(.*?)^```$").FindSubmatch(page)
	require.NotNil(t, shown)
	require.Contains(t, string(receiver), string(shown[1]))
}

// requireDescribed waits for the events of the page's commands, and checks that the page
// names the type of each with all fields of its data.
func (s *running) requireDescribed(page string, events *receiver) {
	s.t.Helper()
	awaited := []string{"rate_lock.cancelled", "validation.ended", "transaction.late_payment", "report.completed"}
	s.eventually(func() bool {
		got := fmt.Sprint(kinds(events.requests()))
		for _, kind := range awaited {
			if !strings.Contains(got, kind) {
				return false
			}
		}
		return true
	}, "events are missing")
	for _, event := range events.requests() {
		row := regexp.MustCompile("(?m)^\\|[^|]*`" + regexp.QuoteMeta(event.kind) + "`.*$").FindString(page)
		require.NotEmpty(s.t, row, event.kind)
		var fields map[string]json.RawMessage
		require.NoError(s.t, json.Unmarshal(event.data, &fields))
		for name := range fields {
			require.Contains(s.t, row, "`"+name+"`", event.kind)
		}
	}
}
