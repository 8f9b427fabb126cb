package match_test

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/report/match"
)

// manyMatches returns n lines and n payments, a tenth of which do not match.
func manyMatches(n int) matchCase {
	var c matchCase
	for i := range n {
		reference := "R" + strconv.Itoa(i)
		c.payments = append(c.payments, paid("p"+strconv.Itoa(i), reference, 100, 1))
		amount := int64(100)
		if i%10 == 0 {
			amount = 99
		}
		c.lines = append(c.lines, settled(int64(n-i), reference, amount, 1+i%3))
	}
	return c
}

// In TestMatchPartitionsAgain a file of the first partitioning is still too large.
func TestMatchPartitionsAgain(t *testing.T) {
	c := manyMatches(2000)
	want, wantTally := c.all(t)
	require.Equal(t, int64(200), wantTally.UnmatchedLines)
	for _, bits := range []uint{1, 2, 6} {
		created := map[string]bool{}
		scratch := fake.NewScratch()
		scratch.Fault = func(method, name string) error {
			if method == "Create" {
				require.False(t, created[name], "a name is used twice")
				created[name] = true
			}
			return nil
		}
		in := c.input()
		in.Limits.Scratch = scratch
		var rows []match.Unmatched
		tally, err := match.RunWithin(t.Context(), in, 1500, 600, bits, func(u match.Unmatched) error { rows = append(rows, u); return nil })
		require.NoError(t, err)
		require.Equal(t, want, rows)
		require.Equal(t, wantTally, tally)
		require.Greater(t, len(created), 150)
		require.Zero(t, scratch.Spaces())
	}
}

// Run must not open a scratch space that it does not need.
func TestScratchIsNotOpenedIfAllFits(t *testing.T) {
	in := manyMatches(1000).input()
	in.Limits = match.Limits{MemoryBytes: match.MinMemory, Scratch: fake.NewScratch()}
	in.Limits.Scratch.(*fake.Scratch).Fault = func(string, string) error { return errors.New("used") }
	_, err := match.Run(t.Context(), in, func(match.Unmatched) error { return nil })
	require.NoError(t, err)
}

// Memory beyond the limit may only be in files.
func TestMatchStaysWithinItsMemory(t *testing.T) {
	in := manyMatches(20_000).input()
	in.Limits = match.Limits{MemoryBytes: match.MinMemory, Scratch: fake.NewScratch()}
	spilled := 0
	in.Limits.Scratch.(*fake.Scratch).Fault = func(method, _ string) error {
		if method == "Create" {
			spilled++
		}
		return nil
	}
	_, err := match.Run(t.Context(), in, func(match.Unmatched) error { return nil })
	require.NoError(t, err)
	require.GreaterOrEqual(t, spilled, 64)
}

func TestMatchWithRowsLargerThanTheMemory(t *testing.T) {
	c := matchCase{lines: some(settled(2, strings.Repeat("B", 900), 1, 1), settled(1, strings.Repeat("A", 900), 1, 1), settled(3, "C", 1, 1))}
	want, _ := c.all(t)
	for _, rows := range []int64{0, 300, 1200} {
		got, _, _ := c.bounded(t, 10_000, rows, 1)
		require.Equal(t, want, got)
	}
}

func TestOneReferenceLargerThanTheMemory(t *testing.T) {
	var c matchCase
	for i := range 100 {
		c.lines = append(c.lines, settled(int64(i+1), "A", 1, 1), settled(int64(i+1001), "B"+strconv.Itoa(i), 1, 1))
	}
	in := c.input()
	scratch := fake.NewScratch()
	in.Limits.Scratch = scratch
	_, err := match.RunWithin(t.Context(), in, 3000, 3000, 2, func(match.Unmatched) error { return nil })
	require.Equal(t, errcodes.Unprocessable, errcodes.Of(err))
	require.Zero(t, scratch.Spaces())
	c = matchCase{lines: some(settled(1, strings.Repeat("A", 4000), 1, 1))}
	in = c.input()
	in.Limits.Scratch = scratch
	_, err = match.RunWithin(t.Context(), in, 3000, 3000, 2, func(match.Unmatched) error { return nil })
	require.Equal(t, errcodes.Unprocessable, errcodes.Of(err))
	c.lines = some(settled(1, strings.Repeat("A", 2000), 1, 1), settled(2, strings.Repeat("B", 2000), 1, 1))
	rows, _, _ := c.bounded(t, 3000, 1<<20, 2)
	require.Len(t, rows, 2)
}

