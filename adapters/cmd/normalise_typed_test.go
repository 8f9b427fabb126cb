package cmd

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// typist is a stream whose lines are typed while it runs.
type typist struct {
	t       *testing.T
	keys    *io.PipeWriter
	answers chan string
	errs    screen
	stop    context.CancelFunc
	done    chan int
}

func newTypist(t *testing.T, args ...string) *typist {
	t.Helper()
	in, keys := io.Pipe()
	reader, out := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	y := &typist{t: t, keys: keys, answers: make(chan string), stop: stop, done: make(chan int, 1)}
	go func() {
		y.done <- run(&surroundings{ctx, in, out, &y.errs, parts()}, append([]string{"normalise", "-"}, args...))
		_ = out.Close()
	}()
	go func() {
		for lines := bufio.NewScanner(reader); lines.Scan(); {
			y.answers <- lines.Text()
		}
		close(y.answers)
	}()
	t.Cleanup(func() { stop(); _ = keys.Close(); _ = reader.Close() })
	return y
}

func (y *typist) types(text string) {
	y.t.Helper()
	_, err := io.WriteString(y.keys, text)
	require.NoError(y.t, err)
}

func (y *typist) reads(want string) {
	y.t.Helper()
	require.Equal(y.t, want, gist(y.t, await(y.t, "answer", y.answers)))
}

func TestResultsArePrintedBeforeTheNextLine(t *testing.T) {
	y := newTypist(t)
	y.types(timedOut + "\n")
	y.reads("timeout")
	y.types("x\n" + timedOut + "\n")
	y.reads("invalid_request 2")
	y.reads("timeout")
	y.types(timedOut + "\n" + timedOut[:20])
	y.reads("timeout") // while the next line is incomplete
	y.types(timedOut[20:] + "\n")
	y.reads("timeout")
	require.NoError(t, y.keys.Close())
	require.Equal(t, exitOK, await(t, "end", y.done))
}

// An interruption also prints the unmapped codes found so far.
func TestWaitingForALineCanBeInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y := newTypist(t, "--unmapped")
		y.types(`{"scheme":"stripe","direction":"payin","code":"of tomorrow"}` + "\nx\n" + timedOut)
		y.reads("declined")
		y.reads("invalid_request 2")
		synctest.Wait()
		y.stop()
		require.Equal(t, exitFailed, await(t, "end", y.done))
		_, more := <-y.answers
		require.False(t, more, "a line without its end was answered")
		require.Contains(t, y.errs.String(), `unmapped        1  stripe payin "of tomorrow"`)
		require.Contains(t, y.errs.String(), "1 of 2 lines could not be read")
	})
}

// Input that is always available does not prevent an interruption.
func TestAnEndlessStreamCanBeInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	in := &endless{line: func(i int) string {
		if i == 10_000 {
			stop()
		}
		return timedOut + "\n"
	}}
	var errs screen
	require.Equal(t, exitFailed, run(&surroundings{ctx, in, io.Discard, &errs, parts()}, []string{"normalise", "-"}))
	require.Less(t, in.lines.Load(), int64(20_000))
}

func TestAnInterruptedStreamReadsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		stop()
		in := &endless{line: func(int) string { return timedOut + "\n" }}
		var out, errs screen
		require.Equal(t, exitFailed, run(&surroundings{ctx, in, &out, &errs, parts()}, []string{"normalise", "-"}))
		synctest.Wait()
		require.Zero(t, in.lines.Load())
		require.Empty(t, out.String())
	})
}

func TestEachResultHasItsOwnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y := newTypist(t)
		for range 2 {
			y.types(timedOut + "\n")
			var a struct{ TransitionedAt time.Time }
			require.NoError(t, json.Unmarshal([]byte(await(t, "answer", y.answers)), &a))
			require.WithinDuration(t, time.Now(), a.TransitionedAt, 0)
			<-time.After(time.Hour)
		}
	})
}
