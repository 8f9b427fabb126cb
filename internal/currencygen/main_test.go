package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCommittedTableIsFresh(t *testing.T) {
	out := filepath.Join(t.TempDir(), "currencies.go")
	if err := generate("iso4217.csv", out); err != nil {
		t.Fatal(err)
	}

	want, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}

	got, err := os.ReadFile(filepath.Join("..", "..", "ports", "currencies.go"))
	if err != nil {
		t.Fatal(err)
	}

	if !bytes.Equal(got, want) {
		t.Error("currencies.go is stale: run go generate ./ports")
	}
}

func TestParseRejectsABrokenFile(t *testing.T) {
	const head = "code,numeric,minor_unit,name\n"

	for name, c := range map[string]struct{ file, says string }{
		"an empty file":                {"", "header"},
		"only a header":                {head, "at least one row"},
		"columns in another order":     {"numeric,code,minor_unit,name\n784,AED,2,UAE Dirham\n", "header"},
		"a lower-case code":            {head + "aed,784,2,UAE Dirham\n", "three capital letters"},
		"a number of two digits":       {head + "AED,84,2,UAE Dirham\n", "three digits"},
		"a minor unit of five":         {head + "AED,784,5,UAE Dirham\n", "minor_unit"},
		"a minor unit spelled N.A.":    {head + "XAU,959,N.A.,Gold\n", "minor_unit"},
		"a row without a name":         {head + "AED,784,2,\n", "name"},
		"a row without its last field": {head + "AED,784,2\n", "number of fields"},
		"rows out of order":            {head + "AFN,971,2,Afghani\nAED,784,2,UAE Dirham\n", "ascending order"},
		"a code twice":                 {head + "AED,784,2,UAE Dirham\nAED,785,2,UAE Dirham\n", "ascending order"},
		"a number twice":               {head + "AED,784,2,UAE Dirham\nAFN,784,2,Afghani\n", "have the same number 784"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parse(strings.NewReader(c.file))
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("parse: %v; want an error that says %q", err, c.says)
			}
		})
	}
}

func TestRenderGroupsCodesByDigits(t *testing.T) {
	got, err := render(map[string][]string{"2": {"AED"}, "0": {"BIF"}, "": {"XAU"}})
	if err != nil {
		t.Fatal(err)
	}

	for _, want := range []string{
		"case \"AED\":\n\t\treturn 2\n", "case \"BIF\":\n\t\treturn 0\n", "case \"XAU\":\n\t\treturn noMinorUnit\n",
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}

	if strings.Contains(string(got), "return 3") {
		t.Error("an empty case for three digits")
	}
}
