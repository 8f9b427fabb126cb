package csvfile_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/source/csvfile"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/reporttest"
)

const shared = `Owner,Merchant,Reference,Amount,Currency,At
acme,m1,ORD-1,10.50,KES,2026-11-20T01:00:00Z
acme,m1,ORD-2,-3.00,KES,2026-11-20T02:00:00Z
acme,m2,ORD-3,7.00,KES,2026-11-20T02:00:00Z
rival,m1,ORD-4,8.00,KES,2026-11-20T02:00:00Z
acme,m1,"ORD
5",9,XOF,2026-11-20T03:00:00.5Z
acme,m1,ORD-6,1,KES,yesterday
acme,m1,ORD-7,a lot,KES,2026-11-20T03:00:00.5Z
acme,m1,ORD-8,1,KES,2026-11-20T09:00:00Z

acme,m1,ORD-9,1.001,KWD,2026-11-20T04:00:00+01:00
Total,,,99.99
`

func TestConforms(t *testing.T) {
	day := time.Date(2026, time.November, 20, 0, 0, 0, 0, time.UTC)
	query := func(owner, merchant string) ports.RowQuery {
		return ports.RowQuery{Owner: owner, MerchantID: merchant, From: day.Add(time.Hour), Until: day.Add(9 * time.Hour)}
	}
	reporttest.SettlementSource(t, reporttest.SettlementSourceHarness{Open: func(tb testing.TB) reporttest.SettlementHoldings {
		source := open(tb, shared, func(c *csvfile.Config) {
			c.Owner, c.FixedOwner, c.Merchant, c.SkipPrefixes = "owner", "", "merchant", []string{"Total"}
		})
		return reporttest.SettlementHoldings{
			Source: source, Now: written, Query: query("acme", "m1"),
			Strangers: []ports.RowQuery{query("acme", "m2"), query("rival", "m1")}, Undated: []int64{8},
			Lines: []ports.SettlementLine{
				{Line: 2, Reference: "ORD-1", Amount: 1050, Currency: "KES", At: day.Add(time.Hour)},
				{Line: 3, Reference: "ORD-2", Amount: -300, Currency: "KES", At: day.Add(2 * time.Hour)},
				{Line: 6, Reference: "ORD\n5", Amount: 9, Currency: "XOF", At: day.Add(3*time.Hour + 500*time.Millisecond)},
				{Line: 8, Reference: "ORD-6", Amount: 100, Currency: "KES", Bad: "the time cannot be read", HasAmount: true},
				{Line: 9, Reference: "ORD-7", Currency: "KES", At: day.Add(3*time.Hour + 500*time.Millisecond), Bad: "the amount is not a number"},
				{Line: 12, Reference: "ORD-9", Amount: 1001, Currency: "KWD", At: day.Add(3 * time.Hour)},
			},
		}
	}})
}

// The caller may change its lists for the next source.
func TestListsAreCopied(t *testing.T) {
	var given csvfile.Config
	s := open(t, "Reference,Amount,Currency,At,Way\nR,1,KES,20.11.2026,in\nS,2,KES,20.11.2026,out\nTotal\n", func(c *csvfile.Config) {
		c.Sign, c.Credit, c.Debit = "Way", []string{"in"}, []string{"out"}
		c.TimeLayouts, c.SkipPrefixes = []string{"02.01.2006"}, []string{"Total"}
		given = *c
	})
	before := lines(t, s)
	require.Len(t, before, 2)
	for _, list := range [][]string{given.Credit, given.Debit, given.TimeLayouts, given.SkipPrefixes} {
		list[0] = "other"
	}
	require.Equal(t, before, lines(t, s))
}

func TestACurrencyWithoutMinorUnitsIsBad(t *testing.T) {
	got := lines(t, open(t, head+"R;1;XAU;2026-11-20T01:00:00Z\n", nil))
	require.Len(t, got, 1)
	require.Equal(t, "the currency is missing or unknown", got[0].Bad, "gold has no minor unit")
}

