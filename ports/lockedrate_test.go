package ports_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// lockedJSON returns the text of a rate as a transaction's table may contain it.
func lockedJSON(base, quote, mid string, bps int, allIn string) string {
	return fmt.Sprintf(`{"rateLockId":"rl_1","base":%q,"quote":%q,"midRate":%q,"markupBps":%d,"allInRate":%q,`+
		`"usedAt":"2026-11-20T12:00:00Z","expiresAt":"2026-11-20T13:00:00Z"}`, base, quote, mid, bps, allIn)
}

func locked(t failer, base, quote, mid string, bps int) ports.LockedRate {
	t.Helper()
	allIn, err := ports.AllInRate(mid, bps)
	if err != nil {
		t.Fatalf("price: %v", err)
	}
	var r ports.LockedRate
	if err := r.Scan(lockedJSON(base, quote, mid, bps, allIn)); err != nil {
		t.Fatalf("scan: %v", err)
	}
	return r
}

func TestAmountsConvertAndRoundAsNamed(t *testing.T) {
	zar := locked(t, "USD", "ZAR", "18.2500", 150) // 18.52375
	for _, c := range []struct {
		name, from, want string
		r                ports.LockedRate
		do               func(ports.LockedRate, string, ports.Rounding) (string, error)
		rounding         ports.Rounding
	}{
		{"ten dollars in rand", "10", "185.24", zar, ports.LockedRate.ToQuoteText, ports.RoundHalfUp},
		{"the same, floored", "10.00", "185.23", zar, ports.LockedRate.ToQuoteText, ports.RoundFloor},
		{"a refund rounds away from zero too", "-10", "-185.24", zar, ports.LockedRate.ToQuoteText, ports.RoundUp},
		{"rand back to dollars", "185.24", "10.00", zar, ports.LockedRate.ToBaseText, ports.RoundHalfEven},
		{"francs have no minor unit", "100", "60563", locked(t, "USD", "XOF", "605.627", 0), ports.LockedRate.ToQuoteText, ports.RoundHalfUp},
		{"dinars have three", "1", "0.307", locked(t, "USD", "KWD", "0.3068", 0), ports.LockedRate.ToQuoteText, ports.RoundHalfUp},
		{"francs to dollars", "60563", "100.00", locked(t, "USD", "XOF", "605.627", 0), ports.LockedRate.ToBaseText, ports.RoundHalfUp},
		{"zero stays zero", "0", "0.00", zar, ports.LockedRate.ToQuoteText, ports.RoundUp},
		{"half a cent to even, up", "0.01", "0.02", locked(t, "USD", "EUR", "1.5", 0), ports.LockedRate.ToQuoteText, ports.RoundHalfEven},
		{"half a cent to even, down", "0.05", "0.02", locked(t, "USD", "EUR", "0.5", 0), ports.LockedRate.ToQuoteText, ports.RoundHalfEven},
		{"digits beyond the minor unit count", "0.009", "0.17", zar, ports.LockedRate.ToQuoteText, ports.RoundHalfUp},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.do(c.r, c.from, c.rounding)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

// Compared with rational numbers, in both directions.
func TestConversionRoundsOnce(t *testing.T) {
	minor := map[string]int64{"USD": 100, "ZAR": 100, "XOF": 1, "KWD": 1000}
	rapid.Check(t, func(t *rapid.T) {
		base := rapid.SampledFrom([]string{"USD", "XOF", "KWD"}).Draw(t, "base")
		r := locked(t, base, "ZAR", drawRate(t), rapid.IntRange(0, 1000).Draw(t, "bps"))
		amount := rapid.Int64Range(-1e9, 1e9).Draw(t, "amount")
		rounding := rapid.SampledFrom([]ports.Rounding{
			ports.RoundHalfEven, ports.RoundHalfUp, ports.RoundUp, ports.RoundDown, ports.RoundCeiling, ports.RoundFloor,
		}).Draw(t, "rounding")
		rate, _ := new(big.Rat).SetString(r.AllIn())
		exact := new(big.Rat).Mul(big.NewRat(amount, minor[base]), rate)
		exact.Mul(exact, big.NewRat(minor["ZAR"], 1))
		got, err := r.ToQuote(amount, rounding)
		if toBase := rapid.Bool().Draw(t, "to base"); toBase {
			exact = new(big.Rat).Quo(big.NewRat(amount, minor["ZAR"]), rate)
			exact.Mul(exact, big.NewRat(minor[base], 1))
			got, err = r.ToBase(amount, rounding)
		}
		want := roundRat(exact, rounding)
		if !want.IsInt64() {
			require.ErrorIs(t, err, errcodes.Unprocessable)
			return
		}
		require.NoError(t, err)
		require.Equal(t, want.Int64(), got)
	})
}

// However a payment is refunded, the refunds add up to what its parts were paid as, and
// each is within one minor unit of its own conversion.
func TestRefundsAddUpToWhatWasPaid(t *testing.T) {
	for rounding := ports.RoundHalfEven; rounding <= ports.RoundFloor; rounding++ {
		t.Run(fmt.Sprint("rounding ", int(rounding)), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				base := rapid.SampledFrom([]string{"USD", "XOF", "KWD"}).Draw(t, "base")
				quote := rapid.SampledFrom([]string{"ZAR", "UGX", "TND"}).Draw(t, "quote")
				r := locked(t, base, quote, drawRate(t), rapid.IntRange(0, 1000).Draw(t, "bps"))
				paid := rapid.Int64Range(0, 1e9).Draw(t, "paid")
				whole, err := r.ToQuote(paid, rounding)
				if err != nil {
					require.ErrorIs(t, err, errcodes.Unprocessable)
					return
				}
				before, sum := int64(0), int64(0)
				for before < paid {
					amount := rapid.Int64Range(0, paid-before).Draw(t, "amount")
					if rapid.IntRange(0, 5).Draw(t, "the rest") == 0 {
						amount = paid - before
					}
					part, err := r.Refund(before, amount, rounding)
					require.NoError(t, err)
					alone, err := r.ToQuote(amount, rounding)
					require.NoError(t, err)
					require.InDelta(t, 0, float64(part-alone), 1, "refund %d, alone %d", part, alone)
					require.GreaterOrEqual(t, part, int64(0))
					before, sum = before+amount, sum+part
					running, err := r.ToQuote(before, rounding)
					require.NoError(t, err)
					require.Equal(t, running, sum)
				}
				require.Equal(t, whole, sum)
			})
		})
	}
}

