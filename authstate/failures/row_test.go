package failures_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
)

const header = "code,message,meaning,payin,payout,confidence,sources,note\n"

func TestReadRowsReadsEachColumn(t *testing.T) {
	got, err := failures.ReadRows(strings.NewReader(header + `05,"no, funds",why,declined,success,sure, a  b ,note` + "\r\n" + "^6,,,,,,,\n"))
	require.NoError(t, err)
	assert.Equal(t, []failures.Row{
		{
			Code: "05", Message: "no, funds", Meaning: "why", Payin: "declined", Payout: "success",
			Confidence: failures.Sure, Sources: []string{"a", "b"}, Note: "note",
		},
		{Code: "^6", Sources: []string{}},
	}, got)
	assert.Equal(t, declined, got[0].In(errcodes.Payin))
	assert.Equal(t, failures.AnswerSuccess, got[0].In(errcodes.Payout))

	empty, err := failures.ReadRows(strings.NewReader(header))
	require.NoError(t, err)
	assert.Empty(t, empty)
}

func TestReadRowsRejectsOtherFormats(t *testing.T) {
	for name, c := range map[string]struct{ text, where string }{
		"an empty file":              {"", "EOF"},
		"another header":             {strings.Replace(header, "note", "notes", 1), `"notes"], want ["code" "message" "meaning"`},
		"another order":              {strings.Replace(header, "code,message", "message,code", 1), "header"},
		"a short header":             {"code,message\n", "line 1"},
		"a byte order mark":          {"\ufeff" + header, "header"},
		"no header":                  {"05,,,declined,,sure,,\n", "header"},
		"a short row":                {header + "05,,\n", "line 2: wrong number of fields, want 8, separated by commas"},
		"a long row":                 {header + "05,,,declined,,sure,,,\n", "line 2"},
		"a quote that never ends":    {header + "05,,,declined,,sure,,\n\"06,,,,,,,\n", "line 3"},
		"a quote in the wrong place": {header + "0\"5,,,declined,,sure,,\n", "line 2"},
	} {
		rows, err := failures.ReadRows(strings.NewReader(c.text))
		require.ErrorIs(t, err, errcodes.InvalidRequest, name)
		assert.Contains(t, err.Error(), c.where, name)
		assert.Nil(t, rows, name)
	}
	broken := errors.New("broken pipe")
	for _, before := range []string{"", header} {
		_, err := failures.ReadRows(iotest.DataErrReader(&thenFails{strings.NewReader(before), broken}))
		require.ErrorIs(t, err, broken)
	}
}

// thenFails returns an error at the end of a text, instead of io.EOF.
type thenFails struct {
	*strings.Reader
	err error
}

func (r *thenFails) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil {
		err = r.err
	}
	return n, err
}

func TestRowsAndSchemesReturnCopies(t *testing.T) {
	first := failures.Rows(failures.ISO8583)
	want := slices.Clone(first)
	first[0] = failures.Row{}
	assert.Equal(t, want, failures.Rows(failures.ISO8583))
	assert.Nil(t, failures.Rows("carrier-pigeon"))
	assert.Nil(t, failures.Rows("../tables/iso8583"))
	list := failures.Schemes()
	list[0] = ""
	assert.Equal(t, failures.ISO8583, failures.Schemes()[0])
}

// Rows can be written and read back. Rows without mistakes can be used as overrides.
func FuzzReadRows(f *testing.F) {
	f.Add(header + "05,no funds,why,declined,success,sure,a b,note\n^6,,,timeout,,judgement,,\n")
	f.Add(header + "05,,,declined,,sure,,\n5,,,fraudBlocked,,sure,,\n")
	f.Add(header + "\" \",+,,bogus,,,,\n")
	f.Add(header + "^(,,,declined,,sure,,\n")
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := failures.ReadRows(strings.NewReader(text))
		if err != nil {
			require.ErrorIs(t, err, errcodes.InvalidRequest)
			return
		}
		if !strings.Contains(text, "\r") { // csv may drop it at the end of a line
			again, err := failures.ReadRows(strings.NewReader(written(t, rows)))
			require.NoError(t, err)
			require.Equal(t, rows, again)
		}
		n, err := failures.New(overrides(own, rows...))
		if len(failures.Lint(rows)) > 0 {
			require.ErrorIs(t, err, errcodes.Configuration)
			return
		}
		require.NoError(t, err)
		for i := range rows {
			answers(t, n, &rows[i])
		}
	})
}

func written(t testing.TB, rows []failures.Row) string {
	t.Helper()
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	require.NoError(t, w.Write(strings.Split(strings.TrimSpace(header), ",")))
	for _, r := range rows {
		require.NoError(t, w.Write([]string{
			r.Code, r.Message, r.Meaning, string(r.Payin), string(r.Payout), string(r.Confidence), strings.Join(r.Sources, " "), r.Note,
		}))
	}
	w.Flush()
	return out.String()
}

func answers(t testing.TB, n *failures.Normaliser, row *failures.Row) {
	t.Helper()
	if strings.HasPrefix(row.Code, "^") {
		return
	}
	for _, d := range bothDirections {
		r, err := n.Normalise(failures.Input{Scheme: own, Direction: d, Code: row.Code, Message: row.Message})
		require.NoError(t, err)
		if row.In(d) == "" {
			continue
		}
		require.Equal(t, failures.MatchOverride, r.MatchedBy)
		if row.Message == "" {
			require.Contains(t, []string{string(r.Code), string(r.Outcome)}, string(row.In(d)))
		}
	}
}
