package postgres_test

import (
	"cmp"
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

// ordered arranges the steps of each book in an order that explains them, for the search
// to check. The versions fix the order of the saves; without it, a pause in which many
// callers overlap has more orders than can be tried. Steps without an explanation stay
// as they are, and the search rejects them.
func ordered(steps []porcupine.Operation) []porcupine.Operation {
	var all []porcupine.Operation
	for _, book := range byBook(steps) {
		order := explanation(book)
		if order == nil {
			return steps
		}
		for i := range order {
			order[i].Call, order[i].Return = int64(2*i), int64(2*i+1)
		}
		all = append(all, order...)
	}
	return all
}

// explanation orders a book's steps so that each is after those that had returned before
// its call, and each agrees with what came before it. It returns nil if there is no such
// order. Saves are ordered by their versions. An answer that saves nothing changes
// nothing, so it comes as early as it fits: later it could only exclude others.
func explanation(book []porcupine.Operation) (order []porcupine.Operation) {
	saves, answers := byEffect(book)
	state := bookState(nil)
	for len(order) < len(book) {
		for taken := true; taken; {
			taken = false
			latest := earliestReturn(saves, answers)
			answers = slices.DeleteFunc(answers, func(o porcupine.Operation) bool {
				fits := o.Call <= latest && state.answers(o.Input.(lockStep).answer, state.high())
				if fits {
					order, taken = append(order, o), true
				}
				return fits
			})
		}
		if len(saves) == 0 {
			break
		}
		s, latest := saves[0].Input.(lockStep), earliestReturn(saves, answers)
		next := slices.Clone(state)
		if saves[0].Call > latest || !next.take(&s, state.high()) {
			return nil
		}
		state, order, saves = next.after(&s), append(order, saves[0]), saves[1:]
	}
	if len(order) < len(book) {
		return nil
	}
	return order
}

// byEffect returns the steps that save, ordered by their versions, and the others.
func byEffect(book []porcupine.Operation) (saves, answers []porcupine.Operation) {
	for _, o := range book {
		if o.Input.(lockStep).effect != nil {
			saves = append(saves, o)
		} else {
			answers = append(answers, o)
		}
	}
	slices.SortFunc(saves, func(a, b porcupine.Operation) int {
		return cmp.Compare(a.Input.(lockStep).effect.Version, b.Input.(lockStep).effect.Version)
	})
	return saves, answers
}

func earliestReturn(saves, answers []porcupine.Operation) int64 {
	first := int64(math.MaxInt64)
	for _, o := range slices.Concat(saves, answers) {
		first = min(first, o.Return)
	}
	return first
}

// The test spoils histories as a wrong store could, and compares the verdicts with and
// without the order of the saves.
func TestTheOrderOfSavesDoesNotChangeVerdicts(t *testing.T) {
	onlyInFull(t, "it checks the checker of histories")
	crew := hire(t, 2, emptied(t), "")
	chance := rand.New(rand.NewPCG(7, 7))
	var valid, rejected int
	for seed := range uint64(6) {
		books := []ports.BookKey{{Owner: fmt.Sprintf("shop-%d", seed), Pair: usdZAR}}
		o := historyOrder{Books: books, Origin: monotonic(), Speed: 4000, Jump: maxSkew, Seed: seed, Clients: 2, Steps: 12}
		ops, _ := crew.all(t, func(int) historyOrder { return o })
		require.NotNil(t, explanation(lockSteps(ops)), "a correct history")
		for range 50 {
			spoilt := slices.Clone(ops)
			spoil(chance, spoilt)
			plain := porcupine.CheckOperationsTimeout(sequential, lockSteps(spoilt), 10*time.Second)
			if plain == porcupine.Unknown {
				continue
			}
			require.Equal(t, plain, porcupine.CheckOperationsTimeout(sequential, ordered(lockSteps(spoilt)), 10*time.Second))
			if plain == porcupine.Ok {
				valid++
			} else {
				rejected++
			}
		}
	}
	require.Greater(t, valid, 20)
	require.Greater(t, rejected, 20)
}

// spoil changes one op, or the answers of two.
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
	case 5: // nothing: a correct history
	}
}