func TestRefundsThatAreImpossible(t *testing.T) {
	zar := locked(t, "USD", "ZAR", "18.2500", 150)
	small := locked(t, "USD", "ZAR", "0.5", 0)
	for _, c := range []struct {
		name           string
		r              ports.LockedRate
		before, amount int64
		rounding       ports.Rounding
		want           errcodes.Code
	}{
		{"a negative amount", zar, 5, -1, ports.RoundHalfUp, errcodes.InvalidRequest},
		{"a negative total before", zar, -1, 5, ports.RoundHalfUp, errcodes.InvalidRequest},
		{"an unknown rounding", zar, 0, 5, 0, errcodes.InvalidRequest},
		{"an empty rate", ports.LockedRate{}, 0, 5, ports.RoundHalfUp, errcodes.InvalidRequest},
		{"a total above 64 bits", small, math.MaxInt64, 1, ports.RoundHalfUp, errcodes.Unprocessable},
		{"a conversion above 64 bits", zar, 0, math.MaxInt64, ports.RoundHalfUp, errcodes.Unprocessable},
		{"earlier refunds above 64 bits", zar, math.MaxInt64, 0, ports.RoundHalfUp, errcodes.Unprocessable},
		{"the largest total", small, math.MaxInt64 - 1, 1, ports.RoundHalfUp, ""},
		{"nothing", zar, 33_33, 0, ports.RoundHalfUp, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.r.Refund(c.before, c.amount, c.rounding)
			require.Equal(t, c.want, errcodes.Of(err), "%v", err)
			if c.amount == 0 || c.want != "" {
				require.Zero(t, got)
			}
		})
	}
}

// roundRat rounds by comparing distances, unlike the code.
func roundRat(x *big.Rat, how ports.Rounding) *big.Int {
	floor := new(big.Int).Div(x.Num(), x.Denom()) // Euclidean, den > 0: floor
	frac := new(big.Rat).Sub(x, new(big.Rat).SetInt(floor))
	if frac.Sign() == 0 {
		return floor
	}
	ceil := new(big.Int).Add(floor, big.NewInt(1))
	half := frac.Cmp(big.NewRat(1, 2))
	up := map[ports.Rounding]bool{
		ports.RoundFloor: false, ports.RoundCeiling: true, ports.RoundUp: x.Sign() > 0, ports.RoundDown: x.Sign() < 0,
		ports.RoundHalfUp:   half > 0 || half == 0 && x.Sign() > 0,
		ports.RoundHalfEven: half > 0 || half == 0 && floor.Bit(0) == 1,
	}[how]
	if up {
		return ceil
	}
	return floor
}

func TestARateThatNoLockCanHaveHadIsRejected(t *testing.T) {
	good := lockedJSON("USD", "ZAR", "18.2500", 150, "18.52375")
	var r ports.LockedRate
	require.NoError(t, json.Unmarshal([]byte(good), &r))
	require.NoError(t, json.Unmarshal([]byte(strings.Replace(good, "20T13:00:00Z", "27T12:00:00Z", 1)), &r), "seven days")
	for name, text := range map[string]string{
		"another all-in rate":  lockedJSON("USD", "ZAR", "18.2500", 150, "18.2500"),
		"no currencies":        lockedJSON("", "", "18.2500", 150, "18.52375"),
		"the same currency":    lockedJSON("USD", "USD", "18.2500", 150, "18.52375"),
		"a negative rate":      lockedJSON("USD", "ZAR", "-1", 0, "-1"),
		"a code in lower case": lockedJSON("usd", "ZAR", "18.2500", 150, "18.52375"),
		"an unknown currency":  lockedJSON("USD", "QQQ", "18.2500", 150, "18.52375"),
		"gold":                 lockedJSON("XAU", "ZAR", "18.2500", 150, "18.52375"),
		"a padded rate":        lockedJSON("USD", "ZAR", "18.2500", 150, "18.523750"),
		"a padded long rate":   lockedJSON("USD", "ZAR", "1234567.890123456789", 0, "1234567.8901234567890"),
		"a life above 7 days":  strings.Replace(good, "20T13:00:00Z", "27T12:00:00.001Z", 1),
		"no usedAt":            strings.Replace(lockedJSON("USD", "ZAR", "18.2500", 150, "18.52375"), "usedAt", "usd", 1),
		"not JSON":             "18.52375",
		"an array":             "[]",
		"empty":                "",
	} {
		t.Run(name, func(t *testing.T) {
			var bad ports.LockedRate
			require.ErrorIs(t, bad.Scan(text), errcodes.CorruptRecord)
			require.Zero(t, bad)
		})
	}
	require.ErrorIs(t, r.Scan(nil), errcodes.CorruptRecord)
	require.ErrorIs(t, r.Scan(7), errcodes.CorruptRecord)
}

