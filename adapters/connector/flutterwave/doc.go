// Package flutterwave asks Flutterwave (its v3 interface) about bank accounts in
// Nigeria and Ghana.
//
//	connector, err := flutterwave.New(secretKey, nil)
//	if err != nil {
//		return err
//	}
//	answer, err := connector.Lookup(ctx, lookup)
//	// answer.HolderName is the name that the bank knows
//
// Or from the environment, by [FromEnv]: CORRIDOR_FLUTTERWAVE_SECRET_KEY, and
// CORRIDOR_FLUTTERWAVE_BASE_URL for another address than [DefaultBaseURL].
//
// # Answers
//
// POST /accounts/resolve gives the holder's name. A failure has a message and no
// code, so the message decides:
//
//   - "invalid account" is not_found.
//   - "Sorry, recipient account could not be validated…" is failed, and the next
//     connector is asked. Flutterwave says it of unknown accounts, of banks that
//     do not answer, and of all but a few accounts with a test key: it is not
//     definite.
//   - All others are failed.
//
// Wallets of Flutterwave and mobile money are resolved by the same route and left
// out: the one is no bank account, the other wants the network's code.
//
// # Why v3
//
// v3 takes one secret key, its page names both markets, and its address is
// stable. v4 wants a token of an identity server, and its pages and its published
// description disagree on the route (/banks/account-resolve, and
// /bank-account/resolve) and the address.
//
// # Sources
//
// Read on 2026-11-21: developer.flutterwave.com/docs/verifications/bank-account,
// developer.flutterwave.com/docs/integration-guides/errors and
// developer.flutterwave.com/v3.0/docs/common-errors. The field country, sent for
// Ghana, is on the page of v2 and in Flutterwave's Node library for v3
// (github.com/Flutterwave/Node-v3, pull request 57). The messages of failed
// lookups are in none of them; they are from merchants' public code.
package flutterwave
