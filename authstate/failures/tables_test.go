package failures_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
)

// source is a row of tables/sources.
type source struct{ kind, address, what, read string }

// Kinds of sources.
const (
	published = "published" // by the scheme or the provider
	party     = "party"     // a third party's list or code
	memory    = "memory"    // known to practitioners
)

func sourcesOf(t testing.TB, scheme failures.Scheme) map[string]source {
	t.Helper()
	f, err := os.Open("tables/sources/" + string(scheme) + ".csv")
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"key", "kind", "address", "what", "read"}, rows[0])
	sources := map[string]source{}
	for _, r := range rows[1:] {
		require.NotContains(t, sources, r[0], "%s: listed twice", scheme)
		sources[r[0]] = source{r[1], r[2], r[3], r[4]}
	}
	return sources
}

// Lint finds no mistakes, every row has a source, and rows that are sure have sufficient
// sources.
func TestTheTablesAreSound(t *testing.T) {
	for _, scheme := range failures.Schemes() {
		t.Run(string(scheme), func(t *testing.T) {
			rows := failures.Rows(scheme)
			assert.NotEmpty(t, rows)
			for _, complaint := range failures.Lint(rows) {
				t.Error(complaint)
			}
			sources, used := sourcesOf(t, scheme), map[string]bool{}
			for _, r := range rows {
				assert.NotEmpty(t, r.Meaning, r.Code)
				assert.NotEmpty(t, r.Sources, r.Code)
				for _, key := range r.Sources {
					used[key] = true
					assert.Contains(t, sources, key, r.Code)
				}
				if r.Confidence == failures.Sure {
					assert.True(t, grounds(sources, r.Sources), "%s is sure, but its sources are insufficient: %v", r.Code, r.Sources)
				}
			}
			for key, s := range sources {
				assert.True(t, used[key], "no row has the source %s", key)
				assert.Contains(t, []string{published, party, memory}, s.kind, key)
				assert.NotEmpty(t, s.address, key)
				assert.NotEmpty(t, s.what, key)
				_, err := time.Parse(time.DateOnly, s.read)
				assert.NoError(t, err, "%s: the day on which it was read", key)
			}
		})
	}
}

// grounds reports whether a row with these sources may be sure: one is published, or two
// are independent.
func grounds(sources map[string]source, keys []string) bool {
	parties := 0
	for _, key := range keys {
		switch sources[key].kind {
		case published:
			return true
		case party:
			parties++
		}
	}
	return parties > 1
}

// A success must not become a decline because the caller's direction is wrong.
func TestARowThatIsNotAFailureHasAnswersInBothDirections(t *testing.T) {
	n, err := failures.New(nil)
	require.NoError(t, err)
	for _, scheme := range failures.Schemes() {
		for _, r := range failures.Rows(scheme) {
			if strings.HasPrefix(r.Code, "^") || !noFailure(r.Payin) && !noFailure(r.Payout) {
				continue
			}
			for _, d := range []errcodes.Direction{errcodes.Payin, errcodes.Payout} {
				got, err := n.Normalise(failures.Input{Scheme: scheme, Direction: d, Code: r.Code, Message: r.Message})
				require.NoError(t, err)
				assert.NotEqual(t, failures.MatchFallback, got.MatchedBy, "%s %s %s", scheme, d, r.Code)
			}
		}
	}
}

func noFailure(a failures.Answer) bool {
	return a == failures.AnswerSuccess || a == failures.AnswerPending
}

func TestEachSchemeHasATableAndEachTableAScheme(t *testing.T) {
	for _, pattern := range []string{"tables/*.csv", "tables/sources/*.csv"} {
		var schemes []string
		for _, s := range failures.Schemes() {
			schemes = append(schemes, string(s))
		}
		slices.Sort(schemes)
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for i, file := range files {
			files[i] = strings.TrimSuffix(filepath.Base(file), ".csv")
		}
		slices.Sort(files)
		require.Equal(t, schemes, files, pattern)
	}
}

// unreachable contains the codes that are in no table, with the reason.
var unreachable = map[errcodes.TransactionCode]string{
	errcodes.ErrorInternal: "the service's own failure; a provider's internal error is downstreamError",
	errcodes.ErrorSystem:   "as internalError",
}

func TestEveryCodeThatIsNotDeprecatedIsInATable(t *testing.T) {
	used := map[errcodes.TransactionCode]int{}
	for _, scheme := range failures.Schemes() {
		for _, r := range failures.Rows(scheme) {
			for _, a := range []failures.Answer{r.Payin, r.Payout} {
				used[errcodes.TransactionCode(a)]++
			}
		}
	}
	for _, row := range errcodes.TransactionCodes() {
		_, excused := unreachable[row.Code]
		assert.Equal(t, !row.Deprecated && !excused, used[row.Code] > 0, "%s is in %d rows", row.Code, used[row.Code])
	}
}

// TestCoverage logs the size of the tables; -v shows it.
func TestCoverage(t *testing.T) {
	total, sure := 0, 0
	for _, scheme := range failures.Schemes() {
		rows := failures.Rows(scheme)
		c := count(rows)
		t.Logf("%-24s %4d rows, %4d sure, %4d answer payins, %4d payouts, %3d are no failure, %2d families",
			scheme, len(rows), c.sure, c.payin, c.payout, c.noFailure, c.families)
		total, sure = total+len(rows), sure+c.sure
	}
	t.Logf("%-24s %4d rows, %4d sure", "all", total, sure)
}

type counts struct{ sure, payin, payout, noFailure, families int }

func count(rows []failures.Row) counts {
	var c counts
	add := func(n *int, when bool) {
		if when {
			*n++
		}
	}
	for _, r := range rows {
		add(&c.sure, r.Confidence == failures.Sure)
		add(&c.payin, r.Payin != "")
		add(&c.payout, r.Payout != "")
		add(&c.noFailure, noFailure(r.Payin) || noFailure(r.Payout))
		add(&c.families, strings.HasPrefix(r.Code, "^"))
	}
	return c
}
