package ports

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strings"
	"time"

	"github.com/cockroachdb/apd/v3"

	"github.com/corridor-go/corridor/errcodes"
)

// MaxValidity is the longest life of a rate lock.
const MaxValidity = 7 * 24 * time.Hour

// LockedRate is the rate of a transaction, taken from a lock by Use of package
// ratelock. It stays valid after the lock has ended, for refunds too: see Refund. It is
// immutable. Store it in your own table as JSON text: it is a driver.Valuer, and
// *LockedRate is a sql.Scanner that checks what it reads.
//
// Its methods convert amounts between base and quote, in minor units or as decimal
// text, and round once, to the minor unit of the resulting currency. The zero
// LockedRate converts nothing.
type LockedRate struct {
	r lockedRate
}

// lockedRate is the JSON form.
type lockedRate struct {
	RateLockID string    `json:"rateLockId"`
	Base       string    `json:"base"`
	Quote      string    `json:"quote"`
	MidRate    string    `json:"midRate"`
	MarkupBps  int       `json:"markupBps"`
	AllInRate  string    `json:"allInRate"`
	UsedAt     time.Time `json:"usedAt"`
	ExpiresAt  time.Time `json:"expiresAt"`
}

var errEmptyRate = errcodes.New(errcodes.InvalidRequest, "The locked rate is empty")

// NewLockedRate returns the rate of a lock as of l.AsOf. It is for tests: applications
// call Use of package ratelock, which checks that the lock is still valid.
// NewLockedRate returns [errcodes.RateLockInvalid] if the lock is not active at
// l.AsOf, and [errcodes.CorruptRecord] for a record that no lock can have.
func NewLockedRate(l *RateLock) (LockedRate, error) {
	if l.Status != LockActive || l.AsOf.Before(l.CreatedAt) || !l.AsOf.Before(l.ExpiresAt) {
		return LockedRate{}, errcodes.New(errcodes.RateLockInvalid, "")
	}
	r := LockedRate{lockedRate{l.ID, l.Base, l.Quote, l.MidRate, l.MarkupBps, l.AllInRate, l.AsOf, l.ExpiresAt}}
	if err := r.check(); err != nil {
		return LockedRate{}, err
	}
	return r, nil
}

// String returns text such as "1 USD = 18.52375 ZAR (rl_…)".
func (r LockedRate) String() string {
	if r == (LockedRate{}) {
		return "no rate"
	}
	return "1 " + r.r.Base + " = " + r.r.AllInRate + " " + r.r.Quote + " (" + r.r.RateLockID + ")"
}

// LockID returns the id of the lock that the rate was taken from.
func (r LockedRate) LockID() string { return r.r.RateLockID }

// Pair returns the lock's pair: 1 base = AllIn quote.
func (r LockedRate) Pair() Pair { return Pair{Base: r.r.Base, Quote: r.r.Quote} }

// Mid returns the mid-market rate as decimal text.
func (r LockedRate) Mid() string { return r.r.MidRate }

// MarkupBps returns the markup on the mid in basis points.
func (r LockedRate) MarkupBps() int { return r.r.MarkupBps }

// AllIn returns the rate for conversions as decimal text.
func (r LockedRate) AllIn() string { return r.r.AllInRate }

// UsedAt returns when the rate was taken from the lock, which was valid then.
func (r LockedRate) UsedAt() time.Time { return r.r.UsedAt }

// ExpiresAt returns when the lock expires or expired.
func (r LockedRate) ExpiresAt() time.Time { return r.r.ExpiresAt }