// This reference fits into memory as bytes, but not while it is matched.
func TestAReferenceTooLargeToMatchIsRejected(t *testing.T) {
	const most = match.MinMemory / 8 * 5 / 512
	for n, want := range map[int]errcodes.Code{most: "", most + 1: errcodes.Unprocessable} {
		var c matchCase
		for i := range n {
			c.lines = append(c.lines, settled(int64(i+1), "A", 1, 1))
		}
		in := c.input()
		in.Limits.MemoryBytes = match.MinMemory
		_, err := match.Run(t.Context(), in, func(match.Unmatched) error { return nil })
		require.Equal(t, want, errcodes.Of(err))
	}
}

// The last records that fit may all have one reference.
func TestMatchPartitionsSortedInput(t *testing.T) {
	var c matchCase
	for i := range 200 {
		c.lines = append(c.lines, settled(int64(i+1), "A"+strconv.Itoa(i/8), 1, 1))
	}
	want, _ := c.all(t)
	for records := int64(1500); records < 3000; records += 100 {
		got, _, _ := c.bounded(t, records, 1<<20, 2)
		require.Equal(t, want, got)
	}
}

// The hashes of the two references agree in the first bits and differ in the next, so the
// second partitioning separates them.
func TestEachPartitioningUsesTheNextBits(t *testing.T) {
	const bits = 4
	part := func(i, level int) uint64 {
		return match.PlainHash("R"+strconv.Itoa(i)) << (level * bits) >> (64 - bits)
	}
	other := 1
	for part(0, 0) != part(other, 0) || part(0, 1) == part(other, 1) || part(0, 2) != part(other, 2) {
		other++
	}
	var c matchCase
	for line := range int64(20) {
		c.lines = append(c.lines, settled(2*line+1, "R0", 1, 1), settled(2*line+2, "R"+strconv.Itoa(other), 1, 1))
	}
	want, _ := c.all(t)
	in, created, scratch := c.input(), 0, fake.NewScratch()
	scratch.Fault = func(method, _ string) error {
		if method == "Create" {
			created++
		}
		return nil
	}
	in.Limits.Scratch = scratch
	var rows []match.Unmatched
	_, err := match.RunWithin(t.Context(), in, 1500, 1<<20, bits, func(u match.Unmatched) error { rows = append(rows, u); return nil })
	require.NoError(t, err)
	require.Equal(t, want, rows)
	require.Equal(t, 1+2, created)
}

// Any number of lines and payments may have no reference.
func TestRecordsWithoutAReferenceAreNotAGroup(t *testing.T) {
	var c matchCase
	for i := range 2000 {
		c.lines = append(c.lines, settled(int64(i+1), "", 1, 1))
		c.payments = append(c.payments, paid("p"+strconv.Itoa(i), "", 1, 1))
	}
	in := c.input()
	in.Limits = match.Limits{MemoryBytes: match.MinMemory, Scratch: fake.NewScratch()}
	tally, err := match.Run(t.Context(), in, func(match.Unmatched) error { return nil })
	require.NoError(t, err)
	require.Equal(t, match.Tally{Lines: 2000, UnmatchedLines: 2000, Payments: 2000, Missing: 2000}, tally)
}

func TestMatchWithoutScratch(t *testing.T) {
	_, err := match.RunWithin(t.Context(), manyMatches(100).input(), 1500, 9000, 2, func(match.Unmatched) error { return nil })
	require.Equal(t, errcodes.Unprocessable, errcodes.Of(err))
	_, err = match.RunWithin(t.Context(), manyMatches(100).input(), 150_000, 300, 2, func(match.Unmatched) error { return nil })
	require.Equal(t, errcodes.Unprocessable, errcodes.Of(err))
}

// openScratch counts open files, and fails the n-th call.
type openScratch struct {
	*fake.Scratch
	calls, failAt int
	open, most    int // files
	err, closeErr error
}

func (o *openScratch) call(string, string) error {
	o.calls++
	if o.calls == o.failAt {
		return o.err
	}
	return nil
}

