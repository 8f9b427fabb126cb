package sandbox

import (
	"fmt"
	"iter"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

const oneDay = 24 * time.Hour

// deviation is a deviation that a day makes for one of its payments.
type deviation int

const (
	noDeviation deviation = iota
	unknownReference
	neverSettled
	settledLess
	settledElsewhere
	settledThoughFailed
	settledTwice
	settledInParts
	settledAgain
	unreadableLine
)

// deviations is the table of the package comment, by the day of the month minus one. It
// repeats after 14 days, and leaves out the 29th to the 31st.
var deviations = [14]deviation{
	noDeviation, unknownReference, neverSettled, settledLess, settledElsewhere, settledThoughFailed,
	settledTwice, settledInParts, settledAgain, unreadableLine,
}

func deviationOf(dayOfMonth int) deviation {
	if dayOfMonth > 2*len(deviations) {
		return noDeviation
	}
	return deviations[(dayOfMonth-1)%len(deviations)]
}

// day is one day of one owner.
type day struct {
	*Books

	owner     uint64
	number    int64 // days since 1970-01-01
	start     time.Time
	stem      string // the common part of its ids and references
	count     int64
	deviation deviation
	deviating int64 // the transaction with the deviation
}

func (b *Books) day(owner uint64, number int64) day {
	start := time.Unix(0, 0).UTC().AddDate(0, 0, int(number))
	d := day{
		Books: b, owner: owner, number: number, start: start,
		stem:      fmt.Sprintf("%012x-%s-", owner>>16, start.Format("20060102")),
		deviation: deviationOf(start.Day()),
	}
	numbers := drawOf(owner, number, -1)
	low := int64(b.perDay) * 2 / 3
	d.count = low + numbers.below(low+1)
	d.deviating = numbers.below(d.count)
	return d
}

// days returns the days that overlap the interval, from 1970 on.
func (b *Books) days(owner string, from, until time.Time) iter.Seq[day] {
	return func(yield func(day) bool) {
		key := seed(owner)
		for n := max(0, dayNumber(from)); n <= dayNumber(until.Add(-1)); n++ {
			if !yield(b.day(key, n)) {
				return
			}
		}
	}
}

// dayNumber returns the days since 1970-01-01, below 0 for earlier ones.
func dayNumber(t time.Time) int64 {
	const seconds = int64(oneDay / time.Second)
	n := t.Unix() / seconds
	if t.Unix()%seconds < 0 {
		n--
	}
	return n
}

// transaction is one payment, with its final status.
type transaction struct {
	name      string // the end of its id and its reference
	createdAt time.Time
	endsAt    time.Time
	direction errcodes.Direction
	market    *market
	rail      rail
	amount    int64 // in minor units
	status    ports.TransactionStatus
	code      errcodes.TransactionCode
	settleAt  time.Time
	deviation deviation
}

// statusAt returns the status of the transaction at now, with its code.
func (t *transaction) statusAt(now time.Time) (ports.TransactionStatus, errcodes.TransactionCode) {
	if now.Before(t.endsAt) {
		return ports.TransactionPending, ""
	}
	return t.status, t.code
}

// transaction returns the day's i-th transaction, in the order of createdAt.
func (d *day) transaction(i int64) transaction {
	numbers := drawOf(d.owner, d.number, i)
	slot := oneDay.Milliseconds() / d.count
	t := transaction{
		name:      fmt.Sprintf("%s%07d", d.stem, i),
		createdAt: d.start.Add(time.Duration(i*slot+numbers.below(slot)) * time.Millisecond),
		market:    &markets[numbers.below(int64(len(markets)))],
	}
	t.amount = numbers.amount(t.market)
	t.endsAt = t.createdAt.Add(time.Second + time.Duration(numbers.below(599_000))*time.Millisecond)
	if i == d.deviating {
		t.deviation = d.deviation
	}
	d.direct(&t, &numbers)
	d.outcome(&t, &numbers)
	t.settleAt = t.createdAt.Add(oneDay + time.Duration(numbers.below(2*oneDay.Milliseconds()))*time.Millisecond)
	if t.deviation != noDeviation { // leaves time for later lines within the three days
		t.settleAt = t.createdAt.Add(oneDay + time.Duration(numbers.below(oneDay.Milliseconds()/2))*time.Millisecond)
	}
	return t
}

func (d *draw) amount(m *market) int64 {
	digits, _ := ports.MinorDigits(m.currency)
	unit := int64(1)
	for range digits {
		unit *= 10
	}
	return m.low*unit + d.below((m.high-m.low)*unit)
}

// direct chooses the direction and the rail.
func (d *day) direct(t *transaction, numbers *draw) {
	t.direction = errcodes.Payin
	rails := t.market.payin
	if numbers.below(100) < 30 && t.deviation == noDeviation {
		t.direction, rails = errcodes.Payout, t.market.payout
	}
	t.rail = rails[numbers.below(int64(len(rails)))]
}

// outcome chooses the final status: of a hundred, 84 succeed, 9 are declined, 5 have an
// error, and 2 time out.
func (d *day) outcome(t *transaction, numbers *draw) {
	chance := numbers.below(100)
	switch {
	case t.deviation == settledThoughFailed:
		t.status = ports.TransactionFailed
	case t.deviation != noDeviation || chance < 84:
		t.status = ports.TransactionSucceeded
		return
	case chance < 93:
		t.status = ports.TransactionFailed
	case chance < 98:
		t.status = ports.TransactionErrored
	default:
		t.status, t.code = ports.TransactionFailed, errcodes.FailureTimeout
		t.endsAt = t.createdAt.Add(3 * oneDay)
		return
	}
	codes := d.codes[end{t.status, t.direction, t.rail.method == card}]
	t.code = codes[numbers.below(int64(len(codes)))]
}

// draw returns pseudorandom numbers, which are the same for the same seed on every
// machine: SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number
// generators", 2014).
type draw uint64

const golden = 0x9E3779B97F4A7C15

func (d *draw) next() uint64 {
	*d += golden
	return mix(uint64(*d))
}

// below returns a number from 0 to n-1; n is above 0.
func (d *draw) below(n int64) int64 { return int64(d.next() % uint64(n)) }

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// seed hashes a text to a number: FNV-1a, then mixed.
func seed(text string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return mix(h)
}

// drawOf returns the numbers for one thing of a day.
func drawOf(owner uint64, day, i int64) draw {
	return draw(mix(mix(owner^uint64(day)*golden) ^ uint64(i)*golden))
}
