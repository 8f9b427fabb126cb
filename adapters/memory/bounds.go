package memory

import (
	"strconv"
	"time"

	"github.com/corridor-go/corridor/errcodes"
)

const (
	maxPage       = 10_000 // of a listing, as ports sets it
	maxBuriedPage = 1000
	maxExpired    = 1_000 // of a listing of reports
	maxReason     = 1024  // bytes of a reason to bury
)

// within refuses a number outside its bounds.
func within(n, low, high int, what string) error {
	if n < low || n > high {
		return errcodes.New(errcodes.InvalidRequest,
			what+" is "+strconv.Itoa(low)+" to "+strconv.Itoa(high))
	}
	return nil
}

// claimArgs checks the bounds that both ports set to a claim.
func claimArgs(now time.Time, lease time.Duration, n int) (from, until int64, err error) {
	if err := within(n, 1, 1000, "a claim's n"); err != nil {
		return 0, 0, err
	}
	if lease <= 0 {
		return 0, 0, errcodes.New(errcodes.InvalidRequest, "a lease is above zero")
	}
	return now.UnixMilli(), now.Add(lease).UnixMilli(), nil
}
