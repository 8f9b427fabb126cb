package connectortest_test

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/connectortest"
	"github.com/corridor-go/corridor/ports/portstest/internal/broken"
)

func readFile(tb testing.TB, name string) string {
	tb.Helper()
	data, err := fs.ReadFile(connectorFiles(), name)
	if err != nil {
		tb.Fatal(err)
	}
	return string(data)
}

func TestAnInvalidScenarioIsRejected(t *testing.T) {
	sound := readFile(t, "try_later.json")
	for what, edit := range map[string][2]string{
		"without a title":                  {`"title": "too many requests"`, `"title": ""`},
		"without a source":                 {`"source": "https://docs.example.com/reference"`, `"source": ""`},
		"with a source that is not a URL":  {`"source": "https://docs.example.com/reference"`, `"source": "the docs"`},
		"without the day of reading":       {`"read": "2026-11-21"`, `"read": ""`},
		"with an invalid day":              {`"read": "2026-11-21"`, `"read": "2026-02-30"`},
		"with an unknown field":            {`"read":`, `"reed": 1, "read":`},
		"with an unknown kind":             {`"kind": "try_later"`, `"kind": "busy"`},
		"with an invalid wait":             {`"after": "30s"`, `"after": "30"`},
		"with a wait without a reason":     {`"kind": "try_later"`, `"kind": "failed"`},
		"with an answer and an error":      {`"after": "30s"`, `"after": "30s", "error": "unavailable"`},
		"with a relative path":             {`"path": "/resolve"`, `"path": "resolve"`},
		"without a method":                 {`"method": "GET"`, `"method": ""`},
		"with two bodies to send":          {`"status": 429`, `"text": "x", "status": 429`},
		"with two bodies to get":           {`"method": "GET"`, `"method": "GET", "text": "x", "form": {}`},
		"with an invalid status":           {`"status": 429`, `"status": 42`},
		"in Latin-1 without a text":        {`"status": 429`, `"latin1": true, "status": 429`},
		"with trailing data":               {`"30s"`, "\"30s\"}}{{\""},
		"with a missing file":              {`"body": {`, `"file": "gone.html", "latin1": false}}], "expect": {"error": "unavailable"}} {"x": {`},
		"with a letter not in Latin-1":     {`"body": {`, `"latin1": true, "text": "\u0141"}}], "expect": {"error": "unavailable"}} {"x": {`},
		"read before the web existed":      {`"read": "2026-11-21"`, `"read": "0001-01-01"`},
		"with an answer and another error": {`"kind": "try_later"`, `"kind": "try_later", "error": "configuration"`},
	} {
		data := strings.Replace(sound, edit[0], edit[1], 1)
		if data == sound {
			t.Errorf("%s: nothing changed", what)
		}
		if _, _, err := connectortest.ParseScenario([]byte(data)); err == nil {
			t.Errorf("a scenario %s is accepted", what)
		}
	}
	if _, _, err := connectortest.ParseScenario([]byte(sound)); err != nil {
		t.Errorf("a sound scenario is rejected: %v", err)
	}
}

func TestAScenarioExpectsOnlyErrorsOfALookup(t *testing.T) {
	sound := readFile(t, "unauthorized.json")
	for code, taken := range map[string]bool{
		"configuration": true, "unavailable": true, "malformed_answer": true,
		"config": false, "not_found": false, "deadline_exceeded": false, "internal": false,
	} {
		_, _, err := connectortest.ParseScenario([]byte(strings.Replace(sound, `"configuration"`, `"`+code+`"`, 1)))
		if (err == nil) != taken {
			t.Errorf("%s: %v", code, err)
		}
		if !taken && !strings.Contains(err.Error(), "expect.error must be one of") {
			t.Errorf("%s: %v", code, err)
		}
	}
}

func TestAnInventedScenarioMayBeReadOnAnyDay(t *testing.T) {
	text := strings.Replace(readFile(t, "unauthorized.json"), `"read": "2026-11-21"`, `"read": "0001-01-01", "assumed": ["all"]`, 1)
	if _, _, err := connectortest.ParseScenario([]byte(text)); err != nil {
		t.Error(err)
	}
}

