package normalise

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
)

// These bound the memory for unmapped codes: a stream may contain any number of different
// ones.
const (
	MaxUnmapped      = 10_000
	maxUnmappedBytes = 4 << 20
)

type unmappedCode struct {
	scheme    failures.Scheme
	direction errcodes.Direction
	code      string
}

// unmapped counts raw codes without a mapping.
type unmapped struct {
	counts map[unmappedCode]int
	bytes  int
	more   int // number of codes that were not stored
}

func newUnmapped() *unmapped { return &unmapped{counts: map[unmappedCode]int{}} }

func (u *unmapped) add(r failures.Result) {
	key := unmappedCode{r.Scheme, r.Direction, r.Raw.Code}
	if u.counts[key] == 0 && (len(u.counts) == MaxUnmapped || u.bytes+len(key.code) > maxUnmappedBytes) {
		u.more++
		return
	}
	if u.counts[key] == 0 {
		key.code = strings.Clone(key.code)
		u.bytes += len(key.code)
	}
	u.counts[key]++
}

// list prints the codes, the most frequent first.
func (u *unmapped) list(w io.Writer) {
	keys := slices.SortedFunc(maps.Keys(u.counts), func(a, b unmappedCode) int {
		return cmp.Or(
			cmp.Compare(u.counts[b], u.counts[a]), cmp.Compare(a.scheme, b.scheme),
			cmp.Compare(a.direction, b.direction), cmp.Compare(a.code, b.code),
		)
	})
	for _, k := range keys {
		_, _ = fmt.Fprintf(w, "unmapped %8d  %s %s %q\n", u.counts[k], k.scheme, k.direction, k.code)
	}
	if u.more > 0 {
		_, _ = fmt.Fprintf(w, "unmapped %8d  of further codes that are not listed\n", u.more)
	}
}
