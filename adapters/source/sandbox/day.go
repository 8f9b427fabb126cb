package sandbox

import (
	"fmt"
	"iter"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

const oneDay = 24 * time.Hour

// oddity is what a day does otherwise with one of its payments.
type oddity int

const (
	nothingOdd oddity = iota
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

// oddities are the table of the package's comment, by the day of the month less
// one: it repeats after 14 days, and leaves out the 29th to the 31st.
var oddities = [14]oddity{
	nothingOdd, unknownReference, neverSettled, settledLess, settledElsewhere, settledThoughFailed,
	settledTwice, settledInParts, settledAgain, unreadableLine,
}

func oddityOf(dayOfMonth int) oddity {
	if dayOfMonth > 2*len(oddities) {
		return nothingOdd
	}
	return oddities[(dayOfMonth-1)%len(oddities)]
}

// day is one day of one owner.
type day struct {
	*Books

	owner  uint64
	number int64 // days since 1970-01-01
	start  time.Time
	stem   string // what its ids and references have in common
	count  int64
	odd    oddity
	oddOne int64 // the transaction that it strikes
}

func (b *Books) day(owner uint64, number int64) day {
	start := time.Unix(0, 0).UTC().AddDate(0, 0, int(number))
	d := day{
		Books: b, owner: owner, number: number, start: start,
		stem: fmt.Sprintf("%012x-%s-", owner>>16, start.Format("20060102")),
		odd:  oddityOf(start.Day()),
	}
	numbers := drawOf(owner, number, -1)
	low := int64(b.perDay) * 2 / 3
	d.count = low + numbers.below(low+1)
	d.oddOne = numbers.below(d.count)
	return d
}

// days returns the days that overlap the stretch, none of them before 1970.
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

// dayNumber counts days since 1970-01-01; earlier ones are below 0.
func dayNumber(t time.Time) int64 {
	const seconds = int64(oneDay / time.Second)
	n := t.Unix() / seconds
	if t.Unix()%seconds < 0 {
		n--
	}
	return n
}

// transaction is one payment, as it will have been.
type transaction struct {
	name      string // what its id and its reference end with
	createdAt time.Time
	endsAt    time.Time
	direction errcodes.Direction
	market    *market
	rail      rail
	amount    int64 // in minor units
	status    ports.TransactionStatus
	code      errcodes.TransactionCode
	settleAt  time.Time
	odd       oddity
}

// statusAt is the status that the transaction has at now, with its code.
func (t *transaction) statusAt(now time.Time) (ports.TransactionStatus, errcodes.TransactionCode) {
	if now.Before(t.endsAt) {
		return ports.TransactionPending, ""
	}
	return t.status, t.code
}

// transaction returns the day's i-th; they come by rising createdAt.
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
	if i == d.oddOne {
		t.odd = d.odd
	}
	d.direct(&t, &numbers)
	d.outcome(&t, &numbers)
	t.settleAt = t.createdAt.Add(oneDay + time.Duration(numbers.below(2*oneDay.Milliseconds()))*time.Millisecond)
	if t.odd != nothingOdd { // leaves room for what follows within the three days
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

// direct chooses which way the money goes, and how.
func (d *day) direct(t *transaction, numbers *draw) {
	t.direction = errcodes.Payin
	rails := t.market.payin
	if numbers.below(100) < 30 && t.odd == nothingOdd {
		t.direction, rails = errcodes.Payout, t.market.payout
	}
	t.rail = rails[numbers.below(int64(len(rails)))]
}

// outcome chooses how it ends: of a hundred, 84 well, 9 declined, 5 broken, and 2
// without an answer.
func (d *day) outcome(t *transaction, numbers *draw) {
	chance := numbers.below(100)
	switch {
	case t.odd == settledThoughFailed:
		t.status = ports.TransactionFailed
	case t.odd != nothingOdd || chance < 84:
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

// draw returns numbers that look like chance, the same for the same seed on every
// machine: SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number
// generators", 2014).
type draw uint64

const golden = 0x9E3779B97F4A7C15

func (d *draw) next() uint64 {
	*d += golden
	return mix(uint64(*d))
}

// below returns a number from 0 until n, which is above 0.
func (d *draw) below(n int64) int64 { return int64(d.next() % uint64(n)) }

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// seed folds texts and numbers into one: FNV-1a, then mixed.
func seed(text string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return mix(h)
}

// drawOf starts the numbers of one thing of a day.
func drawOf(owner uint64, day, i int64) draw {
	return draw(mix(mix(owner^uint64(day)*golden) ^ uint64(i)*golden))
}