func (o *openScratch) Open(ctx context.Context) (ports.ScratchSpace, error) {
	s, err := o.Scratch.Open(ctx)
	return &openSpace{s, o}, err
}

type openSpace struct {
	ports.ScratchSpace
	of *openScratch
}

func (s *openSpace) Create(name string) (io.WriteCloser, error) {
	w, err := s.ScratchSpace.Create(name)
	if err != nil {
		return nil, err
	}
	s.of.open++
	s.of.most = max(s.of.most, s.of.open)
	return &openWriter{WriteCloser: w, of: s.of}, nil
}

func (s *openSpace) Open(name string) (io.ReadCloser, error) {
	r, err := s.ScratchSpace.Open(name)
	if err != nil {
		return nil, err
	}
	s.of.open++
	s.of.most = max(s.of.most, s.of.open)
	return &openReader{ReadCloser: r, of: s.of}, nil
}

func (s *openSpace) Close() error {
	if s.of.open > 0 {
		panic("the space is closed before its files")
	}
	return errors.Join(s.ScratchSpace.Close(), s.of.closeErr)
}

type openWriter struct {
	io.WriteCloser
	of *openScratch
}

func (w *openWriter) Close() error {
	w.of.open--
	return errors.Join(w.WriteCloser.Close(), w.of.call("Close", ""))
}

type openReader struct {
	io.ReadCloser
	of *openScratch
}

func (r *openReader) Read(p []byte) (int, error) {
	if err := r.of.call("Read", ""); err != nil {
		return 0, err
	}
	return r.ReadCloser.Read(p)
}

func (r *openReader) Close() error {
	r.of.open--
	return errors.Join(r.ReadCloser.Close(), r.of.call("Close", ""))
}

// everyMatch is manyMatches with rows of every reason.
func everyMatch(n int) matchCase {
	c := manyMatches(n)
	for i := range n / 5 {
		switch c.lines[i].Reference += "x"; i % 5 {
		case 0:
			c.payments = append(c.payments, paid("x"+strconv.Itoa(i), c.lines[i].Reference, 100, 1, euros))
		case 1:
			c.payments = append(c.payments, paid("x"+strconv.Itoa(i), c.lines[i].Reference, 100, 1, failed))
		case 2:
			c.lines[i].Bad = "the amount is no number"
		case 3:
			c.lines[i].Reference = ""
		case 4:
			c.payments[i].Reference = ""
		}
	}
	return c
}

// The test fails each call to the scratch space in turn. Each failure reaches the caller
// with a code, and no file remains.
func TestMatchWhenScratchFails(t *testing.T) {
	c := everyMatch(50)
	run := func(failAt int, with error) (*openScratch, error) {
		scratch := &openScratch{Scratch: fake.NewScratch(), failAt: failAt, err: with}
		scratch.Fault = scratch.call
		in := c.input()
		in.Limits.Scratch = scratch
		tally, err := match.RunWithin(t.Context(), in, 2500, 600, 1, func(match.Unmatched) error { return nil })
		require.Zero(t, scratch.Spaces())
		require.Zero(t, scratch.Files())
		require.Zero(t, scratch.open)
		if err != nil {
			require.Zero(t, tally)
		}
		return scratch, err
	}
	well, err := run(0, nil)
	require.NoError(t, err)
	require.Greater(t, well.calls, 100)
	require.LessOrEqual(t, well.most, 4, "two files are read, or written from one, beside one of rows")
	for i := range well.calls {
		_, err := run(i+1, errors.New("the disk is full"))
		require.Equal(t, errcodes.StorageUnavailable, errcodes.Of(err), "call %d", i+1)
		if i%7 == 0 {
			_, err = run(i+1, errcodes.New(errcodes.Closed, ""))
			require.Equal(t, errcodes.Closed, errcodes.Of(err), "call %d", i+1)
		}
	}
}

