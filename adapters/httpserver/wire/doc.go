// Package wire holds the JSON of the payments interface (SPEC 2 and 7): it
// prints answers and reads bodies, and knows neither HTTP nor the rules.
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
// Answers are appended by hand, so that the bytes are settled here and no
// reflection runs for each request. Bodies are read strictly: field names match
// case by case, which encoding/json does not do, and a name that counts may
// stand only once.
package wire
