package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/cmd/internal/normalise"
)

const timedOut = `{"scheme":"mpesa-daraja","direction":"payin","code":"1037"}`

// answersTo returns the output of corridor normalise - for the input.
func answersTo(t *testing.T, in io.Reader, args ...string) (code int, answers []string, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(&surroundings{t.Context(), in, &out, &errs, parts()}, append([]string{"normalise", "-"}, args...))
	if out.Len() > 0 {
		require.True(t, strings.HasSuffix(out.String(), "\n"), "the last answer has its end")
		answers = strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	}
	return code, answers, errs.String()
}

// gist is the code, outcome or error of a result.
func gist(t require.TestingT, answer string) string {
	var a struct {
		Code, Outcome, Error string
		Line                 int
	}
	require.NoError(t, json.Unmarshal([]byte(answer), &a), answer)
	if a.Error != "" {
		return fmt.Sprint(a.Error, " ", a.Line)
	}
	return a.Code + a.Outcome
}

func gists(t require.TestingT, answers []string) []string {
	var said []string
	for _, a := range answers {
		said = append(said, gist(t, a))
	}
	return said
}

func TestNormaliseAnswersEachLine(t *testing.T) {
	line := func(n int) string { return padded(timedOut, n) }
	unread := func(n, of int) string {
		return fmt.Sprintf("corridor: %d of %d lines could not be read; their results are errors\n", n, of)
	}
	strange := func(n, of int) string {
		return fmt.Sprintf("corridor: %d of %d lines have an unknown scheme, direction or state; their results are the fallback\n", n, of)
	}
	for name, c := range map[string]struct {
		in     string
		want   []string
		stderr string
	}{
		"none":                            {"", nil, ""},
		"one":                             {timedOut + "\n", []string{"timeout"}, ""},
		"a line without its end":          {timedOut, []string{"timeout"}, ""},
		"each kind":                       {timedOut + "\n" + `{"scheme":"iso8583","direction":"payout","code":51}` + "\n" + `{"scheme":"iso8583","direction":"payin","code":"00"}`, []string{"timeout", "payoutInsufficientFunds", "success"}, ""},
		"line ends of Windows":            {timedOut + "\r\n" + timedOut + "\r\n", []string{"timeout", "timeout"}, ""},
		"a byte order mark":               {"\ufeff" + timedOut + "\n" + timedOut, []string{"timeout", "timeout"}, ""},
		"a byte order mark in the middle": {timedOut + "\n\ufeff" + timedOut, []string{"timeout", "invalid_request 2"}, unread(1, 2)},
		"an empty line":                   {timedOut + "\n\n" + timedOut, []string{"timeout", "invalid_request 2", "timeout"}, unread(1, 3)},
		"only empty lines":                {"\n\r\n", []string{"invalid_request 1", "invalid_request 2"}, unread(2, 2)},
		"no objects":                      {"[]\n1\nnull\n\"x\"\n{", []string{"invalid_request 1", "invalid_request 2", "invalid_request 3", "invalid_request 4", "invalid_request 5"}, unread(5, 5)},
		"two objects on a line":           {timedOut + timedOut, []string{"invalid_request 1"}, unread(1, 1)},
		"a NUL":                           {timedOut + "\x00\n" + timedOut, []string{"invalid_request 1", "timeout"}, unread(1, 2)},
		"I26: unknown names":              {`{"scheme":"pigeon","direction":"payin","code":"1"}` + "\n" + `{"scheme":"iso8583","code":"51"}` + "\n" + `{"scheme":"iso8583","direction":"payin","code":"?","state":"sad"}` + "\n" + `{"state":"error"}`, []string{"declined", "declined", "declined", "downstreamError"}, strange(4, 4)},
		"an unreadable line and an unknown scheme": {"x\n{}", []string{"invalid_request 1", "declined"}, unread(1, 2) + strange(1, 2)},
		"raw fields at 64 KiB":                     {rawOf(64<<10, "a", 64<<10, "b"), []string{"declined"}, ""},
		"raw fields in escapes":                    {rawOf(64<<10, `\u0001`, 64<<10, `\u0002`), []string{"declined"}, ""},
		"a raw code above 64 KiB":                  {rawOf(64<<10+1, "a", 0, ""), []string{"payload_too_large 1"}, unread(1, 1)},
		"a raw message above 64 KiB":               {rawOf(1, "a", 64<<10+1, "b"), []string{"payload_too_large 1"}, unread(1, 1)},
		"1 MiB":                                    {line(1<<20) + "\n" + line(1<<20), []string{"timeout", "timeout"}, ""},
		"1 MiB and a byte":                         {line(1<<20+1) + "\n" + timedOut + "\n" + line(1<<20+1), []string{"payload_too_large 1", "timeout", "payload_too_large 3"}, unread(2, 3)},
		"50 MB":                                    {timedOut + "\n" + line(50e6) + "\n" + timedOut + "\n" + line(50e6), []string{"timeout", "payload_too_large 2", "timeout", "payload_too_large 4"}, unread(2, 4)},
		"multiples of a block":                     {line(normalise.BlockSize-1) + "\n" + line(normalise.BlockSize) + "\n" + line(normalise.BlockSize+1) + "\n" + line(2*normalise.BlockSize), []string{"timeout", "timeout", "timeout", "timeout"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			code, answers, errs := answersTo(t, strings.NewReader(c.in))
			require.Equal(t, exitOK, code)
			require.Equal(t, c.want, gists(t, answers))
			require.Equal(t, c.stderr, errs)
		})
	}
}

