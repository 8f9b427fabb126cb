package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
	"github.com/corridor-go/corridor/adapters/service"
)

// runEnv makes the test binary run as the command, for tests that kill it.
const runEnv = "RUN_CORRIDOR"

// These names and bounds are known to the tests.
const (
	clientsEnv        = "CORRIDOR_CLIENTS"
	dataKeysEnv       = "CORRIDOR_DATA_KEYS"
	linkKeyEnv        = "CORRIDOR_URL_KEY"
	webhookSecretsEnv = "CORRIDOR_WEBHOOK_SECRETS"

	sandboxPrefix = "tx_sandbox_"   // prefix of the ids of the sandbox transactions
	lookTimeout   = 5 * time.Second // of the service, for one read of a feed's source
	webhookRelays = 4               // deliver concurrently
)

// TestMain clears the settings of the surrounding shell. Parallel tests also wait, so more of
// them run than there are CPUs, but few enough that every service still answers in time.
func TestMain(m *testing.M) {
	if os.Getenv(runEnv) != "" {
		Main(service.Shipped())
	}
	flag.Parse()
	if err := flag.Set("test.parallel", "6"); err != nil {
		panic(err)
	}
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, "CORRIDOR_") && !strings.HasSuffix(name, "_POSTGRES") { // variables of pgtest
			if err := os.Unsetenv(name); err != nil {
				panic(err)
			}
		}
	}
	dir, err := os.MkdirTemp("", "corridor-reports")
	if err != nil {
		panic(err)
	}
	for name, value := range map[string]string{
		"CORRIDOR_REPORT_FILES": "dir:" + dir, "CORRIDOR_RATE_LIMIT": "0", "CORRIDOR_ADDRESS_LIMIT": "0", // tests poll
	} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(pgtest.Main(m), goleak.Cleanup(func(code int) {
		if err := os.RemoveAll(dir); err != nil {
			panic(err)
		}
		os.Exit(code)
	}))
}

// screen is an output that can be read while it is written.
type screen struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

// command runs one command line to its end.
func command(t *testing.T, stdin string, env map[string]string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	setenv(t, env)
	var out, errs screen
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	world := &surroundings{ctx, strings.NewReader(stdin), &out, &errs, parts()}
	code = run(world, args)
	return code, out.String(), errs.String()
}

func setenv(t *testing.T, env map[string]string) {
	t.Helper()
	for name, value := range env {
		t.Setenv(name, value)
	}
}

// running is a corridor serve that runs, or several on one database.
type running struct {
	t        *testing.T
	url      string // of the first process
	urls     []string
	turn     *turns
	out, log *screen
	stop     func() int
	token    string
}

// patience is how long a test waits for an event. Only a hang takes longer.
const patience = 2 * time.Minute

// migrated is a store with empty tables, because creating tables takes longer than a
// test.
var migrated = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "corridor")
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "corridor.db")
	store, err := service.OpenStore(context.Background(), parts(), "sqlite:"+path)
	if err != nil {
		return nil, err
	}
	if err := store.Close(); err != nil {
		return nil, err
	}
	file, err := os.ReadFile(path)
	return file, errors.Join(err, os.RemoveAll(dir))
})

// emptyStore returns the path of an empty store of the test.
func emptyStore(t *testing.T) string {
	t.Helper()
	file, err := migrated()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "corridor.db")
	require.NoError(t, os.WriteFile(path, file, 0o600))
	return path
}

var listening = regexp.MustCompile(`(?m)^listening on (http://\S+)$`)

// serve starts the command: once, or twice if the database is shared. Requests are then
// sent to each in turn, and metrics are sums.
func serve(t *testing.T, env map[string]string, args ...string) *running {
	t.Helper()
	n := 1
	if slices.ContainsFunc(args, isPostgres) {
		n = 2
	}
	return serveTimes(t, n, env, args...)
}

func serveTimes(t *testing.T, n int, env map[string]string, args ...string) *running {
	t.Helper()
	setenv(t, env)
	ctx, cancel := context.WithCancel(context.Background())
	s := &running{t: t, out: &screen{}, log: &screen{}, turn: newTurns()}
	done := make(chan int, n)
	for range n {
		world := &surroundings{ctx, strings.NewReader(""), s.out, s.log, parts()}
		go func() { done <- run(world, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)) }()
	}
	s.stop = sync.OnceValue(func() (worst int) {
		cancel()
		http.DefaultClient.CloseIdleConnections()
		late := time.After(patience)
		for range n {
			select {
			case code := <-done:
				worst = max(worst, code)
			case <-late:
				t.Error("serve does not stop")
				return -1
			}
		}
		return worst
	})
	t.Cleanup(func() { s.stop() })
	for deadline := time.Now().Add(patience); s.hear() < n; <-time.After(5 * time.Millisecond) {
		require.True(t, time.Now().Before(deadline) && len(done) == 0, "not listening: %s", s.log)
	}
	return s
}

