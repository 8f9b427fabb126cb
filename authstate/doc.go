// Package authstate turns the failures of payment schemes, each with its own
// codes and texts, into one vocabulary: the authState of a transaction with an
// AuthFailureCode or an ErrorCode (SPEC 2.9 and 7.5).
//
// # What a raw code means
//
// A [Normaliser] is a total function from scheme, direction, raw code and raw
// message to an outcome and a code:
//
//	n, err := authstate.NewNormaliser(nil)
//	r, err := n.Normalise(authstate.Input{
//		Scheme: authstate.MpesaDaraja, Direction: errcodes.Payin, Code: "1037", Message: "DS timeout",
//	})
//	// r.Outcome is Failed, r.Code errcodes.FailureTimeout
//
// Every input has an answer: what no table knows becomes declined or
// downstreamError and is told to a hook, never an empty code (I26). The
// direction decides the state as well as the code: a payer without funds fails
// a payin, a float without funds errors a payout. Some raw codes are no failure
// at all, and say so. Raw code and message pass through byte for byte.
//
// The tables are embedded data, tables/*.csv, one file for each scheme, with
// sources and a confidence for every row; [Rows] lists them, [Lint] guards them.
// Nothing is read before a scheme's first use. An embedder's own rows come
// first: NormaliserConfig.Overrides.
//
// # What becomes of a transaction
//
// A [Service] keeps the states of transactions: PENDING, then SUCCEEDED, FAILED
// or ERRORED, for good. [Service.Record] applies what a provider said,
// [Service.Fail] and [Service.Succeed] what the embedder found itself. An end
// is entered once and keeps its time (I27); the same said twice is once; a
// debit that lands after a timeout is recorded, told as an event of its own,
// and rewrites nothing. [Transitions] is the whole rule.
package authstate
