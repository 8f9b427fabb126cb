package failures_test

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
)

// message is a provider's message, with the fields that the page names for its scheme.
type message struct {
	Scheme    failures.Scheme
	Name      string
	Direction errcodes.Direction
	Code      string // path of the field that is Code
	Message   string // path of the field that is Message, or ""
	State     errcodes.State
	Want      string // the answer, as the tables write it
	Source    string // a key of tables/sources, or the page from which the shape was transcribed
	Read      string // day on which the page was read
	Body      any
}

func messages(t *testing.T) []message {
	t.Helper()
	data, err := os.ReadFile("testdata/messages.jsonl")
	require.NoError(t, err)
	var all []message
	for line := range bytes.Lines(data) {
		var m message
		in := json.NewDecoder(bytes.NewReader(line))
		in.UseNumber()
		in.DisallowUnknownFields()
		require.NoError(t, in.Decode(&m), "%s", line)
		all = append(all, m)
	}
	return all
}

// at returns the text of the field at a path of names, separated by dots. In a list, a
// number is an index, and a name stands for the Value beside that Key.
func at(t *testing.T, body any, path string) string {
	t.Helper()
	for step := range strings.SplitSeq(path, ".") {
		switch v := body.(type) {
		case map[string]any:
			require.Contains(t, v, step, path)
			body = v[step]
		case []any:
			body = element(v, step)
		}
	}
	switch v := body.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	default:
		require.Failf(t, "no text", "%s is %v", path, body)
		return ""
	}
}

func element(list []any, step string) any {
	if i, err := strconv.Atoi(step); err == nil && i < len(list) {
		return list[i]
	}
	for _, e := range list {
		if pair, ok := e.(map[string]any); ok && pair["Key"] == step {
			return pair["Value"]
		}
	}
	return nil
}

var inBackquotes = regexp.MustCompile("`[^`]+`")

// Every field that the page names is read from a documented message of its scheme, and has
// a row.
func TestTheFieldsThatThePageNamesFindARow(t *testing.T) {
	n, of := normaliser(t, nil), coverages(t)
	unread := map[string]bool{} // scheme and path in backquotes
	for scheme, c := range of {
		for _, path := range inBackquotes.FindAllString(c.code+c.message, -1) {
			unread[string(scheme)+" "+path] = true
		}
	}
	for _, m := range messages(t) {
		t.Run(string(m.Scheme)+": "+m.Name, func(t *testing.T) {
			assert.Contains(t, of[m.Scheme].code, "`"+m.Code+"`")
			in := failures.Input{Scheme: m.Scheme, Direction: m.Direction, Code: at(t, m.Body, m.Code), State: m.State}
			delete(unread, string(m.Scheme)+" `"+m.Code+"`")
			if m.Message != "" {
				assert.Contains(t, of[m.Scheme].message, "`"+m.Message+"`")
				in.Message = at(t, m.Body, m.Message)
				delete(unread, string(m.Scheme)+" `"+m.Message+"`")
			}
			assert.NotEqual(t, noRow, m.Want)
			assert.True(t, m.State == "" || strings.Contains(of[m.Scheme].code, "with State failed"))
			assert.Equal(t, m.Want, answerOf(t, n, in))
			if m.Read != "" {
				_, err := time.Parse(time.DateOnly, m.Read)
				assert.NoError(t, err)
				assert.Contains(t, m.Source, "https://")
			} else {
				assert.Contains(t, sourcesOf(t, m.Scheme), m.Source)
			}
		})
	}
	assert.Empty(t, unread, "fields of which no message is tested")
}
