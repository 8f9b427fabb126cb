package storemodel

import (
	"time"

	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/ports"
)

// Few of each, so that they meet, and some that a text column or a comparison
// could take for one another.
var (
	fewIDs     = named(rapid.SampledFrom([]string{"a", "b", "A", "a\x00", "\xff"}))
	fewOwners  = named(rapid.SampledFrom([]string{"acme", "Acme"}))
	fewHolders = named(rapid.SampledFrom([]string{"h", "H", "h\x00", "\xff"}))
	fewKeys    = named(rapid.Map(rapid.SampledFrom([]byte{0, 'a', 0xff}), func(b byte) ports.AnswerKey { return ports.AnswerKey{31: b} }))
	fewTimes   = named(rapid.Map(rapid.IntRange(0, 5), func(ms int) time.Time { return Epoch.Add(time.Duration(ms) * time.Millisecond) }))

	// finerTimes lie below the millisecond, which no store keeps.
	finerTimes = named(rapid.Map(rapid.IntRange(-3, 3), func(n int) time.Time {
		return Epoch.Add(time.Duration(n) * 400 * time.Microsecond)
	}))
	nearTimes     = named(rapid.OneOf(finerTimes, fewTimes))
	optionalTimes = named(rapid.OneOf(finerTimes, fewTimes, rapid.Just(time.Time{})))

	// anySealed is nil when there is nothing.
	anySealed = named(rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) []byte { return append([]byte(nil), b...) }))
)

// named has rapid name a generator, which it does when it is first used and
// without a lock: models run side by side.
func named[V any](g *rapid.Generator[V]) *rapid.Generator[V] {
	_ = g.String()
	return g
}
