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

// texts draws none or a few texts.
func (a Any) texts() *rapid.Generator[[]string] {
	return rapid.Map(rapid.SliceOfN(a.Bytes, 0, 4), func(list []string) []string { return append([]string(nil), list...) })
}
