//go:build !race

package wire_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/corridor-go/corridor/adapters/httpserver/wire"
)

func TestAppendDoesNotAllocateIfTheBufferIsLargeEnough(t *testing.T) {
	buf := make([]byte, 0, 1024)
	assert.Zero(t, testing.AllocsPerRun(100, func() { buf = wire.AppendRateLock(buf[:0], &lock) }))
	assert.Zero(t, testing.AllocsPerRun(100, func() { buf = wire.AppendTransaction(buf[:0], &failed) }))
}

func TestDecodeFailureAllocatesLittle(t *testing.T) {
	line := []byte(`{"scheme":"mpesa-daraja","direction":"payin","code":"1037","message":"DS timeout","state":"failed","x":{"a":"\n"}}`)
	assert.LessOrEqual(t, testing.AllocsPerRun(100, func() {
		if _, err := wire.DecodeFailure(line); err != nil {
			t.Error(err)
		}
	}), 6.0)
}
