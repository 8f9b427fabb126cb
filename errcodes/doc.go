// Package errcodes holds the error codes of the payments interface, the errors
// that carry them, and the JSON bodies ("envelopes") in which they travel.
//
// Every error that the library returns on purpose has a [Code]. Branch on the
// code, never on the text:
//
//	lock, err := locks.Get(ctx, owner, id)
//	switch errcodes.Of(err) {
//	case "":
//		// no error
//	case errcodes.NotFound:
//		// no such lock of this owner
//	default:
//		// errcodes.Info(code).Status is the HTTP status,
//		// errcodes.CategoryOf(status).Retry says whether to try again
//	}
//
// [errors.Is] takes a Code as its target, [errors.As] a *[Error] or one of the
// typed details ([BalanceDetails], [RangeDetails], [FieldDetails], …).
// Adapters outside this module build coded errors with [New] and [Wrap].
//
// The table of codes is data (table.go): each code has one HTTP status, each
// status a default code and a category with a retry rule (SPEC 7.1). Three
// envelopes exist: [TokenOf] for the token route (SPEC 5.3), [FlatOf] for most
// families (7.3), [ExchangeOf] for the Exchange family (7.4); beside them stand
// [GatewayUnauthorized] (5.2) and [DuplicateReferenceOf] (7.3).
//
// The normalised transaction codes of SPEC 7.5 are another enum: a
// [TransactionCode] describes a transaction's end, not a failed call. Its
// AuthFailureCodes (Failure…) end a transaction as failed, its ErrorCodes
// (Error…) as error; transaction_table.go says of each which direction it fits.
// [Upgrade] replaces the five deprecated ones.
package errcodes
