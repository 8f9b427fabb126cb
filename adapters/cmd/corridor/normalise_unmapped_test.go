package main

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/ports"
)

func TestUnmappedCodesAreListed(t *testing.T) {
	line := func(scheme, direction, code string) string {
		return fmt.Sprintf(`{"scheme":%q,"direction":%q,"code":%q}`+"\n", scheme, direction, code)
	}
	in := line("stripe", "payin", "z") + line("stripe", "payout", "y") + line("stripe", "payin", "y") + line("adyen", "payin", "y") +
		line("stripe", "payin", `often`) + line("stripe", "payin", `often`) +
		line("pigeon", "payin", "of no scheme") + line("stripe", "sideways", "of no direction") + "{\n" + timedOut + "\n" +
		"{\"scheme\":\"stripe\",\"direction\":\"payin\",\"code\":\"\\n\xff\"}\n" +
		`{"scheme":"stripe","direction":"payin","message":"a message of Ama Mensah"}`
	code, answers, errs := answersTo(t, strings.NewReader(in), "--unmapped")
	require.Equal(t, exitOK, code)
	require.Len(t, answers, 12)
	require.Equal(t, `corridor: 1 of 12 lines could not be read; each has an error for an answer
corridor: 2 of 12 lines name an unknown scheme, direction or state; each has the fallback for an answer
unmapped        2  stripe payin "often"
unmapped        1  adyen payin "y"
unmapped        1  stripe payin ""
unmapped        1  stripe payin "\n\xff"
unmapped        1  stripe payin "y"
unmapped        1  stripe payin "z"
unmapped        1  stripe payout "y"
`, errs)

	_, _, errs = answersTo(t, strings.NewReader(in))
	require.NotContains(t, errs, "unmapped", "nobody asked")
}

func result(code string) failures.Result {
	return failures.Result{Scheme: "stripe", Direction: "payin", Raw: ports.RawFailure{Code: code}}
}

func TestWhatIsRememberedOfUnmappedCodesIsBounded(t *testing.T) {
	t.Run("in number", func(t *testing.T) {
		u := newUnmapped()
		for i := range maxUnmapped + 5 {
			u.add(result(strconv.Itoa(i)))
		}
		u.add(result("0")) // one that is remembered goes on being counted
		require.Len(t, u.counts, maxUnmapped)
		require.Equal(t, 5, u.more)
		var out strings.Builder
		u.tell(&out)
		require.True(t, strings.HasPrefix(out.String(), "unmapped        2  stripe payin \"0\"\n"))
		require.True(t, strings.HasSuffix(out.String(), "unmapped        5  of codes that are not listed: too many different ones\n"))
		require.Equal(t, maxUnmapped+1, strings.Count(out.String(), "\n"))
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
