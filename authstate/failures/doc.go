// Package failures translates the raw codes of payment schemes and providers into the
// codes of SPEC 7.5: an AuthFailureCode if the transaction failed, an ErrorCode if a
// system between the parties failed. It does no I/O.
//
// A [Normaliser] maps scheme, direction, raw code and raw message to an outcome and a
// code:
//
//	n, err := failures.New(nil)
//	if err != nil { … }
//	r, err := n.Normalise(failures.Input{
//		Scheme: failures.MpesaDaraja, Direction: errcodes.Payin, Code: "1037", Message: "DS timeout",
//	})
//	if err != nil { … }
//	// r.Outcome is failures.Failed, r.Code errcodes.FailureTimeout
//
// Every input has a result, and the code of a failure is never empty (I26). The
// direction decides the state as well as the code: a payer without funds makes a payin
// fail, a merchant's float without funds makes a payout an error. Some raw codes are not
// failures: their outcome is [Success] or [Pending]. Raw code and message are returned
// byte for byte. To decode a provider's code from JSON, use the type [RawCode], which
// preserves every digit. A number that a relay wrote with a fraction, such as 0.0, is
// looked up as its integer.
//
// # Unknown codes
//
// A code that is in no table becomes declined or downstreamError, [Result.Known] returns
// false, and the result is passed to Config.Unmapped. That code is a placeholder: the
// payment may be in progress, or paid. Ask the provider for the state of the payment, and
// end it by that answer or by a time limit. Do not refund it, pay again, or release it for
// another attempt because of an unknown code. Then add a row, as an override or here.
//
// A success is only what a provider says is one. A text, that is Input.Message or words in
// place of a code, never turns a code that means a failure, or an Input.State, into a success.
//
// # Tables
//
// The tables are embedded: tables/*.csv, one file for each scheme, with sources and a
// confidence for every row. [Rows] returns a table, [Lint] checks rows, [ReadRows] reads
// rows in the same format. A table is read when its scheme is first used. An embedder's
// own rows are looked up first: Config.Overrides.
//
// tables/sources/*.csv lists the sources, with the day on which each was read: published
// lists of the schemes, providers' documents, and independent lists if nothing is
// published. ISO 8583 is not public; its rows are from acquirers' lists.
//
// The page internal/docs/failures.md says which fields of a provider's message are Code
// and Message, and how the tables decide.
package failures