// hear reads the addresses in the log and returns how many there are.
func (s *running) hear() int {
	s.urls = nil
	for _, m := range listening.FindAllStringSubmatch(s.log.String(), -1) {
		s.urls = append(s.urls, m[1])
	}
	if len(s.urls) > 0 {
		s.url = s.urls[0]
	}
	return len(s.urls)
}

// next returns the address for the next request.
func (s *running) next(request string) string { return s.urls[s.turn.next(request, len(s.urls))] }

// turns assigns requests to processes: consecutive requests go to different processes,
// and so do consecutive requests of the same kind.
type turns struct {
	mu   sync.Mutex
	last int
	took map[string]int // the last process of each kind of request
}

func newTurns() *turns { return &turns{took: map[string]int{}} }

// next returns which of n processes gets a request.
func (t *turns) next(request string, n int) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	last, again := t.took[request]
	if !again {
		last = t.last
	}
	t.last = (last + 1) % n
	t.took[request] = t.last
	return t.last
}

// each yields the processes one by one.
func (s *running) each() (all []*running) {
	for _, url := range s.urls {
		one := s.in(s.t)
		one.url, one.urls = url, []string{url}
		all = append(all, one)
	}
	return all
}

// serveAcme serves with a client that has logged in.
func serveAcme(t *testing.T, args ...string) *running {
	t.Helper()
	s := serve(t, nil, append([]string{"--clients-file", clientsFile(t)}, args...)...)
	require.Equal(t, http.StatusOK, s.login("acme", acmeSecret))
	return s
}

// sandboxSecret returns the secret that the sandbox printed.
func (s *running) sandboxSecret() string {
	s.t.Helper()
	var secret string
	require.Eventually(s.t, func() bool {
		m := regexp.MustCompile(`client_secret (\S+)`).FindStringSubmatch(s.out.String())
		if m != nil {
			secret = m[1]
		}
		return m != nil
	}, patience, 5*time.Millisecond)
	return secret
}

// login requests a token and keeps it on success.
func (s *running) login(id, secret string) int {
	s.t.Helper()
	status, body := s.do(http.MethodPost, "/v1/auth/oauth2/token", fmt.Sprintf(`{"client_id":%q,"client_secret":%q}`, id, secret))
	if token, ok := body["access_token"].(string); ok {
		s.token = token
	}
	return status
}

func (s *running) do(method, path, body string) (int, map[string]any) {
	s.t.Helper()
	status, raw := s.send(method, path, "application/json", body)
	var fields map[string]any
	require.NoError(s.t, json.Unmarshal([]byte(raw), &fields), raw)
	return status, fields
}

// send sends any request and returns the response's bytes.
func (s *running) send(method, path, contentType, body string) (int, string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, s.next(method+" "+path)+path, strings.NewReader(body))
	require.NoError(s.t, err)
	request.Header.Set("Content-Type", contentType)
	if s.token != "" {
		request.Header.Set("Authorization", "Bearer "+s.token)
	}
	answer, err := http.DefaultClient.Do(request)
	require.NoError(s.t, err)
	defer func() { require.NoError(s.t, answer.Body.Close()) }()
	require.NotEmpty(s.t, answer.Header.Get("X-Trace-Id"))
	raw, err := io.ReadAll(answer.Body)
	require.NoError(s.t, err)
	return answer.StatusCode, string(raw)
}

// eventually waits until check returns true. It calls check in the test's goroutine, so
// that check may fail the test.
func (s *running) eventually(check func() bool, otherwise string) {
	s.t.Helper()
	s.poll(20*time.Millisecond, check, otherwise)
}

func (s *running) poll(every time.Duration, check func() bool, otherwise string) {
	s.t.Helper()
	for deadline := time.Now().Add(patience); !check(); <-time.After(every) {
		require.False(s.t, time.Now().After(deadline), otherwise)
	}
}

// metric returns the sum of a value in the /metrics of all processes; missing values are
// 0.
func (s *running) metric(name string) (sum float64) {
	s.t.Helper()
	for _, one := range s.each() {
		sum += one.ownMetric(name)
	}
	return sum
}

func (s *running) ownMetric(name string) float64 {
	s.t.Helper()
	status, text := s.send(http.MethodGet, "/metrics", "", "")
	require.Equal(s.t, http.StatusOK, status)
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			v, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			require.NoError(s.t, err, line)
			return v
		}
	}
	return 0
}

func (s *running) lock(base, quote string) (int, map[string]any) {
	s.t.Helper()
	return s.do(http.MethodPost, "/v1/rate-locks", fmt.Sprintf(`{"base":%q,"quote":%q}`, base, quote))
}

func write(t *testing.T, path, text string) {
	t.Helper()
	const mode = 0o600
	require.NoError(t, os.WriteFile(path+".new", []byte(text), mode))
	require.NoError(t, os.Rename(path+".new", path))
}

func parts() service.Parts { return service.Shipped() }