// padded adds a member to the object, so that it has n bytes.
func padded(object string, n int) string {
	head := strings.TrimSuffix(object, "}") + `,"x":"`
	return head + strings.Repeat("y", n-len(head)-2) + `"}`
}

func rawOf(codes int, code string, messages int, message string) string {
	return `{"scheme":"iso8583","direction":"payin","code":"` + strings.Repeat(code, codes) + `","message":"` + strings.Repeat(message, messages) + `"}`
}

// samples are lines with their results.
var samples = []struct{ line, gist string }{
	{timedOut, "timeout"},
	{padded(timedOut, 9_000), "timeout"},
	{`{"scheme":"iso8583","direction":"payin","code":"00"}`, "success"},
	{"{\"scheme\":\"iso8583\",\"direction\":\"payin\",\"code\":\"\xff\\n\"}\r", "declined"},
	{`{"scheme":"pigeon"}`, "declined"},
	{"", "invalid_request"},
	{`{"code":[]}`, "invalid_request"},
	{rawOf(64<<10+1, "a", 0, ""), "payload_too_large"},
}

// The order does not depend on how the input is split.
func TestEachLineHasItsAnswerInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		picks := rapid.SliceOfN(rapid.IntRange(0, len(samples)-1), 0, 12).Draw(t, "lines")
		var lines, want []string
		for i, p := range picks {
			lines = append(lines, samples[p].line+"\n")
			want = append(want, samples[p].gist)
			if strings.Contains(samples[p].gist, "_") {
				want[i] = fmt.Sprint(samples[p].gist, " ", i+1)
			}
		}
		text := strings.Join(lines, "")
		if len(lines) > 0 && lines[len(lines)-1] != "\n" && rapid.Bool().Draw(t, "without the last end") {
			text = strings.TrimSuffix(text, "\n")
		}
		var in io.Reader = strings.NewReader(text)
		switch rapid.IntRange(0, 3).Draw(t, "reader") {
		case 1:
			in = iotest.DataErrReader(in)
		case 2:
			in = iotest.HalfReader(in)
		case 3:
			in = &pieces{in, rapid.SampledFrom([]int{7, 100, 1000, 30_000}).Draw(t, "piece")}
		}
		var out, errs bytes.Buffer
		require.Equal(t, exitOK, run(&surroundings{context.Background(), in, &out, &errs, parts()}, []string{"normalise", "-"}))
		var got []string
		for answer := range strings.Lines(out.String()) {
			got = append(got, gist(t, answer))
		}
		require.Equal(t, want, got)
	})
}