// Rows of any reason can be the first that do not fit.
func TestRowsOfEachReasonNeedScratchSpace(t *testing.T) {
	for reason, one := range map[string]func(n int64, ref string) matchCase{
		"missing_transaction": func(n int64, ref string) matchCase { return matchCase{lines: some(settled(n, ref, 1, 1))} },
		"missing_settlement":  func(_ int64, ref string) matchCase { return matchCase{payments: some(paid(ref, ref, 1, 1))} },
		"unreadable_line":     func(n int64, ref string) matchCase { return matchCase{lines: some(settled(n, ref, 1, 1, unreadable))} },
		"amount_mismatch": func(n int64, ref string) matchCase {
			return matchCase{lines: some(settled(n, ref, 1, 1)), payments: some(paid(ref, ref, 2, 1))}
		},
		"currency_mismatch": func(n int64, ref string) matchCase {
			return matchCase{lines: some(settled(n, ref, 1, 1, inEuros)), payments: some(paid(ref, ref, 1, 1))}
		},
		"status_mismatch": func(n int64, ref string) matchCase {
			return matchCase{lines: some(settled(n, ref, 1, 1)), payments: some(paid(ref, ref, 1, 1, failed))}
		},
		"duplicate_settlement": func(n int64, ref string) matchCase {
			return matchCase{lines: some(settled(n, ref, 1, 1), settled(n+1000, ref, 1, 1)), payments: some(paid(ref, ref, 1, 1))}
		},
	} {
		var c matchCase
		for n := range int64(30) {
			more := one(n+1, "R"+strconv.FormatInt(n, 10))
			c.lines, c.payments = append(c.lines, more.lines...), append(c.payments, more.payments...)
		}
		rows, _ := c.all(t)
		require.Len(t, rows, 30)
		require.Equal(t, reason, string(rows[0].Reason))
		in := c.input()
		scratch := fake.NewScratch()
		scratch.Fault = func(string, string) error { return errors.New("the disk is full") }
		in.Limits.Scratch = scratch
		_, err := match.RunWithin(t.Context(), in, 1<<20, 600, 1, func(match.Unmatched) error { return nil })
		require.Equal(t, errcodes.StorageUnavailable, errcodes.Of(err), reason)
	}
}

func TestMatchWhenTheSpaceCannotBeRemoved(t *testing.T) {
	in := manyMatches(120).input()
	in.Limits.Scratch = &openScratch{Scratch: fake.NewScratch(), closeErr: errors.New("busy")}
	tally, err := match.RunWithin(t.Context(), in, 2500, 600, 1, func(match.Unmatched) error { return nil })
	require.Equal(t, errcodes.StorageUnavailable, errcodes.Of(err))
	require.Zero(t, tally)
}

// damagedScratch returns other bytes than were written.
type damagedScratch struct {
	*fake.Scratch
	damage func([]byte) []byte
}

func (d damagedScratch) Open(ctx context.Context) (ports.ScratchSpace, error) {
	s, err := d.Scratch.Open(ctx)
	return damagedSpace{s, d.damage}, err
}

type damagedSpace struct {
	ports.ScratchSpace
	damage func([]byte) []byte
}

func (s damagedSpace) Open(name string) (io.ReadCloser, error) {
	r, err := s.ScratchSpace.Open(name)
	if err != nil {
		return nil, err
	}
	all, err := io.ReadAll(r)
	return io.NopCloser(strings.NewReader(string(s.damage(all)))), err
}

