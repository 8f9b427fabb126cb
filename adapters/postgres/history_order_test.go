package postgres_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/ports"
)

// ordered says of each step more closely when it took effect, by what is known
// beside its call and its return: the versions have the order of the saves, and an
// answer that saved nothing fits some of the states between them. A pause in which
// many callers overlap would have more orders than can be tried. What does not fit
// at all is left as it is, for the search to refuse.
func ordered(steps []porcupine.Operation) []porcupine.Operation {
	var all []porcupine.Operation
	for _, book := range byBook(steps) {
		saves, states := replayed(book)
		if states == nil {
			return steps
		}
		for i := range book {
			if s := book[i].Input.(lockStep); s.effect == nil {
				narrow(&book[i], saves, states)
			}
		}
		all = append(all, book...)
	}
	return all
}

// replayed gives the saves of a book in the order of their versions, each between
// those beside it, and the states before, between and behind them; none if the
// saves do not follow from one another, or not in time.
func replayed(book []porcupine.Operation) (saves []*porcupine.Operation, states []bookState) {
	for i := range book {
		if s := book[i].Input.(lockStep); s.effect != nil {
			saves = append(saves, &book[i])
		}
	}
	slices.SortFunc(saves, func(a, b *porcupine.Operation) int {
		return int(a.Input.(lockStep).effect.Version - b.Input.(lockStep).effect.Version)
	})
	state := bookState(nil)
	states = append(states, state)
	for i, save := range saves {
		s := save.Input.(lockStep)
		next := slices.Clone(state)
		if s.effect.Version != int64(i+1) || !next.take(&s, state.high()) {
			return nil, nil
		}
		state = next.after(&s)
		states = append(states, state)
		if i > 0 {
			save.Call = max(save.Call, saves[i-1].Call)
		}
	}
	for i := len(saves) - 2; i >= 0; i-- {
		saves[i].Return = min(saves[i].Return, saves[i+1].Return)
	}
	if slices.ContainsFunc(saves, func(s *porcupine.Operation) bool { return s.Call > s.Return }) {
		return nil, nil
	}
	return saves, states
}

// narrow bounds an answer by the first and the last state that it fits.
func narrow(answer *porcupine.Operation, saves []*porcupine.Operation, states []bookState) {
	call, end := int64(math.MaxInt64), int64(math.MinInt64)
	o := answer.Input.(lockStep).answer
	for k, state := range states {
		from, to := answer.Call, answer.Return
		if k > 0 {
			from = max(from, saves[k-1].Call)
		}
		if k < len(saves) {
			to = min(to, saves[k].Return)
		}
		if from <= to && state.answers(o, state.high()) {
			call, end = min(call, from), max(end, to)
		}
	}
	if call <= end {
		answer.Call, answer.Return = call, end
	}
}

// TestTheOrderOfSavesChangesNoVerdict spoils histories in ways that a wrong store
// could, and asks for a verdict with the order of the saves and without.
func TestTheOrderOfSavesChangesNoVerdict(t *testing.T) {
	crew := hire(t, 2, migrated(t), "")
	chance := rand.New(rand.NewPCG(7, 7))
	var sound, refused int
	for seed := range uint64(6) {
		books := []ports.BookKey{{Owner: fmt.Sprintf("shop-%d", seed), Pair: usdZAR}}
		o := historyOrder{Books: books, Origin: monotonic(), Speed: 4000, Jump: maxSkew, Seed: seed, Clients: 2, Steps: 12}
		ops, _ := crew.all(t, func(int) historyOrder { return o })
		for range 50 {
			spoilt := slices.Clone(ops)
			spoil(chance, spoilt)
			plain := porcupine.CheckOperationsTimeout(sequential, lockSteps(spoilt), 10*time.Second)
			require.Equal(t, plain, porcupine.CheckOperationsTimeout(sequential, ordered(lockSteps(spoilt)), 10*time.Second))
			switch plain {
			case porcupine.Ok:
				sound++
			case porcupine.Illegal:
				refused++
			case porcupine.Unknown:
			}
		}
	}
	require.Greater(t, sound, 20)
	require.Greater(t, refused, 20)
}

// spoil changes one op, or what two were told.
func spoil(chance *rand.Rand, ops []lockOp) {
	a, b := &ops[chance.IntN(len(ops))], &ops[chance.IntN(len(ops))]
	switch chance.IntN(6) {
	case 0:
		a.Lock, b.Lock, a.AsOf, b.AsOf = b.Lock, a.Lock, b.AsOf, a.AsOf
	case 1:
		a.AsOf = a.AsOf.Add(time.Duration(chance.Int64N(int64(historyValidity))))
	case 2:
		a.Lock.Status = ports.LockExpired
	case 3:
		later := chance.Int64N(int64(50 * time.Millisecond))
		a.Call, a.Return = a.Call+later, a.Return+later
	case 4:
		a.Saves = nil
	case 5: // nothing: a sound history
	}
}
