package cmd

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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
	require.Equal(t, `corridor: 1 of 12 lines could not be read; their results are errors
corridor: 2 of 12 lines have an unknown scheme, direction or state; their results are the fallback
unmapped        2  stripe payin "often"
unmapped        1  adyen payin "y"
unmapped        1  stripe payin ""
unmapped        1  stripe payin "\n\xff"
unmapped        1  stripe payin "y"
unmapped        1  stripe payin "z"
unmapped        1  stripe payout "y"
`, errs)

	_, _, errs = answersTo(t, strings.NewReader(in))
	require.NotContains(t, errs, "unmapped", "it was not requested")
}
