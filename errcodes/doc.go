// Package errcodes defines the error codes of the payments interface, the errors
// that carry them, and the JSON bodies ("envelopes") in which they travel.
//
// Every error that the library returns on purpose has a [Code]. Branch on the
// code, never on the text:
//
//	lock, err := locks.Get(ctx, owner, id)
//	switch code := errcodes.Of(err); code {
//	case "":
//		// no error
//	case errcodes.NotFound:
//		// the owner has no such lock
//	default:
//		status := errcodes.StatusOf(err)            // the HTTP status
//		retry := errcodes.CategoryOf(status).Retry  // whether to try again
//	}
//
// [errors.Is] accepts a Code as its target, [errors.As] a *[Error] or one of the
// typed details ([BalanceDetails], [RangeDetails], [FieldDetails], …).
// Adapters outside this module build coded errors with [New] and [Wrap].
//
// The codes are a table (table.go): each code has one HTTP status, and each
// status has a default code and a category with a retry rule (SPEC 7.1). There
// are three envelopes: [TokenOf] for the token route (SPEC 5.3), [FlatOf] for
// most families (7.3) and [ExchangeOf] for the Exchange family (7.4). Two bodies
// have shapes of their own: [GatewayUnauthorized] (5.2) and
// [DuplicateReferenceOf] (7.3).
//
// The normalised transaction codes of SPEC 7.5 are a separate enum: a
// [TransactionCode] describes how a transaction ended, not a failed call. An
// AuthFailureCode (Failure…) ends a transaction as failed, an ErrorCode (Error…)
// as error; transaction_table.go lists the direction that each of them fits.
// [Upgrade] replaces the five deprecated codes.
package errcodes
