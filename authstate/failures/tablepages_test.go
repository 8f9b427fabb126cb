package failures_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/docpage"
)

// coverage is a row of coverage.csv: which fields of a provider's message are Code and
// Message, where the rows are from, and what is left out.
type coverage struct{ title, code, message, from, leftOut string }

func coverages(t *testing.T) map[failures.Scheme]coverage {
	t.Helper()
	f, err := os.Open("coverage.csv")
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"scheme", "title", "code", "message", "from", "left_out"}, rows[0])
	of := map[failures.Scheme]coverage{}
	for _, r := range rows[1:] {
		of[failures.Scheme(r[0])] = coverage{r[1], r[2], r[3], r[4], r[5]}
	}
	return of
}

const (
	failuresPage = "../../internal/docs/failures.md"
	tableBegins  = "<!-- generated from authstate/failures -->\n"
	tableEnds    = "<!-- end -->\n"
)

func TestThePageListsTheSchemes(t *testing.T) {
	page, err := os.ReadFile(failuresPage)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(page), tableBegins)
	require.True(t, ok)
	_, after, ok := strings.Cut(rest, tableEnds)
	require.True(t, ok)
	of := coverages(t)
	require.Len(t, of, len(failures.Schemes()))
	docpage.Check(t, failuresPage, before+tableBegins+drawSchemes(of)+tableEnds+after)
}

func drawSchemes(of map[failures.Scheme]coverage) string {
	var b strings.Builder
	b.WriteString("| scheme | | rows | sure | Code | Message |\n|---|---|---|---|---|---|\n")
	rows, sure := 0, 0
	for _, scheme := range failures.Schemes() {
		table, c := failures.Rows(scheme), of[scheme]
		n := count(table).sure
		fmt.Fprintf(&b, "| [%s](../../authstate/failures/tables/%[1]s.csv) | %s | %d | %d | %s | %s |\n",
			scheme, c.title, len(table), n, c.code, c.message)
		rows, sure = rows+len(table), sure+n
	}
	fmt.Fprintf(&b, "| all | | %d | %d | | |\n", rows, sure)
	return b.String()
}

// The page shows what the command prints for a payin, and for a payout.
func TestThePageShowsTheMeaningOfACodeInEachDirection(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(docpage.Block(t, failuresPage, "json", "connectorFailureCode")), "\n")
	directions := []errcodes.Direction{errcodes.Payin, errcodes.Payout}
	require.Len(t, lines, len(directions))
	n := normaliser(t, nil)
	for i, direction := range directions {
		var shown struct {
			State                         errcodes.State
			Code                          errcodes.TransactionCode
			Message, ConnectorFailureCode string
			Known                         bool
		}
		require.NoError(t, json.Unmarshal([]byte(lines[i]), &shown))
		r, err := n.Normalise(failures.Input{
			Scheme: failures.MpesaDaraja, Direction: direction, Code: shown.ConnectorFailureCode,
		})
		require.NoError(t, err)
		require.Equal(t, "2001", shown.ConnectorFailureCode)
		require.Equal(t, string(r.Outcome), string(shown.State))
		require.Equal(t, r.Code, shown.Code)
		require.Equal(t, r.Message(), shown.Message)
		require.Equal(t, r.Known(), shown.Known)
	}
}