// TestOwnersSeeOnlyTheirLines is I31: nobody sees another owner's line, and of a line
// without an owner only that it exists.
func TestOwnersSeeOnlyTheirLines(t *testing.T) {
	s := open(t, "Owner,Reference,Amount,Currency,At\nrival,R,1,KES,2026-11-20T01:00:00Z\n,SECRET,1,KES,2026-11-20T01:00:00Z\nAcme,R,1,KES,x\n",
		func(c *csvfile.Config) { c.Owner, c.FixedOwner = "Owner", "" })
	require.Equal(t, []ports.SettlementLine{{Line: 3, Bad: "no owner"}}, lines(t, s))

	for _, change := range []func(c *csvfile.Config){
		func(c *csvfile.Config) { c.FixedOwner = "rival" },
		func(c *csvfile.Config) { c.FixedMerchant = "m2" },
	} {
		require.Empty(t, lines(t, open(t, head+"R;1;KES;2026-11-20T01:00:00Z\nbad\n", change)))
	}
	require.Len(t, lines(t, open(t, head+"R;1;KES;2026-11-20T01:00:00Z\n", func(c *csvfile.Config) { c.FixedMerchant = "m1" })), 1)
}

func gzipped(tb testing.TB, text string) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := io.WriteString(w, text)
	require.NoError(tb, err)
	require.NoError(tb, w.Close())
	return b.Bytes()
}

func TestCompressedFiles(t *testing.T) {
	text := head + strings.Repeat("R;1;KES;2026-11-20T01:00:00Z\n", 3000)
	good := gzipped(t, text)
	torn, spoilt := good[:len(good)-5], bytes.Clone(good)
	spoilt[len(spoilt)/2] ^= 0x55
	senseless := bytes.Clone(good)
	senseless[10] |= 6 // an unknown kind of block
	for name, c := range map[string]struct {
		path string
		body []byte
		code errcodes.Code
	}{
		"whole":                   {"f.csv.gz", good, ""},
		"in capital letters":      {"F.CSV.GZ", good, ""},
		"incomplete":              {"f.csv.gz", torn, errcodes.Unprocessable},
		"spoilt":                  {"f.csv.gz", spoilt, errcodes.Unprocessable},
		"senseless":               {"f.csv.gz", senseless, errcodes.Unprocessable},
		"empty":                   {"f.csv.gz", nil, errcodes.Unprocessable},
		"not compressed":          {"f.csv.gz", []byte(text), errcodes.Unprocessable},
		"compressed, without .gz": {"f.csv", good, errcodes.Unprocessable},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := config()
			cfg.FS = fstest.MapFS{c.path: &fstest.MapFile{Data: c.body}}
			s, err := csvfile.New(c.path, cfg)
			require.NoError(t, err)
			got, err := read(t, s, always)
			require.Equal(t, c.code, errcodes.Of(err), "%v", err)
			if c.code == "" {
				require.Len(t, got, 3000)
			}
		})
	}
}

func TestFilesOnDisk(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "s.csv")
	s, err := csvfile.New(path, config())
	require.NoError(t, err, "the file may be created later")
	_, err = read(t, s, always)
	require.Equal(t, errcodes.Unavailable, errcodes.Of(err))
	require.NotContains(t, errcodes.MessageOf(err), dir)
	_, err = s.AsOf(t.Context(), written)
	require.Equal(t, errcodes.Unavailable, errcodes.Of(err))

	require.NoError(t, os.WriteFile(path, []byte(head+"R;1;KES;2026-11-20T01:00:00Z"), 0o600))
	require.NoError(t, os.Chtimes(path, written, written))
	require.Len(t, lines(t, s), 1)
	at, err := s.AsOf(t.Context(), written.AddDate(0, 0, 1))
	require.NoError(t, err)
	require.Equal(t, written, at)

	s, err = csvfile.New(dir, config())
	require.NoError(t, err)
	_, err = read(t, s, always)
	require.Equal(t, errcodes.Unprocessable, errcodes.Of(err))
}

func TestAsOfCanBeConfigured(t *testing.T) {
	told := written.Add(-time.Hour)
	s := open(t, head, func(c *csvfile.Config) { c.AsOf = told.In(time.FixedZone("EAT", 3*3600)) })
	at, err := s.AsOf(t.Context(), written)
	require.NoError(t, err)
	require.Equal(t, told, at)
}

// endless is a file with one line of size bytes between two good ones, or whose disk
// fails.
type endless struct {
	fs.FileInfo

	parts []io.Reader
}

func (e endless) Open(string) (fs.File, error) {
	return &endlessFile{e, io.MultiReader(e.parts...)}, nil
}
func (e endless) Stat(string) (fs.FileInfo, error) { return e, nil }
func (endless) Mode() fs.FileMode                  { return 0o600 }
func (endless) IsDir() bool                        { return false }
func (endless) ModTime() time.Time                 { return written }

