package validation_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation"
	"github.com/corridor-go/corridor/validation/market"
)

func southAfrican(identifier string) market.Request {
	req := request()
	req.Country, req.BankCode, req.AccountIdentifier = "ZAF", "470010", identifier
	return req
}

// flood makes an owner ask about n accounts, and returns how many lookups it got.
func (w *world) flood(s *validation.Service, owner string, accounts int) (taken int) {
	w.Helper()
	errs := make(chan error, accounts)
	for i := range accounts {
		go func() {
			_, err := s.Validate(w.Context(), owner, southAfrican(fmt.Sprintf("%010d", i)))
			errs <- err
		}()
	}
	pass(3 * time.Second) // longer than the window
	for range accounts {
		if err := <-errs; err == nil {
			taken++
		} else {
			require.Equal(w, errcodes.Unavailable, errcodes.Of(err))
		}
	}
	return taken
}

// An owner with many lookups leaves some for others, even together with similar owners,
// and gets as many again after they have ended.
func TestNoOwnerTakesAllLookups(t *testing.T) {
	inWorld(t, func(w *world) {
		p := w.process(w.first)
		p.config.MaxLookups = 100
		s := w.open(p)
		release := w.first.Hold()
		assert.Equal(w, 75, w.flood(s, "greedy", 200), "of a hundred")
		assert.Equal(w, 19, w.flood(s, "as greedy", 200), "of what is left")
		assert.Equal(w, 1, w.flood(s, "modest", 1))
		release()
		pass(time.Minute)
		w.first.Hold()
		assert.Equal(w, 75, w.flood(s, "newly greedy", 200), "once the lookups have ended")
	})
}

// A small limit is divided by the same rule, and any owner may use a single lookup. A
// request that joins a lookup does not count.
func TestASmallLimitIsDivided(t *testing.T) {
	inWorld(t, func(w *world) {
		w.first.Hold()
		for most, taken := range map[int]int{1: 1, 2: 2, 3: 3, 5: 4} {
			p := w.process(w.first)
			p.config.MaxLookups = most
			assert.Equal(w, taken, w.flood(w.open(p), fmt.Sprint("of ", most), 9), "of %d", most)
		}
		p := w.process(w.first)
		p.config.MaxLookups = 4
		s := w.open(p)
		assert.Equal(w, 3, w.flood(s, owner, 5))
		joined := 0
		for i := range 5 { // in any three of the tries
			if v, err := s.Validate(w.Context(), owner, southAfrican(fmt.Sprintf("%010d", i))); err == nil {
				assert.Equal(w, ports.StatusPending, v.Status)
				joined++
			}
		}
		assert.Equal(w, 3, joined)
	})
}