func TestDamagedFilesAreCorrupt(t *testing.T) {
	for name, damage := range map[string]func([]byte) []byte{
		"cut":                      func(b []byte) []byte { return b[:len(b)-1] },
		"cut after a head":         func(b []byte) []byte { return b[:1] },
		"endless length":           func([]byte) []byte { return []byte("\xff\xff\xff\xff\xff\xff\xff\xff\x7f") },
		"no length":                func([]byte) []byte { return []byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff") },
		"an empty string":          func([]byte) []byte { return []byte{0} },
		"a short string":           func([]byte) []byte { return []byte("\x01a") },
		"letters":                  func(b []byte) []byte { return []byte("\x64" + strings.Repeat("p", 100)) },
		"same length, other bytes": func(b []byte) []byte { return append(b[:20:20], make([]byte, len(b)-20)...) },
	} {
		for side, limits := range map[string][2]int64{"records": {2500, 1 << 20}, "rows": {1 << 20, 600}} {
			t.Run(name+" "+side, func(t *testing.T) {
				in := manyMatches(120).input()
				in.Limits.Scratch = damagedScratch{fake.NewScratch(), damage}
				_, err := match.RunWithin(t.Context(), in, limits[0], limits[1], 1, func(match.Unmatched) error { return nil })
				// The standard library's error is the same for an endless number and a
				// failed read.
				require.Contains(t, []errcodes.Code{errcodes.CorruptRecord, errcodes.StorageUnavailable}, errcodes.Of(err))
				require.Equal(t, name == "no length", errcodes.Of(err) == errcodes.StorageUnavailable)
			})
		}
	}
}

// A record truncated anywhere, even right after the length of a text, is corrupt.
func TestATruncatedRecordIsCorrupt(t *testing.T) {
	line, bad := settled(300, "A-1", 18_250, 1), settled(1, "A", 1, 1, unreadable, func(l *ports.SettlementLine) { l.HasAmount = true })
	for name, raw := range map[string][]byte{
		"line": match.EncodeLine(line), "bad line": match.EncodeLine(bad), "payment": match.EncodePayment(paid("p", "A-1", -1, 1)),
	} {
		for n := range raw {
			_, _, _, err := match.DecodeRecord(raw[:n])
			require.Equal(t, errcodes.CorruptRecord, errcodes.Of(err), "%s, %d bytes", name, n)
		}
		_, _, _, err := match.DecodeRecord(append(raw, 0))
		require.Equal(t, errcodes.CorruptRecord, errcodes.Of(err), "%s and a byte", name)
	}
}

// Each row can be decoded from all its bytes, but not from fewer.
func TestATruncatedRowIsCorrupt(t *testing.T) {
	c := everyMatch(60)
	want, _ := c.all(t)
	reasons := map[string]bool{}
	i := 0
	for _, raw := range match.EncodedRows(t, c.input()) {
		got, err := match.DecodeRow(raw)
		require.NoError(t, err)
		got.Age = want[i].Age // Age depends on the run
		require.Equal(t, want[i], got)
		for n := range raw {
			_, err := match.DecodeRow(raw[:n])
			require.Equal(t, errcodes.CorruptRecord, errcodes.Of(err), "%s, %d bytes", got.Reason, n)
		}
		reasons[string(got.Reason)] = true
		i++
	}
	require.Len(t, want, i)
	require.Len(t, reasons, 6, "all but a duplicate")
}

func TestInvalidRowsAreCorrupt(t *testing.T) {
	raw := match.EncodeLine(settled(1, "A", 1, 1))
	row := func(reason, why byte) []byte {
		return append(append(make([]byte, 25), reason, why, 0, 0, byte(len(raw))), raw...)
	}
	got, err := match.DecodeRow(row(0, 0))
	require.NoError(t, err)
	require.Equal(t, int64(1), got.Line.Line)
	for name, bad := range map[string][]byte{
		"no such reason": row(7, 0), "no such candidate": row(0, 3), "no candidate": row(0, 1), "cut": row(0, 0)[:40], "only a head": row(0, 0)[:25],
	} {
		_, err := match.DecodeRow(bad)
		require.Equal(t, errcodes.CorruptRecord, errcodes.Of(err), name)
	}
}

func TestInvalidRecordsAreCorrupt(t *testing.T) {
	head := "12345678l\x00"
	for name, raw := range map[string]string{
		"nothing": "", "only a hash": "12345678", "another kind": "12345678x\x00\x00\x00\x00\x00\x00\x00", "cut": head,
		"more than a line": head + "\x00\x00\x00\x00\x00\x00\x00", "before the second": head + "\x01\x00\x00\x00\x00\x00",
		"beyond the second": head + "\x80\xa8\xd6\xb9\x07\x00\x00\x00\x00\x00",
		// The flag whether a bad line has an amount is missing or invalid.
		"says nothing": head + "\x00\x00\x00\x00\x00\x01x", "neither yes nor no": head + "\x00\x00\x00\x00\x00\x01x\x02",
	} {
		_, _, _, err := match.DecodeRecord([]byte(raw))
		require.Equal(t, errcodes.CorruptRecord, errcodes.Of(err), name)
	}
	_, _, isLine, err := match.DecodeRecord([]byte(head + "\x00\x00\x00\x00\x00\x00"))
	require.NoError(t, err)
	require.True(t, isLine)
}

// All files are removed before the first emit.
func TestMatchRemovesFilesThatItHasRead(t *testing.T) {
	in := manyMatches(500).input()
	scratch := fake.NewScratch()
	in.Limits.Scratch = scratch
	_, err := match.RunWithin(t.Context(), in, 1500, 1<<20, 1, func(match.Unmatched) error {
		require.Equal(t, 1, scratch.Spaces())
		require.Zero(t, scratch.Files())
		return nil
	})
	require.NoError(t, err)
}

func TestTheRangeIsExactToTheNanosecond(t *testing.T) {
	c := matchCase{lines: some(settled(1, "A", 1, 1), settled(2, "A", 1, 1), settled(3, "A", 1, 1), settled(4, "A", 1, 1))}
	for i := range c.lines {
		c.lines[i].At = c.lines[i].At.Add(time.Duration(i))
	}
	in := c.input()
	in.Range.From, in.Range.Until = matchDay.Add(1), matchDay.Add(3)
	var got []int64
	_, err := match.Run(t.Context(), in, func(u match.Unmatched) error { got = append(got, u.Line.Line); return nil })
	require.NoError(t, err)
	require.Equal(t, []int64{2, 3}, got)
}

func TestMatchWhenASourceFails(t *testing.T) {
	broken := errcodes.New(errcodes.Unavailable, "the source is down")
	for _, spilling := range []int64{1 << 20, 2500} {
		for side, fail := range map[string]func(*match.Input){
			"lines":    func(in *match.Input) { in.Lines = failing(in.Lines, broken) },
			"payments": func(in *match.Input) { in.Payments = failing(in.Payments, broken) },
		} {
			in := manyMatches(120).input()
			scratch := fake.NewScratch()
			in.Limits.Scratch = scratch
			fail(&in)
			tally, err := match.RunWithin(t.Context(), in, spilling, 600, 1, func(match.Unmatched) error { t.Error("a row"); return nil })
			require.Same(t, broken, err, side)
			require.Zero(t, tally)
			require.Zero(t, scratch.Spaces())
		}
	}
}

func failing[T any](list func(func(T, error) bool), err error) func(func(T, error) bool) {
	return func(yield func(T, error) bool) {
		list(yield)
		var zero T
		if yield(zero, err) {
			panic("read on after an error")
		}
	}
}

func TestMatchWhenEmitFails(t *testing.T) {
	stop := errors.New("enough")
	for _, rows := range []int64{1 << 20, 600} {
		in := manyMatches(120).input()
		scratch := fake.NewScratch()
		in.Limits.Scratch = scratch
		calls := 0
		_, err := match.RunWithin(t.Context(), in, 1<<20, rows, 1, func(match.Unmatched) error {
			if calls++; calls == 3 {
				return stop
			}
			return nil
		})
		require.Same(t, stop, err)
		require.Equal(t, 3, calls)
		require.Zero(t, scratch.Spaces())
	}
}

func TestMatchEndsWithItsContext(t *testing.T) {
	for name, rows := range map[string]int64{"reading": 0, "emitting": 1} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			in := manyMatches(40_000).input()
			emitted := 0
			if rows == 0 {
				cancel()
			}
			_, err := match.Run(ctx, in, func(match.Unmatched) error { emitted++; cancel(); return nil })
			require.ErrorIs(t, err, context.Canceled)
			require.Less(t, emitted, 2000)
		})
	}
	t.Run("merging rows", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		in := manyMatches(40_000).input()
		in.Limits.Scratch = fake.NewScratch()
		emitted := 0
		_, err := match.RunWithin(ctx, in, 1<<30, 100_000, 6, func(match.Unmatched) error { emitted++; cancel(); return nil })
		require.ErrorIs(t, err, context.Canceled)
		require.Less(t, emitted, 2000)
	})
	for name, reference := range map[string]string{"lines that may meet a payment": "A", "lines that meet nothing": ""} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			read := 0
			in := matchCase{}.input()
			in.Lines = func(yield func(ports.SettlementLine, error) bool) {
				for read < 10_000 && yield(settled(1, reference, 1, 1), nil) {
					read++
				}
			}
			_, err := match.Run(ctx, in, func(match.Unmatched) error { return nil })
			require.ErrorIs(t, err, context.Canceled)
			require.Less(t, read, 2000)
		})
	}
}

