package csvfile_test

import (
	"io/fs"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/corridor-go/corridor/adapters/source/csvfile"
	"github.com/corridor-go/corridor/ports"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	written = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)
	always  = ports.RowQuery{Owner: "acme", MerchantID: "m1", From: time.Time{}, Until: written.AddDate(100, 0, 0)}
)

const head = "Reference;Amount;Currency;At\n"

// config returns the configuration for files that start with head.
func config() csvfile.Config {
	return csvfile.Config{
		Reference: "Reference", Amount: "Amount", Currency: "Currency", SettledAt: "At",
		FixedOwner: "acme",
	}
}

func inMemory(name, text string) fs.FS {
	return fstest.MapFS{name: &fstest.MapFile{Data: []byte(text), ModTime: written}}
}

func open(tb testing.TB, text string, change func(c *csvfile.Config)) *csvfile.Source {
	tb.Helper()
	c := config()
	c.FS = inMemory("file.csv", text)
	if change != nil {
		change(&c)
	}
	s, err := csvfile.New("file.csv", c)
	require.NoError(tb, err)
	return s
}

func read(tb testing.TB, s *csvfile.Source, q ports.RowQuery) ([]ports.SettlementLine, error) {
	tb.Helper()
	var out []ports.SettlementLine
	for l, err := range s.Lines(tb.Context(), q) {
		if err != nil {
			require.Zero(tb, l)
			return out, err
		}
		out = append(out, l)
	}
	return out, nil
}

func lines(tb testing.TB, s *csvfile.Source) []ports.SettlementLine {
	tb.Helper()
	out, err := read(tb, s, always)
	require.NoError(tb, err)
	return out
}

// headerless describes the columns time, reference, amount and currency.
func headerless(c *csvfile.Config) {
	c.NoHeader, c.Delimiter = true, ","
	c.SettledAt, c.Reference, c.Amount, c.Currency = "#1", "#2", "#3", "#4"
}
