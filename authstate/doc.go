// Package authstate turns the failures of payment schemes, each with its own
// codes and texts, into one vocabulary: the authState of a transaction with an
// AuthFailureCode or an ErrorCode (SPEC 2.9 and 7.5).
//
// Its job is a total function from scheme, direction, raw code and raw message
// to an outcome and a code. Every input has an answer: what no table knows
// becomes declined or downstreamError and is counted, never an empty code
// (I26). The direction decides the state as well as the code: a payer without
// funds fails a payin, a float without funds errors a payout. Raw code and
// message pass through byte for byte.
//
// The tables are embedded data, one file for each scheme, with a source for
// every row. A terminal state is entered once and keeps its time (I27).
//
// The package holds the tables, the normaliser and the transaction's state
// machine; stores reach it through package ports. It exports nothing yet.
package authstate