func TestTheAssumedAreCounted(t *testing.T) {
	files := copied()
	delete(files, "forbidden.html")
	for name, list := range map[string]string{"forbidden": `["all"]`, "unauthorized": `["response.status", "all"]`, "failed": `["response.status"]`} {
		f := files[name+".json"]
		f.Data = []byte(strings.Replace(string(f.Data), `"read"`, `"assumed": `+list+`, "read"`, 1))
	}
	got, err := connectortest.Assumptions(connectorFiles())
	if err != nil || got != "0 of 16 scenarios are assumed, 1 more in part" {
		t.Error(got, err)
	}
	files["forbidden.html"] = &fstest.MapFile{}
	got, err = connectortest.Assumptions(files)
	if err != nil || got != "2 of 16 scenarios are assumed, 2 more in part" {
		t.Error(got, err)
	}
}

// TestAMisreadFileIsNamed: the error has the file, the line and the field.
func TestAMisreadFileIsNamed(t *testing.T) {
	for text, want := range map[string]string{
		"{\n\"lookup\": {\n\"identifier\": 123}}":               "found.json: line 3: lookup.identifier must not be of type number",
		`{"exchanges": [{"request": {"query": {"bank": 58}}}]}`: "found.json: line 1: exchanges.request.query must not be of type number",
		`{"expect": {"after": 30}}`:                             "found.json: line 1: expect.after must not be of type number",
		"{\n\"title\" 1}":                                       "found.json: line 2: invalid character",
		`[]`:                                                    "found.json: line 1: a scenario must not be of type array",
	} {
		_, err := connectortest.Assumptions(fstest.MapFS{"found.json": {Data: []byte(text)}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// FuzzScenario: every accepted scenario expects a valid answer or an error.
func FuzzScenario(f *testing.F) {
	entries, err := fs.ReadDir(connectorFiles(), ".")
	if err != nil {
		f.Fatal(err)
	}
	for _, e := range entries {
		f.Add([]byte(readFile(f, e.Name())))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, answer, err := connectortest.ParseScenario(data)
		if err == nil && answer != (ports.Answer{}) && answer.Check() != nil {
			t.Errorf("a scenario expects an answer that contradicts itself: %v", answer.Check())
		}
	})
}

func TestUnreadableScenariosAreRejected(t *testing.T) {
	for what, files := range map[string]fs.FS{
		"no file":             fstest.MapFS{},
		"a missing body file": fstest.MapFS{"found.json": {Data: []byte(strings.Replace(readFile(t, "forbidden.json"), "forbidden.html", "gone.html", 1))}},
		"invalid JSON":        fstest.MapFS{"found.json": {Data: []byte("found")}},
	} {
		r := broken.Record(t, func(tb testing.TB) {
			h := soundHarness()
			h.Scenarios = files
			connectortest.RunConnectorCheck(tb, playCheck, h)
		})
		if !r.Failed() {
			t.Errorf("%s: the suite does not stop", what)
		}
	}
}

const connectorsPage = "../../../internal/docs/adapters/connector.md"

func page(tb testing.TB) string {
	tb.Helper()
	text, err := os.ReadFile(connectorsPage)
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

// TestThePageHasTheAnswerTable keeps the page in step with the code.
func TestThePageHasTheAnswerTable(t *testing.T) {
	yes := map[bool]string{true: "yes", false: "no"}
	var want strings.Builder
	for _, r := range ports.OutcomeRules() {
		cells := []string{string(r.Outcome), string(r.Status), yes[r.Cached], yes[r.FailOver], yes[r.Retry], yes[r.Success], yes[r.Failure]}
		want.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	if !strings.Contains(page(t), want.String()) {
		t.Errorf("%s does not have the answer table:\n%s", connectorsPage, want.String())
	}
}

// TestThePagesExampleIsSound reads the scenario on the page.
func TestThePagesExampleIsSound(t *testing.T) {
	blocks := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(page(t), -1)
	if len(blocks) == 0 {
		t.Fatalf("%s has no scenario", connectorsPage)
	}
	for _, b := range blocks {
		if _, _, err := connectortest.ParseScenario([]byte(b[1])); err != nil {
			t.Errorf("a scenario of %s: %v\n%s", connectorsPage, err, b[1])
		}
	}
}
