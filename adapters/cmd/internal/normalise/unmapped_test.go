package normalise

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/ports"
)

func result(code string) failures.Result {
	return failures.Result{Scheme: "stripe", Direction: "payin", Raw: ports.RawFailure{Code: code}}
}

func TestMemoryForUnmappedCodesIsBounded(t *testing.T) {
	t.Run("in number", func(t *testing.T) {
		u := newUnmapped()
		for i := range MaxUnmapped + 5 {
			u.add(result(strconv.Itoa(i)))
		}
		u.add(result("0")) // a stored code is still counted
		require.Len(t, u.counts, MaxUnmapped)
		require.Equal(t, 5, u.more)
		var out strings.Builder
		u.list(&out)
		require.True(t, strings.HasPrefix(out.String(), "unmapped        2  stripe payin \"0\"\n"))
		require.True(t, strings.HasSuffix(out.String(), "unmapped        5  of further codes that are not listed\n"))
		require.Equal(t, MaxUnmapped+1, strings.Count(out.String(), "\n"))
	})
	t.Run("in bytes", func(t *testing.T) {
		u := newUnmapped()
		const fit = maxUnmappedBytes / ports.MaxRaw
		for i := range fit + 3 {
			u.add(result(fmt.Sprintf("%0*d", ports.MaxRaw, i)))
			u.add(result(fmt.Sprintf("%0*d", ports.MaxRaw, i)))
		}
		require.Len(t, u.counts, fit)
		require.Equal(t, 6, u.more)
		require.Equal(t, maxUnmappedBytes, u.bytes)
	})
}
