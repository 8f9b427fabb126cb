package httpserver

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type colour struct{}

func newContext(parent context.Context) *requestContext {
	return &requestContext{Context: parent, trace: "t", until: time.Now().Add(time.Minute)}
}

func TestRequestContextEndsAtItsDeadline(t *testing.T) {
	for name, wait := range map[string]func(context.Context){
		"somebody waits":   func(ctx context.Context) { <-ctx.Done() },
		"a child waits":    func(ctx context.Context) { c, cancel := context.WithCancel(ctx); defer cancel(); <-c.Done() },
		"nobody waits yet": func(context.Context) { <-time.NewTimer(time.Minute).C },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				c := newContext(context.WithValue(t.Context(), colour{}, "red"))
				defer c.end()
				require.NoError(t, c.Err())
				wait(c)
				assert.Equal(t, time.Minute, time.Since(start))
				require.ErrorIs(t, c.Err(), context.DeadlineExceeded)
				<-c.Done()
				until, ok := c.Deadline()
				assert.True(t, ok)
				assert.Equal(t, start.Add(time.Minute), until)
				assert.Equal(t, "red", c.Value(colour{}))
				assert.Equal(t, "t", TraceID(c))
			})
		})
	}
}

func TestRequestContextEndsWithItsRequest(t *testing.T) {
	for _, waited := range []bool{false, true} {
		parent, cancel := context.WithCancel(t.Context())
		c := newContext(parent)
		if waited {
			require.NotNil(t, c.Done())
		}
		cancel()
		require.ErrorIs(t, c.Err(), context.Canceled, "the client has gone")
		<-c.Done()
		c.end()

		c = newContext(context.WithValue(t.Context(), colour{}, "red"))
		if waited {
			require.NotNil(t, c.Done())
		}
		c.end()
		<-c.Done()
		require.ErrorIs(t, c.Err(), context.Canceled, "the answer has ended")
		assert.Equal(t, "t", TraceID(c))
		assert.Equal(t, "red", c.Value(colour{}))
	}
}