// pieces returns at most size bytes per read.
type pieces struct {
	in   io.Reader
	size int
}

func (p *pieces) Read(b []byte) (int, error) { return p.in.Read(b[:min(len(b), p.size)]) }

// A read may return the last bytes with io.EOF, and more than fit into the buffer.
func TestTheLastBytesMayComeWithEOF(t *testing.T) {
	in := iotest.DataErrReader(strings.NewReader(padded(timedOut, 1<<20) + "\n" + timedOut))
	code, answers, errs := answersTo(t, in)
	require.Equal(t, exitOK, code, errs)
	require.Equal(t, []string{"timeout", "timeout"}, gists(t, answers))
}

// reopened continues after its end, like a terminal.
type reopened struct{ parts []string }

func (r *reopened) Read(p []byte) (int, error) {
	if len(r.parts) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.parts[0])
	if r.parts[0] = r.parts[0][n:]; n == 0 {
		r.parts = r.parts[1:]
		return 0, io.EOF
	}
	return n, nil
}

func TestNothingIsReadAfterTheEnd(t *testing.T) {
	code, answers, _ := answersTo(t, &reopened{[]string{timedOut + "\n" + timedOut, timedOut}})
	require.Equal(t, exitOK, code)
	require.Equal(t, []string{"timeout", "timeout"}, gists(t, answers))
}

// endless generates any number of lines.
type endless struct {
	line  func(i int) string
	lines atomic.Int64
	rest  string
}

func (e *endless) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if e.rest == "" {
			if e.rest = e.line(int(e.lines.Add(1))); e.rest == "" {
				return n, io.EOF
			}
		}
		taken := copy(p[n:], e.rest)
		n, e.rest = n+taken, e.rest[taken:]
	}
	return n, nil
}

var errGone = errors.New("the reader is gone")

// closing accepts a number of bytes and then fails.
type closing struct{ left int }

func (c *closing) Write(p []byte) (int, error) {
	if c.left -= len(p); c.left < 0 {
		return 0, errGone
	}
	return len(p), nil
}

func TestAClosedOutputEndsTheStream(t *testing.T) {
	in := &endless{line: func(int) string { return timedOut + "\n" }}
	var errs screen
	require.Equal(t, exitFailed, run(&surroundings{t.Context(), in, &closing{1 << 20}, &errs, parts()}, []string{"normalise", "-"}))
	require.Less(t, in.lines.Load(), int64(50_000))
	require.Equal(t, 1, strings.Count(errs.String(), "\n"), errs.String())

	in = &endless{line: func(i int) string { return strings.Repeat(timedOut+"\n", max(0, 2-i)) }}
	require.Equal(t, exitFailed, run(&surroundings{t.Context(), in, &closing{}, &errs, parts()}, []string{"normalise", "-"}), "the last flush counts")
}

// breakingOff returns an error together with its last bytes.
type breakingOff struct{ rest string }

func (b *breakingOff) Read(p []byte) (int, error) {
	n := copy(p, b.rest)
	if b.rest = b.rest[n:]; b.rest != "" {
		return n, nil
	}
	return n, errors.New("the disk is gone")
}

func TestAFailedReadIsAFailure(t *testing.T) {
	for name, rest := range map[string]string{"between lines": "", "in a line": timedOut[:9], "in a long line": padded(timedOut, 3<<20)} {
		t.Run(name, func(t *testing.T) {
			for reader, in := range map[string]io.Reader{
				"with the last bytes": &breakingOff{timedOut + "\n" + rest},
				"afterwards":          io.MultiReader(strings.NewReader(timedOut+"\n"+rest), &breakingOff{}),
			} {
				code, answers, errs := answersTo(t, in)
				require.Equal(t, exitFailed, code, reader)
				require.Equal(t, []string{"timeout"}, gists(t, answers), reader)
				require.Equal(t, "corridor: the disk is gone\n", errs, reader)
			}
		})
	}
}
