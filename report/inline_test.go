package report_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
)

// A list of few but very long rows is left out, not truncated.
func TestLongRowsAreNotInline(t *testing.T) {
	for name, c := range map[string]struct {
		rows int
		few  bool
	}{"below": {15, true}, "above": {70, false}} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.source.rows = transactions(c.rows)
			for i := range r.source.rows {
				r.source.rows[i]["amount"] = strings.Repeat("1", 1<<20)
			}
			id := r.create(asked()).ID
			require.NoError(t, r.tick())
			rows, few, err := r.service.Rows(t.Context(), owner, id)
			require.NoError(t, err)
			assert.Equal(t, c.few, few)
			if few {
				assert.Len(t, rows, c.rows)
			}
		})
	}
}

func TestALinkWithLineBreaksIsInvalid(t *testing.T) {
	r, _, token := linked(t)
	for _, end := range []string{"\n", "\r"} {
		_, err := r.service.OpenLink(t.Context(), token[:9]+end+token[9:])
		require.ErrorIs(t, err, errcodes.NotFound)
	}
}
