package connectortest_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/corridor-go/corridor/ports/portstest/connectortest"
	"github.com/corridor-go/corridor/ports/portstest/internal/broken"
)

// badConnector is a connector, or a set of scenarios, with one flaw, and the
// check that must catch it.
type badConnector struct {
	flaw  string
	check string
	spoil func(h *connectortest.Harness)
}

// bends adds a flaw to the reference connector.
func bends(spoil func(r *reference)) func(h *connectortest.Harness) {
	return func(h *connectortest.Harness) { h.New = harnessOf(spoil).New }
}

// files changes the scenarios' files.
func files(change func(files fstest.MapFS)) func(h *connectortest.Harness) {
	return func(h *connectortest.Harness) {
		all := copied()
		change(all)
		h.Scenarios = all
	}
}

func copied() fstest.MapFS {
	all := fstest.MapFS{}
	source := connectorFiles()
	entries, _ := fs.ReadDir(source, ".")
	for _, e := range entries {
		data, _ := fs.ReadFile(source, e.Name())
		all[e.Name()] = &fstest.MapFile{Data: data}
	}
	return all
}

// without removes files.
func without(names ...string) func(h *connectortest.Harness) {
	return files(func(files fstest.MapFS) {
		for _, name := range names {
			delete(files, name+".json")
		}
	})
}

// edited replaces text in a file.
func edited(name, old, text string) func(h *connectortest.Harness) {
	return files(func(files fstest.MapFS) {
		data := string(files[name+".json"].Data)
		files[name+".json"] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(data, old, text))}
	})
}

var badConnectors = slices.Concat(badClaims, badScenarios, badExchanges, badAnswers, badSecrets, badLogins)

func soundHarness() connectortest.Harness { return harnessOf(func(*reference) {}) }

func TestEveryBadConnectorIsCaught(t *testing.T) {
	t.Parallel()
	for _, s := range badConnectors {
		t.Run(s.flaw, func(t *testing.T) {
			t.Parallel()
			h := soundHarness()
			s.spoil(&h)
			r := broken.Record(t, func(tb testing.TB) { connectortest.RunConnectorCheck(tb, s.check, h) })
			if !r.Failed() {
				t.Errorf("the check %q did not catch it", s.check)
			}
			t.Log(r.Text())
		})
	}
}

func TestEveryCheckOfConnectorsHasAFlaw(t *testing.T) {
	names := connectortest.ConnectorCheckNames(t, soundHarness())
	for _, name := range names {
		if !slices.ContainsFunc(badConnectors, func(s badConnector) bool { return s.check == name }) {
			t.Errorf("no broken connector shows that the check %q can fail", name)
		}
	}
	for _, s := range badConnectors {
		if !slices.Contains(names, s.check) {
			t.Errorf("%s: there is no check %q", s.flaw, s.check)
		}
	}
	slices.Sort(names)
	if len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("two checks have the same name")
	}
}