// MarshalJSON returns the JSON form, or [errcodes.InvalidRequest] for the zero LockedRate.
func (r LockedRate) MarshalJSON() ([]byte, error) {
	if r == (LockedRate{}) {
		return nil, errEmptyRate
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	return json.Marshal(r.r)
}

// UnmarshalJSON reads the JSON form. It returns [errcodes.CorruptRecord] for other
// text, and for a rate that no lock can have had.
func (r *LockedRate) UnmarshalJSON(data []byte) error {
	var rec lockedRate
	if err := json.Unmarshal(data, &rec); err != nil {
		return errcodes.Wrap(errcodes.CorruptRecord, "The locked rate is damaged", err)
	}
	read := LockedRate{rec}
	if err := read.check(); err != nil {
		return err
	}
	*r = read
	return nil
}

func (r LockedRate) check() error {
	_, base := MinorDigits(r.r.Base)
	_, quote := MinorDigits(r.r.Quote)
	if life := r.r.ExpiresAt.Sub(r.r.UsedAt); !base || !quote || r.r.UsedAt.IsZero() || life > MaxValidity {
		return corrupt("a locked rate's base, quote, usedAt or expiresAt is impossible")
	}
	l := RateLock{
		ID: r.r.RateLockID, Base: r.r.Base, Quote: r.r.Quote, Status: LockActive,
		MidRate: r.r.MidRate, MarkupBps: r.r.MarkupBps, AllInRate: r.r.AllInRate, CreatedAt: r.r.UsedAt, ExpiresAt: r.r.ExpiresAt,
	}
	return l.Check()
}

// Value returns the JSON text. It returns the errors of MarshalJSON.
func (r LockedRate) Value() (driver.Value, error) {
	data, err := r.MarshalJSON()
	return string(data), err
}

// Scan reads the JSON text, a string or []byte, as UnmarshalJSON does. It returns
// [errcodes.CorruptRecord] for other types and for NULL: use sql.Null[LockedRate] for
// a column that may be NULL.
func (r *LockedRate) Scan(src any) error {
	switch v := src.(type) {
	case string:
		return r.UnmarshalJSON([]byte(v))
	case []byte:
		return r.UnmarshalJSON(v)
	default:
		return errcodes.New(errcodes.CorruptRecord, fmt.Sprintf("The locked rate is a %T, want text", src))
	}
}

// ToQuote converts an amount in minor units of the base to minor units of the quote.
// Amounts may be negative. ToQuote returns [errcodes.InvalidRequest] for an unknown
// Rounding and for a zero LockedRate, and [errcodes.Unprocessable] if the result does
// not fit an int64.
//
// The parts of an amount may convert to more or less than the whole, because each is
// rounded: for refunds, use Refund.
func (r LockedRate) ToQuote(baseMinor int64, rounding Rounding) (int64, error) {
	return r.convert(big.NewInt(baseMinor), 0, r.r.Base, r.r.Quote, rounding)
}

// Refund returns what the payer gets back, in minor units of the quote, when amount is
// refunded after refunds of before in all, both in minor units of the base. The refunds
// of a payment add up to ToQuote of their total, so that a full refund in parts returns
// exactly what was paid, if the rounding is the payment's. A refund differs from its own
// conversion by at most one minor unit.
//
// before and amount are 0 or more: negative ones are [errcodes.InvalidRequest]. Their
// sum may not exceed an int64, else Refund returns [errcodes.Unprocessable]; it does not
// know what was paid. It returns the other errors of ToQuote.
func (r LockedRate) Refund(before, amount int64, rounding Rounding) (int64, error) {
	if before < 0 || amount < 0 {
		return 0, bad("a refund of %d after %d: must be 0 or more", amount, before)
	}
	if amount > math.MaxInt64-before {
		return 0, errcodes.New(errcodes.Unprocessable, "The refunded total does not fit in 64 bits")
	}
	done, err := r.ToQuote(before, rounding)
	if err != nil {
		return 0, err
	}
	total, err := r.ToQuote(before+amount, rounding)
	if err != nil {
		return 0, err
	}
	return total - done, nil
}

// ToBase converts an amount in minor units of the quote to minor units of the base.
// It returns the errors of ToQuote.
func (r LockedRate) ToBase(quoteMinor int64, rounding Rounding) (int64, error) {
	return r.convert(big.NewInt(quoteMinor), 0, r.r.Quote, r.r.Base, rounding)
}

// ToQuoteText converts an amount of the base, decimal text as [SetDecimal] reads it
// with an optional minus sign, to text with exactly the quote's minor digits: "10.5"
// USD at 18.52375 is "194.50" ZAR. Digits beyond the base's minor unit count. It
// returns [errcodes.InvalidRequest] for other text, and the errors of ToQuote.
func (r LockedRate) ToQuoteText(base string, rounding Rounding) (string, error) {
	return r.convertText(base, r.r.Base, r.r.Quote, rounding)
}

// ToBaseText converts an amount of the quote to text of the base. It returns the
// errors of ToQuoteText.
func (r LockedRate) ToBaseText(quote string, rounding Rounding) (string, error) {
	return r.convertText(quote, r.r.Quote, r.r.Base, rounding)
}

func (r LockedRate) convertText(amount, from, to string, rounding Rounding) (string, error) {
	var d apd.Decimal
	unsigned, negative := strings.CutPrefix(amount, "-")
	if err := SetDecimal(&d, unsigned); err != nil {
		return "", bad("amount %.50q: must be plain decimal text", amount)
	}
	coeff := d.Coeff.MathBigInt()
	if negative {
		coeff.Neg(coeff)
	}
	fromDigits, _ := MinorDigits(from)
	// Exponent + minor digits is the power of ten from the text's unit to minor units.
	minor, err := r.convert(coeff, int64(d.Exponent)+int64(fromDigits), from, to, rounding)
	if err != nil {
		return "", err
	}
	return FormatMinor(minor, to)
}

// convert returns amount × 10^exp minor units of from in minor units of to.
func (r LockedRate) convert(amount *big.Int, exp int64, from, to string, rounding Rounding) (int64, error) {
	var rate apd.Decimal
	fromDigits, ok1 := MinorDigits(from)
	toDigits, ok2 := MinorDigits(to)
	if !ok1 || !ok2 || SetDecimal(&rate, r.r.AllInRate) != nil || rate.IsZero() {
		return 0, errEmptyRate
	}
	if !rounding.valid() {
		return 0, bad("unknown rounding %d: must be RoundHalfEven to RoundFloor", rounding)
	}
	num, den := new(big.Int).Set(amount), big.NewInt(1)
	exp += int64(toDigits) - int64(fromDigits)
	if from == r.r.Base {
		num.Mul(num, rate.Coeff.MathBigInt())
		exp += int64(rate.Exponent)
	} else {
		den.Mul(den, rate.Coeff.MathBigInt())
		exp -= int64(rate.Exponent)
	}
	if exp >= 0 {
		num.Mul(num, pow10(exp))
	} else {
		den.Mul(den, pow10(-exp))
	}
	n, ok := divide(num, den, rounding)
	if !ok {
		return 0, errcodes.New(errcodes.Unprocessable, "The converted amount does not fit in 64 bits")
	}
	return n, nil
}

// Rounding decides how an amount between two minor units is rounded. The zero Rounding
// is invalid, so that every caller has to choose.
type Rounding int

// The roundings.
const (
	RoundHalfEven Rounding = iota + 1 // to the nearest, halves to even
	RoundHalfUp                       // to the nearest, halves away from zero
	RoundUp                           // away from zero
	RoundDown                         // towards zero
	RoundCeiling                      // towards +∞
	RoundFloor                        // towards −∞
)

func (r Rounding) valid() bool { return r >= RoundHalfEven && r <= RoundFloor }

// divide returns num / den rounded once, for den > 0, and reports whether the result
// fits an int64.
func divide(num, den *big.Int, rounding Rounding) (n int64, ok bool) {
	quo, rem := new(big.Int).QuoRem(num, den, new(big.Int))
	if away(quo, rem, den, rounding) {
		quo.Add(quo, big.NewInt(int64(num.Sign())))
	}
	return quo.Int64(), quo.IsInt64()
}

// away reports whether quo, the quotient truncated towards zero, must be moved one
// away from zero.
func away(quo, rem, den *big.Int, rounding Rounding) bool {
	if rem.Sign() == 0 {
		return false
	}
	half := new(big.Int).Lsh(rem, 1).CmpAbs(den)
	switch rounding {
	case RoundHalfEven:
		return half > 0 || half == 0 && quo.Bit(0) == 1
	case RoundHalfUp:
		return half >= 0
	case RoundUp:
		return true
	case RoundCeiling:
		return rem.Sign() > 0
	case RoundFloor:
		return rem.Sign() < 0
	case RoundDown:
	}
	return false
}

func pow10(n int64) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(n), nil) }
