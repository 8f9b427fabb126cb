package ratelock

import "math/big"

// Rounding says where an amount goes that falls between two minor units. The
// zero Rounding is none: callers name theirs.
type Rounding int

// The roundings.
const (
	HalfEven Rounding = iota + 1 // to the nearest, halves to the even neighbour
	HalfUp                       // to the nearest, halves away from zero
	Up                           // away from zero
	Down                         // towards zero
	Ceiling                      // towards +∞
	Floor                        // towards −∞
)

func (r Rounding) valid() bool { return r >= HalfEven && r <= Floor }

// divide gives num / den, den > 0, rounded once; false if it is no int64 or the
// rounding is none.
func divide(num, den *big.Int, rounding Rounding) (int64, bool) {
	quo, rem := new(big.Int).QuoRem(num, den, new(big.Int))
	if away(quo, rem, den, rounding) {
		quo.Add(quo, big.NewInt(int64(num.Sign())))
	}
	return quo.Int64(), quo.IsInt64() && rounding.valid()
}

// away reports whether the quotient, cut towards zero, goes one further from it.
func away(quo, rem, den *big.Int, rounding Rounding) bool {
	if rem.Sign() == 0 {
		return false
	}
	half := new(big.Int).Lsh(rem, 1).CmpAbs(den)
	switch rounding {
	case HalfEven:
		return half > 0 || half == 0 && quo.Bit(0) == 1
	case HalfUp:
		return half >= 0
	case Up:
		return true
	case Down:
		return false
	case Ceiling:
		return rem.Sign() > 0
	case Floor:
		return rem.Sign() < 0
	default:
		return false
	}
}
