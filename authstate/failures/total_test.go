package failures_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// checkTotal checks I24, I25 and I26 for the result of any valid input.
func checkTotal(t require.TestingT, in failures.Input) failures.Result {
	var unmapped []failures.Result
	n, err := failures.New(&failures.Config{Unmapped: func(r failures.Result) { unmapped = append(unmapped, r) }})
	require.NoError(t, err)
	r, err := n.Normalise(in)
	require.NoError(t, err)
	require.True(t, r.Raw.Code == in.Code && r.Raw.Message == in.Message, "I26: byte for byte")
	require.Equal(t, in.Scheme, r.Scheme)
	require.Equal(t, in.Direction, r.Direction)
	require.Regexp(t, tablesOf(in.Scheme, r.MatchedBy), r.Tables)
	require.Equal(t, r.MatchedBy != failures.MatchFallback, r.Known())
	if r.MatchedBy == failures.MatchFallback {
		require.Equal(t, []failures.Result{r}, unmapped)
		require.Empty(t, r.Confidence)
		require.Equal(t, in.State == errcodes.StateError, r.Code == errcodes.ErrorDownstream)
		require.Equal(t, in.State != errcodes.StateError, r.Code == errcodes.FailureDeclined)
	} else {
		require.Empty(t, unmapped)
		require.Contains(t, []failures.Confidence{failures.Sure, failures.Judgement}, r.Confidence)
		require.NotContains(t, []failures.Match{failures.MatchNone, failures.MatchOverride}, r.MatchedBy)
	}
	checkCode(t, r)
	again, err := n.Normalise(in)
	require.NoError(t, err)
	require.Equal(t, r, again, "the same result for the same input")
	return r
}

func checkCode(t require.TestingT, r failures.Result) {
	row := r.Code.Row()
	require.Equal(t, row.Message, r.Message(), "from the code only")
	require.Equal(t, strings.Join([]string{string(r.Scheme), string(r.Direction), string(r.Outcome), string(r.Code)}, " "), r.String())
	if r.Outcome == failures.Success || r.Outcome == failures.Pending {
		require.Empty(t, r.Code)
		require.False(t, r.Failure())
		return
	}
	require.True(t, r.Failure(), "I26: never empty")
	require.True(t, r.Code.Known())
	require.False(t, row.Deprecated, "I25")
	require.True(t, row.Fits(r.Direction), "I24")
	require.Equal(t, string(row.State), string(r.Outcome), "I25")
	require.NotEmpty(t, r.Message())
	state := r.AuthState(noon)
	require.Equal(t, ports.AuthState{
		State: row.State, Message: row.Message, Code: r.Code,
		ConnectorFailureCode: r.Raw.Code, ConnectorFailureMessage: r.Raw.Message, TransitionedAt: noon,
	}, state)
}

var (
	bothDirections = []errcodes.Direction{errcodes.Payin, errcodes.Payout}
	hints          = []errcodes.State{"", errcodes.StateFailed, errcodes.StateError}
)

func TestEachShippedRowIsFound(t *testing.T) {
	for _, scheme := range failures.Schemes() {
		for i, row := range failures.Rows(scheme) {
			if row.Code[0] == '^' {
				continue
			}
			for _, d := range bothDirections {
				in := failures.Input{Scheme: scheme, Direction: d, Code: row.Code, Message: row.Message, State: hints[i%3]}
				if !strings.ContainsAny(row.Code, "0123456789") || strings.Contains(row.Code, " ") {
					in.State = "" // which outweighs a text
				}
				r := checkTotal(t, in)
				if row.In(d) != "" {
					require.Equal(t, row.Message != "", r.MatchedBy == failures.MatchMessage, row.Code)
					require.Equal(t, row.Message == "", r.MatchedBy == failures.MatchCode, row.Code)
				}
				if a := row.In(d); a == failures.AnswerSuccess || a == failures.AnswerPending {
					require.Equal(t, string(a), string(r.Outcome), row.Code)
				} else if a != "" {
					require.Equal(t, string(a), string(r.Code), row.Code)
				}
			}
		}
	}
}

// Any bytes up to MaxRaw, including NUL and bytes that are not UTF-8.
func TestEveryInputHasAResult(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := func(name string) string {
			text := rapid.SliceOfN(rapid.Byte(), 0, 64).Draw(t, name)
			if len(text) > 0 && rapid.IntRange(0, 9).Draw(t, "long") == 0 {
				text = bytes.Repeat(text, ports.MaxRaw/len(text))
			}
			return string(text)
		}
		scheme := rapid.SampledFrom(failures.Schemes()).Draw(t, "scheme")
		code := rapid.OneOf(rapid.Custom(func(*rapid.T) string { return raw("code") }), rapid.SampledFrom(codesOf(scheme))).Draw(t, "known or not")
		checkTotal(t, failures.Input{
			Scheme: scheme, Direction: rapid.SampledFrom(bothDirections).Draw(t, "direction"),
			Code: code, Message: raw("message"), State: rapid.SampledFrom(hints).Draw(t, "hint"),
		})
	})
}

var codes = map[string][]string{}

func codesOf(s failures.Scheme) []string {
	if codes[string(s)] == nil {
		for _, row := range failures.Rows(s) {
			codes[string(s)] = append(codes[string(s)], row.Code)
		}
	}
	return codes[string(s)]
}

func TestACodeOfMaxRawBytesIsAccepted(t *testing.T) {
	whole := strings.Repeat("\x00", ports.MaxRaw)
	r := checkTotal(t, failures.Input{Scheme: failures.OPPWA, Direction: errcodes.Payin, Code: whole, Message: whole})
	require.Equal(t, failures.MatchFallback, r.MatchedBy)
}

func FuzzNormalise(f *testing.F) {
	for i, scheme := range failures.Schemes() {
		rows := failures.Rows(scheme)
		row := rows[i%len(rows)]
		f.Add(uint8(i), i%2 == 0, uint8(i), row.Code, row.Message)
	}
	f.Add(uint8(0), true, uint8(2), "", "51 : no\xff funds\x00")
	f.Fuzz(func(t *testing.T, scheme uint8, payout bool, hint uint8, code, message string) {
		in := failures.Input{Code: code, Message: message, Direction: errcodes.Payin, State: hints[int(hint)%len(hints)]}
		in.Scheme = failures.Schemes()[int(scheme)%len(failures.Schemes())]
		if payout {
			in.Direction = errcodes.Payout
		}
		if len(code) <= ports.MaxRaw && len(message) <= ports.MaxRaw {
			checkTotal(t, in)
		}
	})
}

// Families are left out: their pattern is matched against the code with its blanks.
func TestBlanksAroundACodeAreIgnored(t *testing.T) {
	family := regexp.MustCompile(`^\^`)
	rapid.Check(t, func(t *rapid.T) {
		scheme := rapid.SampledFrom(failures.Schemes()).Draw(t, "scheme")
		code := rapid.SampledFrom(codesOf(scheme)).Filter(func(c string) bool { return !family.MatchString(c) }).Draw(t, "code")
		d := rapid.SampledFrom(bothDirections).Draw(t, "direction")
		plain := checkTotal(t, failures.Input{Scheme: scheme, Direction: d, Code: code})
		dirty := checkTotal(t, failures.Input{Scheme: scheme, Direction: d, Code: "+\t" + code + " \r\n"})
		if plain.MatchedBy == failures.MatchCode {
			require.Equal(t, string(plain.Outcome+" ")+string(plain.Code), string(dirty.Outcome+" ")+string(dirty.Code))
		}
	})
}
