package names_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/internal/docpage"
	"github.com/corridor-go/corridor/validation/names"
)

const namesPage = "../../internal/docs/names.md"

// The page is generated from the table that drives the code, with computed scores.
func TestNamesPageIsFresh(t *testing.T) {
	docpage.Check(t, namesPage, drawNames(t))
}

func drawNames(t testing.TB) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# How names are compared

Generated from the rule table of package validation/names; `+"`go doc validation/names.Compare`"+` describes the comparison.
The score starts at 100 and loses the cost of a rule for each word that needed the rule. The result contains the most expensive
rule that was needed. Names match if the score is at least %d; `+"`names.Thresholds`"+` sets that limit, 51 to 100. A rule without a
cost makes the names different at any threshold: the score is at most 50.

The comparison is symmetric. It does not depend on the market, the time or earlier comparisons.

| rule | cost | supplied | returned | verdict | score | meaning |
|---|---|---|---|---|---|---|
`, names.DefaultMatch)
	for _, rule := range names.Rules() {
		got := names.Compare(rule.Supplied, rule.Returned, names.Thresholds{})
		verdict, cost := "different", "final"
		if got.Matches {
			verdict = "match"
		}
		if rule.Cost > 0 || rule.Matches {
			cost = strconv.Itoa(rule.Cost)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %d | %s |\n", rule.ID, cost,
			escaped(rule.Supplied), escaped(rule.Returned), verdict, got.Score, rule.Meaning)
	}
	b.WriteString(`
Not supported: nicknames and translations (Bill, William; Kofi, Friday), initials without a blank or dot between them
(AS MENSAH), scripts other than Arabic against Latin. Letters that only look alike (a Cyrillic o in John) differ.

## People and businesses

What kind of holder a name belongs to is decided first. A person never matches a business, whatever the words.

| name | a business by its words | because |
|---|---|---|
`)
	for _, row := range kindExamples {
		business := "no"
		if names.IsBusiness(row.name) {
			business = "yes"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", row.name, business, row.why)
	}
	b.WriteString(drawCorpus(t))
	drawTables(t, &b)
	for _, s := range names.Sections() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| %s | %s |\n|---|---|\n", s.Title, s.Text, s.Head[0], s.Head[1])
		for _, row := range s.Rows {
			fmt.Fprintf(&b, "| %s | %s |\n", row[0], row[1])
		}
	}
	return b.String()
}

// drawTables links the tables of words, with their comments, which name the sources.
func drawTables(t testing.TB, b *strings.Builder) {
	t.Helper()
	for _, table := range []struct{ file, title, text string }{
		{"titles", "Titles", "Not compared between people. A row's titles are one."},
		{"forms", "Legal forms", "Not compared as words. Two businesses with different forms are two; one side may leave its form out."},
		{"business", "Words of businesses", "One of them makes a name a business's. A row's words are one."},
		{"names", "Names and their spellings", "Each row is one name. If two words are listed and share no row, they are two names, however alike."},
	} {
		text, err := os.ReadFile("tables/" + table.file + ".txt")
		require.NoError(t, err)
		rows := 0
		var comments []string
		for line := range strings.Lines(string(text)) {
			if comment, found := strings.CutPrefix(line, "# "); found {
				comments = append(comments, strings.TrimSpace(comment))
			} else if line != "\n" {
				rows++
			}
		}
		fmt.Fprintf(b, "\n## %s\n\n%s %d rows: [%[4]s.txt](../../validation/names/tables/%[4]s.txt).\n\n", table.title, table.text, rows, table.file)
		for _, comment := range comments {
			fmt.Fprintf(b, "    %s\n", comment)
		}
	}
}

// kindExamples are names and whether their words make them a business's.
var kindExamples = []struct {
	name     string
	business bool
	why      string
}{
	{"Acme Trading", true, "a word of businesses"},
	{"Nile S.A.E.", true, "letters with dots at the end are a legal form"},
	{"A.S. Mensah", false, "letters elsewhere are initials"},
	{"Sango (Private) Limited", true, "a legal form in full"},
	{"Chipo C C", false, "letters with blanks are initials, unless the other side has that form: CHIPO CC"},
	{"Trust Moyo", false, "a word that is also a name counts only beside two other words"},
	{"Moyo Family Trust", true, "beside two other words"},
	{"Safaricom", false, "one word without a sign may be a business's, unless it is listed as a person's name: the other side decides"},
	{"Blue Nile", false, "two words without a sign are a person's"},
	{"Kofi Mensah T/A Mensah Bakery", false, "the holder stands before T/A"},
	{"مخبز النيل", true, "a word of businesses"},
}

func TestKindExamples(t *testing.T) {
	for _, row := range kindExamples {
		assert.Equal(t, row.business, names.IsBusiness(row.name), row)
	}
}

func escaped(cell string) string { return strings.NewReplacer("*", `\*`, "|", `\|`).Replace(cell) }

// Each example is decided by its rule with the published result.
func TestEveryNameRuleDecidesItsExample(t *testing.T) {
	seen := map[string]bool{}
	for _, rule := range names.Rules() {
		assert.Regexp(t, `^[a-z_]{4,20}$`, rule.ID)
		assert.False(t, seen[rule.ID], rule.ID)
		seen[rule.ID] = true
		assert.NotEmpty(t, rule.Meaning, rule.ID)

		got := names.Compare(rule.Supplied, rule.Returned, names.Thresholds{})
		assert.Equal(t, rule.ID, got.Rule)
		assert.Equal(t, rule.Matches, got.Matches, rule.ID)
		assert.Equal(t, rule.Matches, got.Score >= names.DefaultMatch, rule.ID)
		if rule.Cost == 0 && !rule.Matches {
			assert.LessOrEqual(t, got.Score, 50, "%s is final", rule.ID)
		} else {
			assert.LessOrEqual(t, got.Score, 100-rule.Cost, rule.ID)
		}
	}
}

// Callers cannot change the rules.
func TestRulesReturnsACopy(t *testing.T) {
	names.Rules()[0].ID = "changed"
	require.Equal(t, "same", names.Rules()[0].ID)
}

func ExampleCompare() {
	for _, returned := range []string{"MENSAH AMA SERWAA", "A. MENSAH", "KOFI MENSAH"} {
		got := names.Compare("Ama Mensah", returned, names.Thresholds{})
		fmt.Println(got.Matches, got.Rule, got.Score)
	}
	// Output:
	// true missing 94
	// true initial 92
	// false different 16
}

func ExampleThresholds() {
	strict := names.Thresholds{Match: 95}
	fmt.Println(strict.Check(), names.Compare("Ama Mensah", "A. MENSAH", strict).Matches)
	// Output: <nil> false
}

func ExampleRules() {
	rule := names.Rules()[0]
	fmt.Println(rule.ID, rule.Cost, rule.Supplied, "=", rule.Returned)
	// Output: same 0 Ama Serwaa Mensah = MRS. MENSAH, AMA SERWAA
}
