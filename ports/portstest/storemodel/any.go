package storemodel

import (
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/ports"
)

// Any draws values that a store's columns accept.
type Any struct {
	// Bytes draws any bytes, for columns of bytes.
	Bytes *rapid.Generator[string]
	// Text draws what a column of text accepts.
	Text *rapid.Generator[string]
	// Time draws times that the store keeps exactly.
	Time *rapid.Generator[time.Time]
}

// AnyBytes draws bytes that text columns, C strings, JSON or comparisons may damage.
var AnyBytes = named(rapid.OneOf(rapid.String(), rapid.Map(
	rapid.SliceOf(rapid.SampledFrom([]byte{0, ' ', 'a', 'A', '%', '\'', '"', '\\', '{', 0x80, 0xed, 0xff})),
	func(b []byte) string { return string(b) })))

// AnyTime draws times of whole milliseconds from 1935 to 2527.
var AnyTime = named(rapid.Map(rapid.Int64Range(-1<<40, 1<<44), func(ms int64) time.Time { return time.UnixMilli(ms).UTC() }))

// raw draws a provider's texts, some of them of the maximum length.
func (a Any) raw() *rapid.Generator[string] {
	return rapid.OneOf(a.Bytes, a.Bytes, rapid.Just(strings.Repeat("\x00\xff", ports.MaxRaw/2)))
}

func (a Any) texts() *rapid.Generator[[]string] {
	return rapid.Map(rapid.SliceOfN(a.Bytes, 0, 4), func(list []string) []string { return append([]string(nil), list...) })
}

// There are few values of each kind, so that they repeat. Some of them a text
// column or a comparison may confuse.
var (
	fewIDs     = named(rapid.SampledFrom([]string{"a", "b", "A", "a\x00", "\xff"}))
	fewOwners  = named(rapid.SampledFrom([]string{"acme", "Acme"}))
	fewHolders = named(rapid.SampledFrom([]string{"h", "H", "h\x00", "\xff"}))
	fewKeys    = named(rapid.Map(rapid.SampledFrom([]byte{0, 'a', 0xff}), func(b byte) [32]byte { return [32]byte{31: b} }))
	fewTimes   = named(rapid.Map(rapid.IntRange(0, 5), func(ms int) time.Time { return Epoch.Add(time.Duration(ms) * time.Millisecond) }))

	// finerTimes have fractions of a millisecond, which no store keeps.
	finerTimes = named(rapid.Map(rapid.IntRange(-3, 3), func(n int) time.Time {
		return Epoch.Add(time.Duration(n) * 400 * time.Microsecond)
	}))
	nearTimes     = named(rapid.OneOf(finerTimes, fewTimes))
	optionalTimes = named(rapid.OneOf(finerTimes, fewTimes, rapid.Just(time.Time{})))

	// anySealed draws sealed bytes; empty ones are nil.
	anySealed = named(rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) []byte { return append([]byte(nil), b...) }))
)

// named makes rapid compute the generator's name now: it would do so at the first
// use and without a lock, but models run in parallel.
func named[V any](g *rapid.Generator[V]) *rapid.Generator[V] {
	_ = g.String()
	return g
}
