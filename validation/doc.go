// Package validation answers whether an account can be paid, before a payout
// is sent to it: a bank account, a mobile-money number or an institution
// wallet (SPEC 2.7, 2.8 and 4.7).
//
// Its job is the whole way from a request to a result that ends: the rules of
// the market first (identifier format, check digit, bank code), then the answer
// of an upstream provider where the rules cannot decide, then the comparison of
// the holder's name with the name that the caller supplied. A caller gets the
// result within two seconds, or a pending validation with an id that reaches a
// terminal status later, also when the process that started it died (I17, I19).
//
// A provider's answer is cached for its owner; the verdict on one caller's name
// is not (I20). Account numbers and names are sealed before any store sees
// them, and never reach a log or an error text.
//
// The package holds the state machine and the service; providers, stores, cache
// and keys reach it through package ports. It exports nothing yet.
package validation
