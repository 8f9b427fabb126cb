// Package failures translates the raw codes of payment schemes and providers
// into the codes of SPEC 7.5: an AuthFailureCode where the transaction failed, an
// ErrorCode where something between the parties did. It stores nothing and calls
// nobody.
//
// A [Normaliser] is a total function from scheme, direction, raw code and raw
// message to an outcome and a code:
//
//	n, err := failures.New(nil)
//	if err != nil { … }
//	r, err := n.Normalise(failures.Input{
//		Scheme: failures.MpesaDaraja, Direction: errcodes.Payin, Code: "1037", Message: "DS timeout",
//	})
//	if err != nil { … }
//	// r.Outcome is failures.Failed, r.Code errcodes.FailureTimeout
//
// Every input has an answer: a code that no table knows becomes declined or
// downstreamError and is reported to Config.Unmapped; the code is never empty
// (I26). The direction decides the state as well as the code: a payer without
// funds fails a payin, a float without funds errors a payout. Some raw codes are
// no failure at all, and their outcome is [Success] or [Pending]. Raw code and
// message pass through byte for byte. A struct that JSON is decoded into declares
// a provider's code as a [RawCode], which keeps numbers and texts exact.
//
// # Tables
//
// The tables are embedded: tables/*.csv, one file for each scheme, with sources
// and a confidence for every row. [Rows] lists a table, [Lint] checks its rows,
// [ReadRows] reads the same format from elsewhere. A table is read when its
// scheme is first used. An embedder's own rows come first: Config.Overrides.
//
// tables/sources/*.csv names the sources of each row: the schemes' published
// lists, providers' documents, and independent lists where nothing is published.
// ISO 8583 is not public; its rows rest on acquirers' lists. The pages below
// internal/docs/failures show rows and sources side by side.
package failures
