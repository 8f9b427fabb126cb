package postgres

import (
	"fmt"
	"time"

	"github.com/corridor-go/corridor/errcodes"
)

const (
	maxPage       = 10_000 // of a listing, as ports sets it
	maxBuriedPage = 1_000  // of a listing of buried events, as ports sets it
	maxExpired    = 1_000  // of a listing of reports, as ports sets it
	maxClaim      = 1_000  // items of one claim
	maxReason     = 1_024  // bytes of a reason to bury
)

// inRange refuses a page size or batch outside 1 to limit.
func inRange(n, limit int) error {
	if n < 1 || n > limit {
		return errcodes.New(errcodes.InvalidRequest, fmt.Sprintf("The number asked for is 1 to %d", limit))
	}
	return nil
}

// checkClaim refuses a lease or a number that no claim has.
func checkClaim(lease time.Duration, n int) error {
	if lease <= 0 {
		return errcodes.New(errcodes.InvalidRequest, "A lease is above zero")
	}
	return inRange(n, maxClaim)
}

func checkReason(reason string) error {
	if len(reason) > maxReason {
		return errcodes.New(errcodes.InvalidRequest, fmt.Sprintf("A reason has at most %d bytes", maxReason))
	}
	return nil
}