func TestMatchRejectsBadBounds(t *testing.T) {
	for name, spoil := range map[string]func(*match.Input){
		"no lines":                      func(in *match.Input) { in.Lines = nil },
		"no payments":                   func(in *match.Input) { in.Payments = nil },
		"an inverted range":             func(in *match.Input) { in.Range.Until = in.Range.From.Add(-1) },
		"a negative tolerance":          func(in *match.Input) { in.Policy.Tolerance = -1 },
		"a tolerance above the maximum": func(in *match.Input) { in.Policy.Tolerance = match.MaxTolerance + 1 },
		"no memory":                     func(in *match.Input) { in.Limits.MemoryBytes = match.MinMemory - 1 },
		"negative memory":               func(in *match.Input) { in.Limits.MemoryBytes = -1 },
	} {
		in := manyMatches(1).input()
		spoil(&in)
		_, err := match.Run(t.Context(), in, func(match.Unmatched) error { return nil })
		require.Equal(t, errcodes.Configuration, errcodes.Of(err), name)
	}
	in := manyMatches(1).input()
	in.Range.Until, in.Policy.Tolerance, in.Limits.MemoryBytes = in.Range.From, match.MaxTolerance, match.MinMemory
	_, err := match.Run(t.Context(), in, func(match.Unmatched) error { return nil })
	require.NoError(t, err)
}

