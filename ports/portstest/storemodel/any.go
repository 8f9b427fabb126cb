package storemodel

import (
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/ports"
)

// Any draws what a store's columns take.
type Any struct {
	// Bytes are what a column of bytes takes: any.
	Bytes *rapid.Generator[string]
	// Text is what a column of text takes.
	Text *rapid.Generator[string]
	// Time is a time that the store keeps whole.
	Time *rapid.Generator[time.Time]
}

// AnyBytes are what a text column, a C string, JSON or a comparison could harm.
var AnyBytes = named(rapid.OneOf(rapid.String(), rapid.Map(
	rapid.SliceOf(rapid.SampledFrom([]byte{0, ' ', 'a', 'A', '%', '\'', '"', '\\', '{', 0x80, 0xed, 0xff})),
	func(b []byte) string { return string(b) })))

// AnyTime is a time of whole milliseconds, from 1935 to 2527.
var AnyTime = named(rapid.Map(rapid.Int64Range(-1<<40, 1<<44), func(ms int64) time.Time { return time.UnixMilli(ms).UTC() }))

// raw draws a provider's words, some of them of the most bytes.
func (a Any) raw() *rapid.Generator[string] {
	return rapid.OneOf(a.Bytes, a.Bytes, rapid.Just(strings.Repeat("\x00\xff", ports.MaxRaw/2)))
}

func (a Any) texts() *rapid.Generator[[]string] {
	return rapid.Map(rapid.SliceOfN(a.Bytes, 0, 4), func(list []string) []string { return append([]string(nil), list...) })
}

// Few of each, so that they meet, and some that a text column or a comparison
// could take for one another.
var (
	fewIDs     = named(rapid.SampledFrom([]string{"a", "b", "A", "a\x00", "\xff"}))
	fewOwners  = named(rapid.SampledFrom([]string{"acme", "Acme"}))
	fewHolders = named(rapid.SampledFrom([]string{"h", "H", "h\x00", "\xff"}))
	fewKeys    = named(rapid.Map(rapid.SampledFrom([]byte{0, 'a', 0xff}), func(b byte) [32]byte { return [32]byte{31: b} }))
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
