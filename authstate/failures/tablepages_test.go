package failures_test

import (
	"encoding/csv"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/internal/docpage"
)

const tablePages = "../../internal/docs/failures/"

// coverage describes the origin of a scheme's rows, and what is left out.
type coverage struct{ title, from, leftOut string }

func coverages(t *testing.T) map[failures.Scheme]coverage {
	t.Helper()
	f, err := os.Open("coverage.csv")
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	of := map[failures.Scheme]coverage{}
	for _, r := range rows[1:] {
		of[failures.Scheme(r[0])] = coverage{r[1], r[2], r[3]}
	}
	return of
}

func TestThePagesShowTheTables(t *testing.T) {
	of := coverages(t)
	require.Len(t, of, len(failures.Schemes()))
	docpage.Check(t, tablePages+"README.md", drawIndex(of))
	for _, scheme := range failures.Schemes() {
		docpage.Check(t, tablePages+string(scheme)+".md", drawTable(t, scheme, of[scheme]))
	}
}

func drawIndex(of map[failures.Scheme]coverage) string {
	var b strings.Builder
	b.WriteString("# Failure tables\n\nGenerated from `authstate/failures/tables`. [Failures](../failures.md) explains how rows are decided. " +
		"Rows are sure if the scheme or provider publishes the meaning, or sources agree, and exactly one definition of SPEC 7.5 fits; the others are judgement.\n\n" +
		"| scheme | | rows | sure | from | left out |\n|---|---|---|---|---|---|\n")
	rows, sure := 0, 0
	for _, scheme := range failures.Schemes() {
		table, c := failures.Rows(scheme), of[scheme]
		n := count(table).sure
		fmt.Fprintf(&b, "| [%s](%s.md) | %s | %d | %d | %s | %s |\n", scheme, scheme, c.title, len(table), n, c.from, c.leftOut)
		rows, sure = rows+len(table), sure+n
	}
	fmt.Fprintf(&b, "| all | | %d | %d | | |\n", rows, sure)
	return b.String()
}

func drawTable(t *testing.T, scheme failures.Scheme, c coverage) string {
	t.Helper()
	var b strings.Builder
	rows := failures.Rows(scheme)
	fmt.Fprintf(&b, "# %s\n\nGenerated from `authstate/failures/tables/%s.csv`: %s. %d rows, %d of them sure. From: %s. Left out: %s.\n",
		scheme, scheme, c.title, len(rows), count(rows).sure, c.from, c.leftOut)
	if base := scheme.Base(); base != "" {
		fmt.Fprintf(&b, "Codes that are not listed here are looked up in [%s](%s.md).\n", base, base)
	}
	b.WriteString("\n| code | message | meaning | payin | payout | sure | sources | note |\n|---|---|---|---|---|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %s | %s |\n", cell(r.Code), cell(r.Message), cell(r.Meaning), r.Payin, r.Payout,
			tick(r.Confidence), strings.Join(r.Sources, ", "), cell(r.Note))
	}
	b.WriteString("\n## Sources\n\n| key | kind | what | read | address |\n|---|---|---|---|---|\n")
	sources := sourcesOf(t, scheme)
	for _, key := range slices.Sorted(maps.Keys(sources)) {
		s := sources[key]
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", key, s.kind, cell(s.what), s.read, cell(s.address))
	}
	return b.String()
}

func tick(c failures.Confidence) string {
	if c == failures.Sure {
		return "sure"
	}
	return ""
}

// cell escapes a text for a cell of a table.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
