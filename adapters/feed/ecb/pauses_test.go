package ecb_test

import (
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/feed/ecb"
	"github.com/corridor-go/corridor/errcodes"
)

// easter returns Easter Sunday (the computus for the Gregorian calendar).
func easter(year int) time.Time {
	a, b, c := year%19, year/100, year%100
	h := (19*a + b - b/4 - (b-(b+8)/25+1)/3 + 15) % 30
	l := (32 + 2*(b%4) + 2*(c/4) - h - c%4) % 7
	m := (a + 11*h + 22*l) / 451
	n := h + l - 7*m + 114
	return time.Date(year, time.Month(n/31), n%31+1, 0, 0, 0, 0, time.UTC)
}

// publishes reports whether the bank publishes rates on the day: on the working days of
// TARGET, whose closing days have been these since 2002.
func publishes(day time.Time) bool {
	if w := day.Weekday(); w == time.Saturday || w == time.Sunday {
		return false
	}
	sunday := easter(day.Year())
	if day.Equal(sunday.AddDate(0, 0, -2)) || day.Equal(sunday.AddDate(0, 0, 1)) {
		return false
	}
	switch day.Format("01-02") {
	case "01-01", "05-01", "12-25", "12-26":
		return false
	}
	return true
}

// Until the next publication, at 16:00 in Frankfurt, a price stays below its limit with
// hours to spare; a publication that fails to appear for a day does not go unnoticed.
func TestMaxAgeSpansTheLongestPauseOfThirtyYears(t *testing.T) {
	t.Parallel()
	easters := map[int]string{2002: "03-31", 2008: "03-23", 2011: "04-24", 2024: "03-31", 2026: "04-05", 2031: "04-13"}
	for year, want := range easters {
		require.Equal(t, want, easter(year).Format("01-02"), year)
	}
	var longest time.Duration
	last := time.Date(2002, time.January, 2, 0, 0, 0, 0, time.UTC)
	for day := last.AddDate(0, 0, 1); day.Year() <= 2032; day = day.AddDate(0, 0, 1) {
		if publishes(day) {
			const winter = 15 * time.Hour // 16:00 CET; 16:00 CEST is an hour earlier
			longest = max(longest, day.Add(winter).Sub(last.Add(12*time.Hour)))
			last = day
		}
	}
	require.Equal(t, 123*time.Hour, longest)
	require.Greater(t, ecb.MaxAge, longest+4*time.Hour+ecb.DefaultRefreshEvery)
	require.Less(t, ecb.MaxAge, longest+24*time.Hour)

	page, err := os.ReadFile("../../../internal/docs/adapters/feed.md")
	require.NoError(t, err)
	require.Contains(t, string(page), fmt.Sprintf("%.0f hours (`ecb.MaxAge`)", ecb.MaxAge.Hours()))
}

// Prices of all directions declare their age, and keep it while the source is down.
func TestPricesDeclareTheirAge(t *testing.T) {
	b := open(t, text(daily(t)))
	for range 2 {
		pairs, err := b.Pairs(t.Context())
		require.NoError(t, err)
		for _, pair := range pairs.All() {
			got, err := b.Mid(t.Context(), pair)
			require.NoError(t, err)
			require.Equal(t, ecb.MaxAge, got.MaxAge, pair)
			require.Equal(t, ecb.MaxAge, got.AgeLimit(0))
		}
		b.answers(status(http.StatusBadGateway))
		b.clock.Advance(ecb.DefaultRefreshEvery)
	}
}

// A caller knows when the source is asked again.
func TestAnUnreadSourceSaysWhenToAskAgain(t *testing.T) {
	b := open(t, status(http.StatusBadGateway))
	_, err := b.Mid(t.Context(), eurusd)
	require.Equal(t, errcodes.PriceUnavailable, errcodes.Of(err))
	require.Equal(t, ecb.DefaultRetryEvery, errcodes.RetryAfterOf(err))
	_, err = b.Pairs(t.Context())
	require.Equal(t, ecb.DefaultRetryEvery, errcodes.RetryAfterOf(err))

	b = open(t, text(daily(t)))
	_, err = b.Mid(t.Context(), eurusd)
	require.NoError(t, err)
	b.clock.Advance(-after.Sub(noon) - time.Minute)
	_, err = b.Mid(t.Context(), eurusd)
	require.Equal(t, errcodes.PriceUnavailable, errcodes.Of(err))
	require.Equal(t, time.Minute, errcodes.RetryAfterOf(err), "until the day of the rates")
}