func TestAgesAreCountedUpToAsOf(t *testing.T) {
	age := func(rng match.Range) time.Duration {
		in := matchCase{lines: some(settled(1, "A", 1, 2))}.input()
		in.Range = rng
		var got time.Duration
		_, err := match.Run(t.Context(), in, func(u match.Unmatched) error { got = u.Age; return nil })
		require.NoError(t, err)
		return got
	}
	rng := matchRange
	require.Equal(t, 48*time.Hour, age(rng))
	rng.AsOf = time.Time{}
	require.Equal(t, 48*time.Hour, age(rng))
	rng.AsOf = matchDay.AddDate(0, 0, 9)
	require.Equal(t, 8*24*time.Hour, age(rng))
	rng.AsOf = matchDay
	require.Zero(t, age(rng))
}

// A merchant may use one reference for everything.
func TestManyPaymentsWithOneReference(t *testing.T) {
	const n = 15_000
	var c matchCase
	for i := range n {
		c.payments = append(c.payments, paid("p"+strconv.Itoa(i), "A", int64(1000+i), 1))
		c.lines = append(c.lines, settled(int64(2*i+1), "A", int64(600+i), 1), settled(int64(2*i+2), "A", -3, 2, func(l *ports.SettlementLine) {
			if i%2 == 0 {
				l.Currency = "EUR"
			}
		}))
	}
	rows, tally := c.all(t)
	require.Len(t, rows, int(tally.UnmatchedLines+tally.Missing))
	require.Equal(t, int64(2*n), tally.Lines)
}

// Exactly maxSimilar payments with similar references are considered.
func TestCandidatesAreBounded(t *testing.T) {
	var c matchCase
	for i := range 300 {
		c.payments = append(c.payments, paid("p"+strconv.Itoa(1000+i), "A"+strings.Repeat("-", i+1), 100, 3))
	}
	c.lines = some(settled(1, "A", 100, 3))
	c.payments[255].CreatedAt = c.payments[255].CreatedAt.Add(time.Nanosecond)
	for i := range c.payments {
		c.payments[i].Status = ports.TransactionFailed
	}
	c.payments[256].Status = ports.TransactionSucceeded
	rows, _ := c.all(t)
	require.Equal(t, "p1000", rows[0].Candidate.ID)
	c.payments[255].Status = ports.TransactionSucceeded
	slices.Reverse(c.payments)
	rows, _ = c.all(t)
	require.Equal(t, "p1255", rows[0].Candidate.ID)
}

