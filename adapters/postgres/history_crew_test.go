package postgres_test

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// crew contains the operating-system processes that work on one database.
type crew []*crewMember

type crewMember struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	orders  *json.Encoder
	replies *json.Decoder
	output  lastOutput
}

// hire starts n processes of this test binary, which end with the test.
func hire(tb testing.TB, n int, dsn, isolation string) crew {
	tb.Helper()
	var c crew
	for i := range n {
		c = append(c, startMember(tb, historyJob{Process: i, DSN: dsn, Isolation: isolation}))
	}
	return c
}

func startMember(tb testing.TB, j historyJob) *crewMember {
	tb.Helper()
	text, err := json.Marshal(j)
	require.NoError(tb, err)
	m := &crewMember{cmd: exec.Command(os.Args[0], "-test.run", "^TestHistoryWorker$")}
	m.cmd.Env = append(os.Environ(), workerVariable+"="+string(text))
	m.cmd.Stderr = &m.output
	m.in, err = m.cmd.StdinPipe()
	require.NoError(tb, err)
	out, err := m.cmd.StdoutPipe()
	require.NoError(tb, err)
	m.orders, m.replies = json.NewEncoder(m.in), json.NewDecoder(io.TeeReader(out, &m.output))
	require.NoError(tb, m.cmd.Start())
	tb.Cleanup(func() { m.dismiss(tb, out) })
	return m
}

// dismiss ends the process. A race or a leaked goroutine in it fails this test too.
func (m *crewMember) dismiss(tb testing.TB, out io.Reader) {
	tb.Helper()
	require.NoError(tb, m.in.Close())
	_, err := io.Copy(&m.output, out)
	require.NoError(tb, err)
	require.NoError(tb, m.cmd.Wait(), m.output.String())
}

// lastOutput keeps the end of a process's output, for when it fails.
type lastOutput struct {
	mu   sync.Mutex
	text []byte
}

func (l *lastOutput) Write(p []byte) (int, error) {
	const most = 16 << 10
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, p...)
	l.text = l.text[max(0, len(l.text)-most):]
	return len(p), nil
}

func (l *lastOutput) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.text)
}

// all sends an order to each process at once and returns their replies.
func (c crew) all(tb testing.TB, orders func(process int) historyOrder) (ops []lockOp, conflicts int64) {
	tb.Helper()
	replies, errs := make([]historyReply, len(c)), make([]error, len(c))
	var wg sync.WaitGroup
	for i, m := range c {
		o := orders(i)
		wg.Go(func() {
			if errs[i] = m.orders.Encode(o); errs[i] == nil {
				errs[i] = m.replies.Decode(&replies[i])
			}
		})
	}
	wg.Wait()
	for i := range replies {
		require.NoError(tb, errs[i], c[i].output.String())
		conflicts += replies[i].Conflicts
		for _, o := range replies[i].Ops {
			o.Lock.AsOf = o.AsOf
			ops = append(ops, o)
		}
	}
	return ops, conflicts
}
