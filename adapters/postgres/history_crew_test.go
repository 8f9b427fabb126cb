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

// crew is a number of operating-system processes on one database.
type crew []*crewMember

type crewMember struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	orders *json.Encoder
	told   *json.Decoder
	said   lastOutput
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
	m.cmd.Stderr = &m.said
	m.in, err = m.cmd.StdinPipe()
	require.NoError(tb, err)
	out, err := m.cmd.StdoutPipe()
	require.NoError(tb, err)
	m.orders, m.told = json.NewEncoder(m.in), json.NewDecoder(io.TeeReader(out, &m.said))
	require.NoError(tb, m.cmd.Start())
	tb.Cleanup(func() { m.dismiss(tb, out) })
	return m
}

// dismiss ends the process; a race that it found, or a goroutine that it left,
// fails this test too.
func (m *crewMember) dismiss(tb testing.TB, out io.Reader) {
	tb.Helper()
	require.NoError(tb, m.in.Close())
	_, err := io.Copy(&m.said, out)
	require.NoError(tb, err)
	require.NoError(tb, m.cmd.Wait(), m.said.String())
}

// lastOutput keeps the last of what a process wrote, for when it failed.
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

// all gives the processes an order each, at once, and gathers what came of it.
func (c crew) all(tb testing.TB, orders func(process int) historyOrder) (ops []lockOp, conflicts int64) {
	tb.Helper()
	replies, errs := make([]historyReply, len(c)), make([]error, len(c))
	var wg sync.WaitGroup
	for i, m := range c {
		o := orders(i)
		wg.Go(func() {
			if errs[i] = m.orders.Encode(o); errs[i] == nil {
				errs[i] = m.told.Decode(&replies[i])
			}
		})
	}
	wg.Wait()
	for i := range replies {
		require.NoError(tb, errs[i], c[i].said.String())
		conflicts += replies[i].Conflicts
		for _, o := range replies[i].Ops {
			o.Lock.AsOf = o.AsOf
			ops = append(ops, o)
		}
	}
	return ops, conflicts
}
