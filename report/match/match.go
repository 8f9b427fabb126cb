package match

import (
	"context"
	"iter"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Payment is the part of a transaction that the matcher needs.
type Payment struct {
	ID        string // unique for its owner
	Reference string // the merchantReference in settlement lines; "" matches no line
	Currency  string // ISO 4217
	Amount    int64  // in minor units
	Status    ports.TransactionStatus
	CreatedAt time.Time
}

// Range is the range of instants that a run reports on. The input should also contain
// lines and payments outside the range, because payments settle days later: they are
// matched, but neither counted nor reported.
type Range struct {
	From  time.Time // inclusive
	Until time.Time // exclusive
	Due   time.Time // payments created earlier must have been settled; zero means none must
	AsOf  time.Time // instant for ages; zero means Until
}

// MaxTolerance is the maximum of Policy.Tolerance, in minor units.
const MaxTolerance = 1_000_000_000_000_000

// Policy is how exactly sums must agree.
type Policy struct {
	Tolerance int64 // largest accepted difference between settled sum and amount, in minor units; 0 to MaxTolerance
}

// Bounds of Limits.MemoryBytes.
const (
	MinMemory     = 1 << 20
	DefaultMemory = 256 << 20
)

// Limits bounds a run.
type Limits struct {
	// MemoryBytes bounds the memory of the run, at least MinMemory; 0 means
	// DefaultMemory. The process needs about twice as much.
	MemoryBytes int64
	// Scratch stores what does not fit into memory. If it is nil, larger input is
	// [errcodes.Unprocessable].
	Scratch ports.Scratch
}

// Input is the input of Run.
type Input struct {
	Lines    iter.Seq2[ports.SettlementLine, error] // in any order
	Payments iter.Seq2[Payment, error]              // in any order
	Range    Range
	Policy   Policy
	Limits   Limits
}

// Tally contains the counts of a run. Lines is always Matched + UnmatchedLines.
type Tally struct {
	Lines          int64 // readable ones in the range, and all bad ones
	Matched        int64 // lines
	UnmatchedLines int64 // one row each
	Payments       int64 // in the range, of any status
	Missing        int64 // rows of missing_settlement
}

// Run compares settlement lines with payments and calls emit for each difference, ordered
// by At or CreatedAt, then Line, then ID; lines come before payments. The result depends
// neither on the order of the input nor on the memory. Times are in UTC.
//
// Lines and payments match if their references have the same bytes. For each reference:
//
//   - Only SUCCEEDED payments can be settled, by lines of their currency. Lines
//     of payments with another status are status_mismatch; lines in a currency
//     that no payment has are currency_mismatch; lines whose reference no payment
//     has are missing_transaction.
//   - A negative line reverses the latest earlier line of the opposite amount
//     that is not yet reversed, and both are matched. If there is none, it
//     reduces the sum.
//   - The other lines are added up. If the sum is within the tolerance of the
//     payment's amount, all of them are matched.
//   - Otherwise a line that takes the sum beyond the tolerance and equals an earlier line is
//     duplicate_settlement and is not counted. If the sum of the others is still
//     wrong, the last of them is amount_mismatch, with the sum, and the rest are
//     matched.
//   - If several payments can be settled, ordered by CreatedAt and ID, a line
//     settles the first one of exactly its amount that no other line settles. The
//     remaining lines fill the payments in order; further lines belong to the
//     payment that has an equal line, or to the last payment. A negative line
//     belongs to the payment of the line before it.
//   - A SUCCEEDED payment created before Due without a line is
//     missing_settlement. Here lines in another currency count as lines.
//
// A bad line is unreadable_line, whatever its time.
//
// Errors: an error of a source or of emit, unchanged; the context's error;
// [errcodes.StorageUnavailable] or another code of the scratch space;
// [errcodes.Unprocessable] if one reference, with those similar to it, exceeds the memory
// (about 300,000 lines and payments with DefaultMemory); [errcodes.Configuration] for a
// value out of bounds. The scratch space is closed in any case.
func Run(ctx context.Context, in Input, emit func(Unmatched) error) (Tally, error) {
	if err := in.check(); err != nil {
		return Tally{}, err
	}
	return run(ctx, in, in.Limits.split(), emit)
}

func (in Input) check() error {
	switch {
	case in.Lines == nil || in.Payments == nil:
		return errcodes.New(errcodes.Configuration, "Input.Lines and Input.Payments are required")
	case in.Range.Until.Before(in.Range.From):
		return errcodes.New(errcodes.Configuration, "Range.Until is before Range.From")
	case in.Limits.MemoryBytes != 0 && in.Limits.MemoryBytes < MinMemory:
		return errcodes.AtLeast("Limits.MemoryBytes", in.Limits.MemoryBytes, MinMemory)
	default:
		return errcodes.Within("Policy.Tolerance", in.Policy.Tolerance, 0, MaxTolerance)
	}
}

// groupBytes is the memory for a line or a payment while its reference is matched.
const groupBytes = 512

// bounds is how a run divides its memory.
type bounds struct {
	records int64 // bytes for lines and payments
	rows    int64 // bytes for rows that wait to be sorted
	buffer  int   // bytes for an open file's buffer
	group   int   // lines and payments of one plain reference
	bits    uint  // 1<<bits files are written at once, and as many are read
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

// run is Run with given bounds.
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