func TestNewLockedRateNeedsALockThatIsActiveAtAsOf(t *testing.T) {
	l := lockOf("rl_1", noon)
	for name, change := range map[string]func(*ports.RateLock){
		"no AsOf":         func(*ports.RateLock) {},
		"before creation": func(l *ports.RateLock) { l.AsOf = noon.Add(-1) },
		"at ExpiresAt":    func(l *ports.RateLock) { l.AsOf = l.ExpiresAt },
		"expired":         func(l *ports.RateLock) { *l = expired(*l); l.AsOf = noon },
		"cancelled":       func(l *ports.RateLock) { *l = cancelled(*l); l.AsOf = noon },
	} {
		bad := l
		change(&bad)
		r, err := ports.NewLockedRate(&bad)
		require.ErrorIs(t, err, errcodes.RateLockInvalid, name)
		require.Zero(t, r, name)
	}
	l.AsOf = noon.Add(time.Minute)
	r, err := ports.NewLockedRate(&l)
	require.NoError(t, err)
	require.Equal(t, l.AsOf, r.UsedAt())
	require.Equal(t, l.ExpiresAt, r.ExpiresAt())
	l.AllInRate = "19"
	r, err = ports.NewLockedRate(&l)
	require.ErrorIs(t, err, errcodes.CorruptRecord)
	require.Zero(t, r)
}

func TestTheZeroLockedRateConvertsNothing(t *testing.T) {
	var r ports.LockedRate
	_, err := r.ToQuote(1, ports.RoundHalfUp)
	require.ErrorIs(t, err, errcodes.InvalidRequest)
	_, err = r.Value()
	require.ErrorIs(t, err, errcodes.InvalidRequest)
	_, err = json.Marshal(r)
	require.ErrorIs(t, err, errcodes.InvalidRequest)
	require.Equal(t, "no rate", r.String())
	require.Equal(t, "1 USD = 18.25 ZAR (rl_1)", fmt.Sprint(locked(t, "USD", "ZAR", "18.25", 0)))
}

func TestARoundingMustBeNamed(t *testing.T) {
	r := locked(t, "USD", "ZAR", "18.25", 0)
	_, err := r.ToQuote(1, 0)
	require.ErrorIs(t, err, errcodes.InvalidRequest)
	_, err = r.ToBaseText("1", 99)
	require.ErrorIs(t, err, errcodes.InvalidRequest)
	for _, amount := range []string{"", "--1", "+1", "1e3", "NaN", "1,5", "-"} {
		_, err = r.ToQuoteText(amount, ports.RoundHalfUp)
		require.ErrorIs(t, err, errcodes.InvalidRequest, "%q", amount)
	}
}

func TestLockedRateSurvivesJSONAndTheDatabase(t *testing.T) {
	r := locked(t, "USD", "ZAR", "18.2500", 150)
	value, err := r.Value()
	require.NoError(t, err)
	var again ports.LockedRate
	require.NoError(t, again.Scan([]byte(value.(string))))
	require.Equal(t, r, again)
	require.Equal(t, "18.2500", again.Mid())
	require.Equal(t, 150, again.MarkupBps())
	require.Equal(t, usdzar, again.Pair())
	require.Equal(t, "rl_1", again.LockID())
	require.Equal(t, noon, again.UsedAt())
	require.Equal(t, noon.Add(time.Hour), again.ExpiresAt())
}

func FuzzLockedRate(f *testing.F) {
	f.Add(lockedJSON("USD", "ZAR", "18.2500", 150, "18.52375"))
	f.Add(`{}`)
	f.Fuzz(func(t *testing.T, text string) {
		var r ports.LockedRate
		if err := r.Scan(text); err != nil {
			return
		}
		allIn, err := ports.AllInRate(r.Mid(), r.MarkupBps())
		require.NoError(t, err)
		require.Equal(t, allIn, r.AllIn())
		kept, err := r.Value()
		require.NoError(t, err)
		var again ports.LockedRate
		require.NoError(t, again.Scan(kept))
		require.Equal(t, r.AllIn(), again.AllIn())
	})
}
