package failures_test

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/authstate/failures"
)

func TestOnlyTheTablesOfTheSchemeAreUsed(t *testing.T) {
	var asked []failures.Scheme
	failures.WatchTables(t, func(s failures.Scheme) { asked = append(asked, s) })
	n := normaliser(t, overrides(failures.Ozow, row("known", "", declined)))
	for _, c := range []struct {
		in   failures.Input
		want []failures.Scheme
	}{
		{payin("carrier-pigeon", "0", ""), nil},
		{payin(failures.Stripe, string(make([]byte, 1<<20)), ""), nil},
		{failures.Input{Scheme: failures.Stripe, Code: "0"}, nil},
		{payin(failures.Ozow, "known", ""), nil},
		{payin(failures.ISO8583, "05", ""), []failures.Scheme{failures.ISO8583}},
		{payin(failures.Stripe, "unheard of", ""), []failures.Scheme{failures.Stripe}},
		{payin(failures.Paystack, "processing", ""), []failures.Scheme{failures.Paystack}},
		{payin(failures.Paystack, "unheard of", ""), []failures.Scheme{failures.Paystack, failures.ISO8583}},
		{payin(failures.Adyen, "2", ""), []failures.Scheme{failures.Adyen}},
	} {
		asked = nil
		_, _ = n.Normalise(c.in) // other tests check the errors
		assert.Equal(t, c.want, asked, "%v", c.in)
	}
}

// child runs one test of this binary in a new process, and returns its output.
func child(t *testing.T, test string, env ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+test+"$", "-test.v")
	cmd.Env = append(append(os.Environ(), env...), childEnv+"=1", "GORACE=atexit_sleep_ms=0")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}

const childEnv = "CORRIDOR_TEST_CHILD"

func TestTheTablesAreNotReadAtStart(t *testing.T) {
	if os.Getenv(childEnv) != "" {
		return
	}
	out := child(t, t.Name(), "GODEBUG=inittrace=1")
	cost := regexp.MustCompile(`init github.com/corridor-go/corridor/authstate/failures @.* (\d+) bytes, \d+ allocs`).FindStringSubmatch(out)
	require.NotNil(t, cost, out)
	size, err := strconv.Atoi(cost[1])
	require.NoError(t, err)
	assert.Less(t, size, 64<<10)
}

// It runs in a new process, where no table has been read yet.
func TestTheFirstUseOfATableMayBeConcurrent(t *testing.T) {
	if os.Getenv(childEnv) == "" {
		assert.Contains(t, child(t, t.Name()), "--- PASS")
		return
	}
	n := normaliser(t, nil)
	var all sync.WaitGroup
	got := make([]failures.Result, 16)
	for i := range got {
		all.Go(func() {
			for _, s := range failures.Schemes() {
				_, err := n.Normalise(payin(s, "unheard of", ""))
				assert.NoError(t, err)
			}
			r, err := n.Normalise(payin(failures.Paystack, "51", ""))
			assert.NoError(t, err)
			got[i] = r
		})
	}
	all.Wait()
	for _, r := range got {
		assert.Equal(t, got[0], r)
	}
}