func TestTheNearestPaymentIsTheCandidate(t *testing.T) {
	after := func(d time.Duration) func(*match.Payment) {
		return func(p *match.Payment) { p.CreatedAt = p.CreatedAt.Add(d) }
	}
	line := settled(1, "A", 100, 1, func(l *ports.SettlementLine) { l.At = l.At.Add(10 * time.Millisecond) })
	for name, c := range map[string]struct {
		payments []match.Payment
		want     string
	}{
		"an equal hash of another reference": {some(paid("p1", "B", 100, 1)), ""},
		"by less than a second":              {some(paid("p1", "A-", 100, 1, after(1450*time.Millisecond)), paid("p2", "a", 100, 1, after(1400*time.Millisecond))), "p2"},
		"across a full second":               {some(paid("p1", "A-", 100, 1, after(960*time.Millisecond)), paid("p2", "a", 100, 1, after(-890*time.Millisecond))), "p2"},
		"before or after":                    {some(paid("p1", "A-", 100, 1, after(-time.Second)), paid("p2", "a", 100, 1, after(time.Second))), "p2"},
		"the amount before the status":       {some(paid("p1", "A-", 100, 1, failed), paid("p2", "a", 101, 1)), "p1"},
		"the currency before the status":     {some(paid("p1", "A-", 100, 1, failed), paid("p2", "a", 100, 1, euros)), "p1"},
		"the status before the time":         {some(paid("p1", "A-", 100, 1, failed), paid("p2", "a", 100, 3)), "p2"},
	} {
		nearest, found := match.Similar(line, c.payments...)
		require.Equal(t, c.want, nearest.ID, name)
		require.Equal(t, c.want != "", found, name)
	}
}

func TestPlainReferences(t *testing.T) {
	for reference, want := range map[string]string{
		"INV-000123": "inv123", "inv 123": "inv123", "1-02": "12", "100-001": "1001", "a0b": "ab", "0a10": "a10", "1a02": "1a2",
		"": "", "0": "", "---": "", "Ünïcode 7": "Ünïcode7", "AZ az09/:@[`{~": "azaz9", "2006": "2006",
	} {
		require.Equal(t, want, match.Plain(reference), reference)
	}
}

func FuzzPlainReference(f *testing.F) {
	f.Add("INV-000123")
	f.Add("Ü 0010-x")
	f.Fuzz(func(t *testing.T, reference string) {
		plain := match.Plain(reference)
		if want := modelPlain(reference); plain != want {
			t.Fatalf("%q instead of %q", plain, want)
		}
		if match.Plain(reference+" .") != plain || match.PlainHash(reference+" .") != match.PlainHash(reference) {
			t.Fatal("punctuation matters")
		}
	})
}

func FuzzMatchRecord(f *testing.F) {
	f.Add(match.EncodeLine(settled(1, "A", math.MinInt64, 1, unreadable, undated)), int64(7), "ref", "EUR", "bad", int64(-1), int64(5))
	f.Add(match.EncodePayment(paid("p", "A", 1, 1)), int64(math.MaxInt64), "", "", "", int64(1<<40), int64(999_999_999))
	f.Add([]byte("12345678l"), int64(0), "x", "y", "z", int64(0), int64(0))
	f.Fuzz(func(t *testing.T, raw []byte, number int64, a, b, c string, sec, nsec int64) {
		if line, p, isLine, err := match.DecodeRecord(raw); err == nil {
			again := match.EncodePayment(p)
			if isLine {
				again = match.EncodeLine(line)
			}
			line2, p2, isLine2, err := match.DecodeRecord(again)
			if err != nil || line2 != line || p2 != p || isLine2 != isLine {
				t.Fatalf("%v: %v %v instead of %v %v", err, line2, p2, line, p)
			}
		} else if errcodes.Of(err) != errcodes.CorruptRecord {
			t.Fatal(err)
		}
		if _, err := match.DecodeRow(raw); err != nil && errcodes.Of(err) != errcodes.CorruptRecord {
			t.Fatal(err)
		}
		at := time.Unix(sec, nsec).UTC()
		line := ports.SettlementLine{Line: number, Reference: a, Amount: -number, Currency: b, At: at, Bad: c, HasAmount: c != "" && sec%2 == 0}
		if got, _, isLine, err := match.DecodeRecord(match.EncodeLine(line)); err != nil || !isLine || got != line {
			t.Fatalf("%v: %v instead of %v", err, got, line)
		}
		p := match.Payment{ID: a, Reference: b, Currency: c, Amount: number, Status: ports.TransactionStatus(a), CreatedAt: at}
		if _, got, isLine, err := match.DecodeRecord(match.EncodePayment(p)); err != nil || isLine || got != p {
			t.Fatalf("%v: %v instead of %v", err, got, p)
		}
	})
}
