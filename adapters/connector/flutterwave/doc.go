// Package flutterwave validates bank accounts in Nigeria and Ghana through
// Flutterwave's v3 API.
//
//	connector, err := flutterwave.New(secretKey, nil)
//	if err != nil {
//		return err
//	}
//	answer, err := connector.Lookup(ctx, lookup)
//	// answer.HolderName is the name that the bank knows
//
// [FromEnv] reads the key from CORRIDOR_FLUTTERWAVE_SECRET_KEY. If
// CORRIDOR_FLUTTERWAVE_BASE_URL is set, it is the address instead of [DefaultBaseURL].
//
// # Answers
//
// POST /accounts/resolve returns the holder's name. A failure has a message and no
// code, so the message decides:
//
//   - "Sorry, that account number is invalid…", which the page shows, and "invalid
//     account" are not_found in Nigeria. In Ghana they are failed, because the page
//     has said that it is about Nigerian banks only.
//   - "Sorry, recipient account could not be validated…" is failed, and the next
//     connector is asked: Flutterwave returns it for unknown accounts, for banks that
//     do not answer and, with a test key, for all but a few accounts.
//   - All others are failed.
//
// The route also resolves Flutterwave's wallets, which are not bank accounts, and mobile
// money, which requires the network's code. Both are left out.
//
// # Why v3
//
// v3 uses one secret key, and its address is stable. v4 requires a token from an
// identity server, and its pages and its published description disagree on the route
// (/banks/account-resolve and /bank-account/resolve) and on the address.
//
// # Sources
//
// Read on 2026-11-21 and 2026-11-28:
// developer.flutterwave.com/docs/verifications/bank-account,
// developer.flutterwave.com/docs/integration-guides/errors and
// developer.flutterwave.com/v3.0/docs/common-errors. The field country, sent for Ghana,
// is on the page of v2 and in Flutterwave's Node library for v3
// (github.com/Flutterwave/Node-v3, pull request 57). The pages show one message of a
// failed lookup, "Sorry, that account number is invalid, please check and try again";
// the others are from merchants' public code, from Flutterwave's checkout and from
// issues of its libraries.
package flutterwave
