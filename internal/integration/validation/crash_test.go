package validation_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/validation"
)

var crashRounds = flag.Int("crash.rounds", 1, "how often a process is killed in the middle of its lookups")

const crashEnv = "CORRIDOR_TEST_CRASH_DB"

// quick is a configuration with times of milliseconds. A lookup does not time out, however
// long a busy machine takes to resume it.
func quick() *validation.Config {
	return &validation.Config{Window: 5 * time.Millisecond, Every: 10 * time.Millisecond, Timeout: time.Hour}
}

func crashService(t *testing.T, path string, takes time.Duration) (*validation.Service, *sqlite.Store, *fake.Connector) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), path, nil)
	require.NoError(t, err)
	c := fake.NewConnector("first", reaching)
	c.Answer(found)
	c.Take(ports.SystemClock(), takes)
	p := validation.Ports{Validations: store.Validations(), Answers: store.Answers(), Work: store.Work(), Sealer: sealer(t)}
	p.Connectors = []ports.AccountConnector{c}
	s, err := validation.New(p, day, quick())
	require.NoError(t, err)
	return s, store, c
}

// TestCrashChild is the process that is killed. It validates one account after another,
// half of them slowly, and prints the results.
func TestCrashChild(t *testing.T) {
	path := os.Getenv(crashEnv)
	if path == "" {
		t.Skip("runs only as the child of TestKill9LosesNoValidation")
	}
	s, _, _ := crashService(t, path, 20*time.Millisecond)
	go func() { _ = s.Run(context.Background()) }() // until it is killed
	for i := rand.IntN(1e8); ; i++ {
		r := request()
		r.BankCode, r.AccountIdentifier = "100004", fmt.Sprintf("80%08d", i%1e8)
		if i%2 == 0 {
			r.AccountIdentifier = "8030000000" // cached after the first call
		}
		v, err := s.Validate(context.Background(), owner, r)
		require.NoError(t, err)
		fmt.Println("acknowledged", v.ID, v.Status)
	}
}

// I17 and I18 over kill -9: every result that a caller got is stored, and pending ones
// end.
func TestKill9LosesNoValidation(t *testing.T) {
	path := t.TempDir() + "/validations.db"
	told := map[string]string{}
	for range *crashRounds {
		killOnce(t, path, told)
	}
	s, store, _ := crashService(t, path, time.Millisecond)
	defer func() { require.NoError(t, store.Close()) }()
	running := make(chan error, 1)
	go func() { running <- s.Run(context.Background()) }()
	deadline, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for id, status := range told {
		v, err := s.Wait(deadline, owner, id)
		require.NoError(t, err, "%s was acknowledged as %s", id, status)
		assert.Equal(t, ports.StatusVerified, v.Status)
		require.NoError(t, validation.CheckRecord(&v.ValidationRecord))
	}
	require.NoError(t, s.Stop(t.Context()))
	require.NoError(t, <-running)
	left, err := store.Validations().Overdue(t.Context(), time.Now().AddDate(1, 0, 0), ports.Pos{}, 1000)
	require.NoError(t, err)
	for _, rec := range left {
		// A validation that was stored but not acknowledged may still be pending.
		_, known := told[rec.ID]
		require.False(t, known)
	}
	_, err = s.Get(t.Context(), owner, "unknown")
	require.Equal(t, errcodes.NotFound, errcodes.Of(err))
}

func killOnce(t *testing.T, path string, told map[string]string) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestCrashChild$", "-test.v")
	child.Env = append(os.Environ(), crashEnv+"="+path)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	target := 1 + rand.IntN(40)
	pending, killed := false, false // at least one is told as pending
	lines := bufio.NewScanner(out)
	for seen := 0; lines.Scan(); {
		f := strings.Fields(lines.Text())
		if len(f) != 3 || f[0] != "acknowledged" {
			require.NotContains(t, lines.Text(), "FAIL", lines.Text())
			continue
		}
		told[f[1]] = f[2]
		pending = pending || f[2] == string(ports.StatusPending)
		if seen++; seen >= target && pending && !killed {
			killed = true
			require.NoError(t, child.Process.Kill())
		}
	}
	require.Error(t, child.Wait(), "it was killed")
}
