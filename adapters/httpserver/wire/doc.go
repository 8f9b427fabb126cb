// Package wire encodes and decodes the JSON of the payments interface (SPEC 2 and 7).
// It contains neither HTTP nor business rules.
//
//	pair, err := wire.DecodeLock(body)
//	if err != nil {
//		return wire.AppendFlat(nil, err)
//	}
//	lock, _, err := locks.Create(ctx, owner, pair)
//	if err != nil {
//		return wire.AppendFlat(nil, err)
//	}
//	return wire.AppendRateLock(nil, &lock)
//
// Answers are appended by hand, which fixes their bytes and needs no reflection. Bodies
// are decoded strictly: names of fields are case-sensitive, unlike in encoding/json,
// and known names must not be repeated.
package wire
