package match

import (
	"context"
	"iter"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Payment is what the matcher knows of a transaction.
type Payment struct {
	ID        string // unique for an owner
	Reference string // the merchantReference, which settlement lines name; "" meets no line
	Currency  string // ISO 4217
	Amount    int64  // in minor units
	Status    ports.TransactionStatus
	CreatedAt time.Time
}

// Range is what a run reports on. The input should have lines and payments beyond it,
// too, since a payment at the end of a day settles days later: they match the others,
// but are neither counted nor reported.
type Range struct {
	From  time.Time // the first instant that is reported on
	Until time.Time // the first instant that is not
	Due   time.Time // a payment created before it should have settled by now; zero: none should
	AsOf  time.Time // ages are counted up to it; zero: Until
}

// MaxTolerance bounds Policy.Tolerance, in minor units.
const MaxTolerance = 1_000_000_000_000_000

// Policy says how exactly sums have to agree.
type Policy struct {
	Tolerance int64 // how far a payment's settled sum may lie from its amount, in minor units; 0 to MaxTolerance
}

// Bounds of Limits.MemoryBytes.
const (
	MinMemory     = 1 << 20
	DefaultMemory = 256 << 20
)

// Limits bounds a run.
type Limits struct {
	// MemoryBytes is how much the run holds in memory, at least MinMemory;
	// 0: DefaultMemory. The process needs about twice that.
	MemoryBytes int64
	// Scratch takes what does not fit. With none, more than fits is
	// errcodes.Unprocessable.
	Scratch ports.Scratch
}

// Input is what Run reads.
type Input struct {
	Lines    iter.Seq2[ports.SettlementLine, error] // in any order
	Payments iter.Seq2[Payment, error]              // in any order
	Range    Range
	Policy   Policy
	Limits   Limits
}

// Tally counts what Run has compared. Lines is always Matched + UnmatchedLines.
type Tally struct {
	Lines          int64 // good ones in the range, and all bad ones
	Matched        int64 // lines
	UnmatchedLines int64 // each is one row
	Payments       int64 // in the range, of any status
	Missing        int64 // rows of missing_settlement
}

// Run compares settlement lines with payments and gives what does not agree,
// by rising At or CreatedAt, then Line, then ID; lines go before payments. What
// it gives depends on neither the order of the input nor the memory.
//
// Lines and payments meet when their references are the same bytes. For each
// reference:
//
//   - Only SUCCEEDED payments can be settled, by lines of their currency. Lines
//     for another status are status_mismatch; lines of a currency that no payment
//     has are currency_mismatch; lines that meet no payment at all are
//     missing_transaction.
//   - A line below zero takes back the latest earlier line of the same amount
//     that is not taken back yet, and both are matched. If there is none, it
//     lessens the sum.
//   - The other lines add up. A sum within the tolerance of the payment's amount
//     matches them all.
//   - Else a line that goes beyond the amount and is equal to an earlier one is
//     duplicate_settlement, and does not count. If the sum of the others is still
//     wrong, the last of them is amount_mismatch, with the sum; the rest are
//     matched.
//   - Of several payments that can be settled, by CreatedAt and ID, a line settles
//     the first of exactly its amount that no other line has. The rest fill the
//     payments in order; what is left goes to the payment that has an equal line,
//     or to the last. A line below zero goes where the line before it went.
//   - A SUCCEEDED payment that was created before Due and has no line is
//     missing_settlement. A line of another currency counts as a line here.
//
// A bad line is unreadable_line, whatever its time. Nothing ends a run but an
// error of a source or of emit, which is given back as it is; the context's own;
// StorageUnavailable or another code of the scratch space; Unprocessable when
// one reference alone, with those similar to it, is more than the memory holds,
// which is some 300,000 lines and payments with DefaultMemory;
// Configuration for a bound that is not met. The scratch space is closed then,
// too. Times are given in UTC.
func Run(ctx context.Context, in Input, emit func(Unmatched) error) (Tally, error) {
	if err := in.check(); err != nil {
		return Tally{}, err
	}
	return run(ctx, in, in.Limits.split(), emit)
}

func (in Input) check() error {
	switch {
	case in.Lines == nil || in.Payments == nil:
		return errcodes.New(errcodes.Configuration, "lines and payments are required")
	case in.Range.Until.Before(in.Range.From):
		return errcodes.New(errcodes.Configuration, "the range ends before it begins")
	case in.Policy.Tolerance < 0 || in.Policy.Tolerance > MaxTolerance:
		return errcodes.New(errcodes.Configuration, "the tolerance is below zero or above MaxTolerance")
	case in.Limits.MemoryBytes != 0 && in.Limits.MemoryBytes < MinMemory:
		return errcodes.New(errcodes.Configuration, "the memory is below MinMemory")
	default:
		return nil
	}
}

// groupBytes is what a line or a payment costs while its reference is matched.
const groupBytes = 512

// bounds is how a run divides its memory.
type bounds struct {
	records int64 // bytes of lines and payments
	rows    int64 // bytes of rows that wait to be put in order
	buffer  int   // bytes of an open file's buffer
	group   int   // lines and payments of one plain reference
	bits    uint  // 1<<bits files are written at once, and as many read
}

func (l Limits) split() bounds {
	memory := l.MemoryBytes
	if memory == 0 {
		memory = DefaultMemory
	}
	const bits = 6
	return bounds{
		records: memory / 8 * 5,
		rows:    memory / 4,
		group:   int(memory / 8 * 5 / groupBytes),
		buffer:  int(min(memory/8>>bits, 64<<10)),
		bits:    bits,
	}
}

// run is Run within the bounds.
func run(ctx context.Context, in Input, b bounds, emit func(Unmatched) error) (tally Tally, err error) {
	s := &space{scratch: in.Limits.Scratch, buffer: b.buffer}
	defer func() {
		if closed := s.close(); err == nil && closed != nil {
			tally, err = Tally{}, closed
		}
	}()
	j := newMatcher(in, &sorter{arena: newArena(b.rows), space: s, fan: 1 << b.bits})
	if err := newJoin(s, b, j).run(ctx, in); err != nil {
		return Tally{}, err
	}
	if err := j.rows.each(ctx, func(row []byte) error { return j.emit(row, emit) }); err != nil {
		return Tally{}, err
	}
	return j.tally, nil
}
