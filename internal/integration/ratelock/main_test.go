package ratelock_test

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ratelock"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	noon   = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	usdzar = ports.Pair{Base: "USD", Quote: "ZAR"}
	plain  = ratelock.Terms{MarkupBps: 150, Validity: time.Hour, ToleranceBps: 200}
)