type endlessFile struct {
	endless

	r io.Reader
}

func (f *endlessFile) Read(p []byte) (int, error) { return f.r.Read(p) }
func (f *endlessFile) Stat() (fs.FileInfo, error) { return f.endless, nil }
func (f *endlessFile) Close() error               { return nil }

// same is an endless reader of one letter: each Read returns the text, whose letters are
// all the same.
type same string

func (s same) Read(p []byte) (int, error) { return copy(p, s), nil }

func filler(letter string) same { return same(strings.Repeat(letter, 64<<10)) }

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("disk /dev/sdb is on fire") }

const good = "R;1;KES;2026-11-20T01:00:00Z\n"

var full = flag.Bool("full", false, "also run what .ci/full runs: read 2 GB and measure memory")

func TestGigabytesInOneLine(t *testing.T) {
	size := int64(16 << 20)
	if *full {
		size = 2 << 30
	}
	for _, letter := range []string{"x", `"`} {
		s := open(t, "", func(c *csvfile.Config) {
			c.FS = endless{parts: []io.Reader{strings.NewReader(head + good), io.LimitReader(filler(letter), size), strings.NewReader("\n" + good)}}
		})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := lines(t, s)
		runtime.ReadMemStats(&after)
		require.Len(t, got, 3)
		require.Equal(t, ports.SettlementLine{Line: 3, Bad: "longer than 1 MiB"}, got[1])
		require.Equal(t, int64(4), got[2].Line)
		require.Empty(t, got[2].Bad)
		if *full {
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16<<20), "the total of all allocations")
		}
	}
}

func TestADiskThatFailsEndsTheStream(t *testing.T) {
	s := open(t, "", func(c *csvfile.Config) {
		c.FS = endless{parts: []io.Reader{strings.NewReader(head + good + "R;1;K"), failing{}}}
	})
	got, err := read(t, s, always)
	require.Len(t, got, 1, "half a line is not a line")
	require.Equal(t, errcodes.Unavailable, errcodes.Of(err))
	require.Equal(t, "the settlement file cannot be read", errcodes.MessageOf(err))
}

// A line without an end must not outlive its caller.
func TestALongLineEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := open(t, "", func(c *csvfile.Config) {
		c.FS = endless{parts: []io.Reader{strings.NewReader(head + good), filler("x")}}
	})
	n := 0
	for _, err := range s.Lines(ctx, always) {
		cancel()
		if n++; n == 2 {
			require.Equal(t, errcodes.Canceled, errcodes.Of(err))
		}
	}
	require.Equal(t, 2, n)
}

func TestMemoryDoesNotGrowWithTheFile(t *testing.T) {
	if !*full {
		t.Skip("only .ci/full measures memory")
	}
	const times = 200_000
	s := open(t, "", func(c *csvfile.Config) {
		c.FS = endless{parts: []io.Reader{strings.NewReader(head), io.LimitReader(&repeated{text: good}, int64(times*len(good)))}}
	})
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	n := 0
	for _, err := range s.Lines(t.Context(), always) {
		require.NoError(t, err)
		n++
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	require.Equal(t, times, n)
	require.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(4<<20))
}

type repeated struct {
	text string
	at   int
}

func (r *repeated) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = r.text[r.at]
		r.at = (r.at + 1) % len(r.text)
	}
	return len(p), nil
}

func ExampleNew() {
	files := fstest.MapFS{"settled.csv": &fstest.MapFile{Data: []byte(
		"Order;Betrag;Buchung\nORD-1;1.250,50;20.11.2026 14:30\nORD-2;zwölf;20.11.2026 14:31\n")}}
	source, err := csvfile.New("settled.csv", csvfile.Config{
		Reference: "Order", Amount: "Betrag", SettledAt: "Buchung", FixedCurrency: "KES", FixedOwner: "acme",
		DecimalComma: true, Thousands: ".", TimeLayouts: []string{"02.01.2006 15:04"}, Zone: "Africa/Nairobi",
		FS: files,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for l, err := range source.Lines(context.Background(), ports.RowQuery{Owner: "acme", Until: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)}) {
		fmt.Println(l.Line, l.Reference, l.Amount, l.Currency, l.At.Format(time.RFC3339), l.Bad, err)
	}
	// Output:
	// 2 ORD-1 125050 KES 2026-11-20T11:30:00Z  <nil>
	// 3 ORD-2 0 KES 2026-11-20T11:31:00Z the amount is not a number <nil>
}
