package ratelock

import (
	"math/bits"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

func corrupt(what string) error {
	return errcodes.Wrap(errcodes.CorruptRecord, "", errcodes.New(errcodes.CorruptRecord, what))
}

// CheckRecord reports a lock that cannot have come from this package, as
// errcodes.CorruptRecord: storage is no way around a rule (I4 to I7).
func CheckRecord(l *ports.RateLock) error {
	if what := impossible(l); what != "" {
		return corrupt(what)
	}
	if !priced(l) {
		return corrupt("allInRate is not midRate plus the markup")
	}
	return nil
}

// impossible names what is wrong with the record's state, "" for nothing.
func impossible(l *ports.RateLock) string {
	switch {
	case l.ID == "" || l.Base == "" || l.Quote == "" || l.Base == l.Quote:
		return "a lock has an id and two currencies"
	case !l.CreatedAt.Before(l.ExpiresAt):
		return "expiresAt lies after createdAt"
	case l.Status != ports.LockActive:
		return impossibleEnd(l)
	case l.CancellationReason != "" || l.ObservedMid != "" || l.DeviationBps != 0 || !l.EndedAt.IsZero():
		return "an active lock has no end"
	default:
		return ""
	}
}

// impossibleEnd is impossible for a lock that has ended.
func impossibleEnd(l *ports.RateLock) string {
	drifted := l.CancellationReason == ports.CancelledMarketDrift
	switch {
	case !reasonFits(l.Status, l.CancellationReason):
		return "status and cancellationReason do not fit"
	case l.Status == ports.LockExpired && !l.EndedAt.Equal(l.ExpiresAt):
		return "an expired lock ended at expiresAt"
	case l.Status == ports.LockCancelled && (l.EndedAt.Before(l.CreatedAt) || !l.EndedAt.Before(l.ExpiresAt)):
		return "a lock is cancelled within its life"
	case drifted != (l.ObservedMid != "") || !drifted && l.DeviationBps != 0:
		return "observedMid and deviationBps belong to market_drift"
	default:
		return ""
	}
}

// priced checks I6.
func priced(l *ports.RateLock) bool {
	if l.MarkupBps < 0 || l.MarkupBps > MaxMarkupBps || l.AllInRate == "" {
		return false
	}
	mid, scale, ok1 := ports.SmallRate(l.MidRate)
	allIn, allInScale, ok2 := ports.SmallDecimal(l.AllInRate)
	if zeros := scale - bpsExp - allInScale; ok1 && ok2 && zeros >= 0 && zeros < len(tens) {
		hi, lo := bits.Mul64(allIn, tens[zeros])
		padded := allInScale > 0 && l.AllInRate[len(l.AllInRate)-1] == '0'
		return hi == 0 && lo == mid*uint64(10_000+l.MarkupBps) && !padded
	}
	want, err := Price(l.MidRate, l.MarkupBps)
	return err == nil && want == l.AllInRate
}

// tens holds the powers of ten of a machine word.
var tens = func() (t [20]uint64) {
	for i, p := 0, uint64(1); i < len(t); i, p = i+1, p*10 {
		t[i] = p
	}
	return t
}()

// end moves an active lock along the state table.
func end(l *ports.RateLock, on Trigger, at time.Time) (Transition, error) {
	row, err := next(l.Status, on)
	if err != nil || row.Event == "" {
		return row, err
	}
	l.Status, l.CancellationReason = row.To, row.Reason
	l.EndedAt, l.AsOf = at, at
	return row, nil
}

func live(l *ports.RateLock, at time.Time) bool {
	return l.Status == ports.LockActive && at.Before(l.ExpiresAt)
}
